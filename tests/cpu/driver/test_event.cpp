// SPDX-License-Identifier: Apache-2.0
// Events: state, time, errors.
#include "driver.hpp"

namespace cutest {
namespace {

class Events : public DeviceTest {
 protected:
  CUevent make(unsigned flags = 0) {
    CUevent e = nullptr;
    EXPECT_CU(0, cu.cuEventCreate(&e, flags));
    return e;
  }
};

TEST_F(Events, NeverRecordedIsDone) {
  CUevent e = make();
  EXPECT_CU(0, cu.cuEventQuery(e));
  EXPECT_CU(0, cu.cuEventSynchronize(e));
}

TEST_F(Events, FollowTheirStream) {
  CUevent e = make(CU_EVENT_BLOCKING_SYNC);
  CUstream s = nullptr;
  OK(cu.cuStreamCreate(&s, 0));
  close_gate(s);
  OK(cu.cuEventRecord(e, s));
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuEventQuery(e));
  open_gate();
  OK(cu.cuEventSynchronize(e));
  EXPECT_CU(0, cu.cuEventQuery(e));
}

TEST_F(Events, MeasureRealTime) {
  CUevent start = make(), end = make();
  OK(cu.cuEventRecord(start, nullptr));
  OK(cu.cuLaunchHostFunc(
      nullptr, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(25)); }, nullptr));
  OK(cu.cuEventRecord(end, nullptr));
  float ms = -1;
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuEventElapsedTime_v2(&ms, start, end));
  OK(cu.cuEventSynchronize(end));
  OK(cu.cuEventElapsedTime_v2(&ms, start, end));
  EXPECT_GE(ms, 24.9f);
  EXPECT_LT(ms, 5000.f);
  float old_abi = 0;
  OK(cu.cuEventElapsedTime(&old_abi, start, end));
  EXPECT_EQ(ms, old_abi);
  OK(cu.cuEventElapsedTime_v2(&old_abi, end, start));
  EXPECT_EQ(-ms, old_abi);
}

TEST_F(Events, ElapsedTimeNeedsTwoTimedRecords) {
  CUevent timed = make(), untimed = make(CU_EVENT_DISABLE_TIMING), never = make();
  float ms = 0;
  OK(cu.cuEventRecord(timed, nullptr));
  OK(cu.cuEventRecord(untimed, nullptr));
  OK(cu.cuCtxSynchronize());
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuEventElapsedTime_v2(&ms, timed, never));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuEventElapsedTime_v2(&ms, never, timed));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuEventElapsedTime_v2(&ms, timed, untimed));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuEventElapsedTime_v2(nullptr, timed, timed));
  OK(cu.cuEventElapsedTime_v2(&ms, timed, timed));
  EXPECT_EQ(0.f, ms);
}

TEST_F(Events, MayBeDestroyedWhilePending) {
  CUevent e = make();
  close_gate(nullptr);
  OK(cu.cuEventRecord(e, nullptr));
  OK(cu.cuEventDestroy_v2(e));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuEventQuery(e));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuEventRecord(e, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuEventDestroy_v2(e));
  open_gate();
  OK(cu.cuCtxSynchronize());
}

TEST_F(Events, Flags) {
  CUevent e = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuEventCreate(&e, 0x100));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuEventCreate(&e, CU_EVENT_INTERPROCESS));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuEventCreate(nullptr, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuEventRecordWithFlags(make(), nullptr, 8));
  // Only in captures.
  EXPECT_CU(CUDA_ERROR_ILLEGAL_STATE,
            cu.cuEventRecordWithFlags(make(), nullptr, CU_EVENT_RECORD_EXTERNAL));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_STATE,
            cu.cuStreamWaitEvent(nullptr, make(), CU_EVENT_WAIT_EXTERNAL));
}

TEST_F(Events, BelongToOneContext) {
  CUevent here = make();
  CUcontext other = nullptr;
  CUstream there = nullptr;
  OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 0));
  OK(cu.cuStreamCreate(&there, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuEventRecord(here, there));
  OK(cu.cuStreamWaitEvent(there, here, 0));  // waiting across contexts is allowed
  OK(cu.cuCtxDestroy_v2(other));
}

TEST_F(Events, NeedNoCurrentContextToBeAsked) {
  CUevent e = make();
  OK(cu.cuEventRecord(e, nullptr));
  std::thread([&] {
    EXPECT_CU(0, cu.cuEventSynchronize(e));
    EXPECT_CU(0, cu.cuEventQuery(e));
    EXPECT_CU(0, cu.cuEventDestroy_v2(e));
  }).join();
}

}  // namespace
}  // namespace cutest
