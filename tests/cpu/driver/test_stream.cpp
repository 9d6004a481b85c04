// SPDX-License-Identifier: Apache-2.0
// Streams: asynchronous, in order, and the default-stream rules.
#include <atomic>
#include <mutex>
#include <thread>

#include "driver.hpp"

namespace cutest {
namespace {

class Streams : public DeviceTest {
 protected:
  CUstream make(unsigned flags = 0) {
    CUstream s = nullptr;
    EXPECT_CU(0, cu.cuStreamCreate(&s, flags));
    return s;
  }
  // Appends `letter` to the log when the stream reaches it.
  void mark(CUstream stream, char letter) {
    auto* note = new std::pair<Streams*, char>(this, letter);
    EXPECT_CU(0, cu.cuLaunchHostFunc(
                     stream,
                     [](void* p) {
                       auto* n = static_cast<std::pair<Streams*, char>*>(p);
                       {
                         std::lock_guard lock(n->first->mutex_);
                         n->first->log_ += n->second;
                       }
                       delete n;
                     },
                     note));
  }
  std::string log() {
    std::lock_guard lock(mutex_);
    return log_;
  }
  void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }
  std::mutex mutex_;
  std::string log_;
};

TEST_F(Streams, AreAsynchronous) {
  CUstream s = make();
  close_gate(s);
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(s));
  open_gate();
  OK(cu.cuStreamSynchronize(s));
  EXPECT_CU(0, cu.cuStreamQuery(s));
}

TEST_F(Streams, GoOnWhileKernelsOfMoreStreamsThanCoresSpin) {
  for (unsigned i = 0; i <= std::thread::hardware_concurrency(); ++i) close_gate(make());
  CUstream other = make();
  EXPECT_CU(0, launch("nothing", {}, 1, other));
  EXPECT_TRUE(eventually([&] { return cu.cuStreamQuery(other) == CUDA_SUCCESS; }));
  open_gate();
  OK(cu.cuCtxSynchronize());
}

TEST_F(Streams, KeepTheirOrder) {
  CUstream s = make();
  std::string wanted;
  for (int i = 0; i < 200; ++i) {
    wanted += static_cast<char>('a' + i % 26);
    mark(s, wanted.back());
  }
  OK(cu.cuStreamSynchronize(s));
  EXPECT_EQ(wanted, log());
}

TEST_F(Streams, OverlapEachOther) {
  CUstream a = make(), b = make();
  close_gate(a);
  mark(b, 'b');
  OK(cu.cuStreamSynchronize(b));  // would never return if b waited for a
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(a));
  open_gate();
  OK(cu.cuStreamSynchronize(a));
}

TEST_F(Streams, LegacyWaitsForBlockingStreams) {
  CUstream blocking = make(), apart = make(CU_STREAM_NON_BLOCKING);
  close_gate(blocking);
  mark(CU_STREAM_LEGACY, 'L');
  mark(apart, 'n');
  OK(cu.cuStreamSynchronize(apart));
  settle();
  EXPECT_EQ("n", log()) << "the legacy stream ran before a blocking stream had ended";
  open_gate();
  OK(cu.cuStreamSynchronize(nullptr));
  EXPECT_EQ("nL", log());
}

TEST_F(Streams, BlockingStreamsWaitForLegacy) {
  CUstream blocking = make(), apart = make(CU_STREAM_NON_BLOCKING);
  close_gate(nullptr);
  mark(blocking, 'b');
  mark(apart, 'n');
  OK(cu.cuStreamSynchronize(apart));
  settle();
  EXPECT_EQ("n", log());
  open_gate();
  OK(cu.cuStreamSynchronize(blocking));
  EXPECT_EQ("nb", log());
}

TEST_F(Streams, LegacyIsIdleWhenAllBlockingStreamsAre) {
  CUstream blocking = make();
  close_gate(blocking);
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(nullptr));
  open_gate();
  OK(cu.cuStreamSynchronize(blocking));
  EXPECT_CU(0, cu.cuStreamQuery(nullptr));
}

TEST_F(Streams, LegacyIsNotHeldUpByNonBlockingOnes) {
  CUstream apart = make(CU_STREAM_NON_BLOCKING);
  close_gate(apart);
  mark(nullptr, 'L');
  OK(cu.cuStreamSynchronize(nullptr));
  EXPECT_EQ("L", log());
  open_gate();
}

TEST_F(Streams, PerThreadStreamsBelongToTheirThreads) {
  unsigned long long mine = 0, also_mine = 0, theirs = 0, legacy = 0;
  OK(cu.cuStreamGetId(CU_STREAM_PER_THREAD, &mine));
  OK(cu.cuStreamGetId_ptsz(nullptr, &also_mine));
  OK(cu.cuStreamGetId(nullptr, &legacy));
  std::thread([&] {
    EXPECT_CU(0, cu.cuCtxSetCurrent(context));
    EXPECT_CU(0, cu.cuStreamGetId(CU_STREAM_PER_THREAD, &theirs));
  }).join();
  EXPECT_EQ(mine, also_mine);
  EXPECT_NE(mine, theirs);
  EXPECT_NE(mine, legacy);
}

TEST_F(Streams, PerThreadStreamsOverlapButLegacyWaits) {
  close_gate(CU_STREAM_PER_THREAD);
  std::thread([&] {
    EXPECT_CU(0, cu.cuCtxSetCurrent(context));
    mark(CU_STREAM_PER_THREAD, 't');
    EXPECT_CU(0, cu.cuStreamSynchronize_ptsz(nullptr));
  }).join();
  EXPECT_EQ("t", log());
  mark(CU_STREAM_LEGACY, 'L');
  settle();
  EXPECT_EQ("t", log());
  open_gate();
  OK(cu.cuStreamSynchronize(nullptr));
  EXPECT_EQ("tL", log());
}

TEST_F(Streams, ContextSynchronizeWaitsForAll) {
  CUstream a = make(), b = make(CU_STREAM_NON_BLOCKING);
  for (int i = 0; i < 20; ++i) {
    mark(a, 'a');
    mark(b, 'b');
    mark(nullptr, 'L');
  }
  OK(cu.cuCtxSynchronize());
  EXPECT_EQ(60u, log().size());
}

TEST_F(Streams, WaitEventOrdersAcrossStreams) {
  CUstream a = make(CU_STREAM_NON_BLOCKING), b = make(CU_STREAM_NON_BLOCKING);
  CUevent event = nullptr;
  OK(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  close_gate(a);
  mark(a, 'a');
  OK(cu.cuEventRecord(event, a));
  OK(cu.cuStreamWaitEvent(b, event, 0));
  mark(b, 'b');
  settle();
  EXPECT_EQ("", log());
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(b));
  open_gate();
  OK(cu.cuStreamSynchronize(b));
  EXPECT_EQ("ab", log());
}

TEST_F(Streams, WaitingForALaterRecordIsNotWaiting) {
  CUstream a = make(CU_STREAM_NON_BLOCKING), b = make(CU_STREAM_NON_BLOCKING);
  CUevent event = nullptr;
  OK(cu.cuEventCreate(&event, 0));
  OK(cu.cuStreamWaitEvent(b, event, 0));  // never recorded: nothing to wait for
  mark(b, 'b');
  OK(cu.cuStreamSynchronize(b));
  OK(cu.cuEventRecord(event, a));
  OK(cu.cuStreamWaitEvent(b, event, 0));
  close_gate(a);
  OK(cu.cuEventRecord(event, a));  // after the call that waits
  mark(b, 'c');
  OK(cu.cuStreamSynchronize(b));
  EXPECT_EQ("bc", log());
  open_gate();
}

// Streams that wait for each other in turn, from several threads at once.
TEST_F(Streams, RingsOfWaitsDoNotDeadlock) {
  constexpr int THREADS = 4, ROUNDS = 50;
  std::vector<std::thread> threads;
  for (int t = 0; t < THREADS; ++t) {
    threads.emplace_back([&, t] {
      EXPECT_CU(0, cu.cuCtxSetCurrent(context));
      CUstream own = make(t % 2), other = make();
      CUevent there = nullptr, back = nullptr;
      EXPECT_CU(0, cu.cuEventCreate(&there, 0));
      EXPECT_CU(0, cu.cuEventCreate(&back, 0));
      for (int i = 0; i < ROUNDS; ++i) {
        EXPECT_CU(0, cu.cuEventRecord(there, own));
        EXPECT_CU(0, cu.cuStreamWaitEvent(other, there, 0));
        mark(other, 'x');
        if (i % 5 == 0) mark(nullptr, 'x');
        EXPECT_CU(0, cu.cuEventRecord(back, other));
        EXPECT_CU(0, cu.cuStreamWaitEvent(own, back, 0));
      }
      EXPECT_CU(0, cu.cuStreamDestroy_v2(own));
      EXPECT_CU(0, cu.cuStreamDestroy_v2(other));
    });
  }
  for (auto& thread : threads) thread.join();
  OK(cu.cuCtxSynchronize());
  EXPECT_EQ(size_t{THREADS * (ROUNDS + ROUNDS / 5)}, log().size());
}

TEST_F(Streams, DestroyLetsQueuedWorkFinish) {
  CUstream s = make();
  close_gate(s);
  mark(s, 'x');
  OK(cu.cuStreamDestroy_v2(s));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuStreamQuery(s));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuStreamDestroy_v2(s));
  open_gate();
  OK(cu.cuCtxSynchronize());
  EXPECT_EQ("x", log());
}

TEST_F(Streams, ManyStreams) {
  std::vector<CUstream> all;
  for (int i = 0; i < 300; ++i) all.push_back(make(i % 2));
  for (CUstream s : all) mark(s, 'x');
  OK(cu.cuCtxSynchronize());
  EXPECT_EQ(300u, log().size());
  for (CUstream s : all) OK(cu.cuStreamDestroy_v2(s));
}

TEST_F(Streams, Properties) {
  CUstream s = nullptr;
  unsigned flags = 9;
  int priority = 9;
  CUcontext owner = nullptr;
  CUdevice device = -1;
  unsigned long long id = 0, other_id = 0;
  OK(cu.cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -100));
  OK(cu.cuStreamGetFlags(s, &flags));
  OK(cu.cuStreamGetPriority(s, &priority));
  OK(cu.cuStreamGetCtx(s, &owner));
  OK(cu.cuStreamGetDevice(s, &device));
  OK(cu.cuStreamGetId(s, &id));
  OK(cu.cuStreamGetId(make(), &other_id));
  EXPECT_EQ(static_cast<unsigned>(CU_STREAM_NON_BLOCKING), flags);
  EXPECT_EQ(-5, priority) << "clamped to the range";
  EXPECT_EQ(context, owner);
  EXPECT_EQ(0, device);
  EXPECT_NE(id, other_id);
  OK(cu.cuStreamGetFlags(nullptr, &flags));
  EXPECT_EQ(0u, flags);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuStreamCreate(&s, 2));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuStreamCreate(nullptr, 0));
}

TEST_F(Streams, Attributes) {
  CUstream a = make(), b = make();
  int priority = 0;
  CUstreamAttrValue value{};
  OK(cu.cuStreamGetAttribute(a, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  EXPECT_EQ(-1, static_cast<int>(value.syncPolicy)) << "that of the context";
  value.syncPolicy = CU_SYNC_POLICY_SPIN;
  OK(cu.cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  OK(cu.cuStreamCopyAttributes(b, a));
  value = {};
  OK(cu.cuStreamGetAttribute(b, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  EXPECT_EQ(CU_SYNC_POLICY_SPIN, value.syncPolicy);
  value.priority = -100;
  OK(cu.cuStreamSetAttribute(a, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  OK(cu.cuStreamGetPriority(a, &priority));
  EXPECT_EQ(-5, priority);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuStreamGetAttribute(a, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
}

TEST_F(Streams, HostFunctionsMayNotCallTheDriver) {
  static std::atomic<int> inside;
  inside = -1;
  OK(cu.cuLaunchHostFunc(
      nullptr,
      [](void* p) {
        auto& driver = *static_cast<Driver*>(p);
        inside = driver.cuStreamQuery(nullptr);
        const char* name = nullptr;
        EXPECT_CU(0, driver.cuGetErrorName(CUDA_SUCCESS, &name));
      },
      &cu));
  OK(cu.cuStreamSynchronize(nullptr));
  EXPECT_EQ(CUDA_ERROR_NOT_PERMITTED, inside);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuLaunchHostFunc(nullptr, nullptr, nullptr));
}

TEST_F(Streams, NothingIsEverCaptured) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  OK(cu.cuStreamIsCapturing(nullptr, &status));
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status);
  status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  OK(cu.cuStreamGetCaptureInfo_v3(make(), &status, nullptr, nullptr, nullptr, nullptr, nullptr));
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  OK(cu.cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(CU_STREAM_CAPTURE_MODE_GLOBAL, mode);
  OK(cu.cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(CU_STREAM_CAPTURE_MODE_RELAXED, mode);
}

TEST_F(Streams, MemoryOperations) {
  CUdeviceptr flag = 0;
  OK(cu.cuMemAlloc_v2(&flag, 8));
  OK(cu.cuMemsetD32_v2(flag, 0, 2));
  CUstream waiter = make(CU_STREAM_NON_BLOCKING), writer = make(CU_STREAM_NON_BLOCKING);
  OK(cu.cuCtxSynchronize());
  OK(cu.cuStreamWaitValue32_v2(waiter, flag, 3, CU_STREAM_WAIT_VALUE_GEQ));
  mark(waiter, 'w');
  settle();
  EXPECT_EQ("", log());
  OK(cu.cuStreamWriteValue32_v2(writer, flag, 4, 0));
  OK(cu.cuStreamSynchronize(waiter));
  EXPECT_EQ("w", log());
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuStreamWriteValue32_v2(writer, flag + 2, 4, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuStreamWriteValue64_v2(writer, flag + 8, 4, 0));
  CUdeviceptr pooled = 0;
  OK(cu.cuMemAllocAsync(&pooled, 64, writer));
  OK(cu.cuStreamSynchronize(writer));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuStreamWriteValue32_v2(writer, pooled, 4, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuStreamWaitValue64_v2(writer, pooled, 4, CU_STREAM_WAIT_VALUE_EQ));
}

}  // namespace
}  // namespace cutest
