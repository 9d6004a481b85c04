// SPDX-License-Identifier: Apache-2.0
// A kernel that breaks its context: the reported texts and their source, and the possible recovery.
// Each test runs in a separate process, because a broken context stays broken for all users.
#include <functional>

#include "gpu_testing.hpp"

namespace gpu_test {
namespace {

class Faults : public OnGpu {
 protected:
  // Writes through a null pointer.
  void break_context() {
    const Kernel saxpy = find_kernel(make_ptx_code(), "saxpy");
    const float a = 1;
    const uint64_t nowhere = 0;
    const uint32_t n = 1;
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(nowhere),
                                         CUCORE_ARGUMENT(nowhere), CUCORE_ARGUMENT(n)};
    const cucore_launch_options options = grid(1, 1);
    MUST(cucore_kernel_launch, saxpy, stream_, &options, arguments, 4);
  }
};

// Also by calls that are unrelated to it.
TEST_F(Faults, AreToldAsThoseOfAnEarlierKernel) {
  const Stream other = make_stream(device_);
  const Kernel empty = find_kernel(make_ptx_code(), "empty");
  const cucore_launch_options options = grid(1, 1);
  break_context();
  cucore_device_synchronize(device_, nullptr);
  cucore_event* event = nullptr;
  cucore_buffer* buffer = nullptr;
  const std::function<cucore_status(cucore_error**)> calls[] = {
      [&](auto error) { return cucore_stream_synchronize(stream_, error); },
      [&](auto error) { return cucore_stream_synchronize(other, error); },
      [&](auto error) { return cucore_event_create(device_, nullptr, &event, error); },
      [&](auto error) { return cucore_buffer_create(device_, 64, other, &buffer, error); },
      [&](auto error) { return cucore_kernel_launch(empty, other, &options, nullptr, 0, error); }};
  const bool is_cpu = cucore_device_is_emulated(device_) != 0;
  for (const auto& call : calls) {
    Error error;
    EXPECT_EQ(call(error.out()), CUCORE_ERROR_KERNEL_FAULT);
    const std::string told = cucore_error_message(error);
    EXPECT_EQ(told.find("an earlier kernel broke the context"), 0u) << told;
    EXPECT_TRUE(contains(told, is_cpu ? ": kernel 'saxpy' block (0,0,0)" : "compute-sanitizer"))
        << told;
    EXPECT_TRUE(contains(told, "; found by the attempt to ")) << told;
  }
}

TEST_F(Faults, AreToldByEveryCallThatMeetsThem) {
  Buffer buffer = make_buffer(device_, 64, stream_);
  char bytes[64];
  break_context();
  FAILS(CUCORE_ERROR_KERNEL_FAULT, "device 0|CUDA_ERROR_ILLEGAL_ADDRESS", cucore_stream_synchronize,
        stream_);
  FAILS(CUCORE_ERROR_KERNEL_FAULT, "CUDA_ERROR_ILLEGAL_ADDRESS", cucore_device_synchronize,
        device_);
  FAILS(CUCORE_ERROR_KERNEL_FAULT, "read 64 bytes", cucore_buffer_read, buffer, 0, bytes, 64,
        stream_);
  int32_t done = 7;
  FAILS(CUCORE_ERROR_KERNEL_FAULT, "CUDA_ERROR_ILLEGAL_ADDRESS", cucore_stream_query, stream_,
        &done);
  EXPECT_EQ(done, 0);
  cucore_event* event = nullptr;
  FAILS(CUCORE_ERROR_KERNEL_FAULT, "event", cucore_event_create, device_, nullptr, &event);
}

// Object code loaded before the fault works again after the reset, if the driver makes a new
// context. If it does not, the error states that only a new process helps.
TEST_F(Faults, ResetIsTheWayOnOrSaysThatThereIsNone) {
  const Code code = make_ptx_code();
  const Kernel empty = find_kernel(code, "empty");
  const Event event = make_event(device_);
  break_context();
  EXPECT_EQ(cucore_device_synchronize(device_, nullptr), CUCORE_ERROR_KERNEL_FAULT);
  Error error;
  const cucore_status status = cucore_device_reset(device_, error.out());
  FAILS(CUCORE_ERROR_INVALID_STATE, "stream|cucore_device_reset", cucore_stream_synchronize,
        stream_);
  FAILS(CUCORE_ERROR_INVALID_STATE, "event|cucore_device_reset", cucore_event_synchronize, event);
  if (status != CUCORE_OK) {
    EXPECT_EQ(status, CUCORE_ERROR_KERNEL_FAULT) << describe(status, error);
    EXPECT_TRUE(contains(cucore_error_message(error), "restart the process"))
        << describe(status, error);
    RecordProperty("way_on", "a new process");
    return;
  }
  RecordProperty("way_on", "cucore_device_reset");
  const Stream stream = make_stream(device_);
  const cucore_launch_options options = grid(1, 32);
  SUCCEEDS(cucore_kernel_launch, empty, stream, &options, nullptr, 0);
  SUCCEEDS(cucore_stream_synchronize, stream);
  const Kernel again = find_kernel(code, "saxpy");
  EXPECT_STREQ(cucore_kernel_name(again), "saxpy");
}

TEST_F(Faults, ResetOfAHealthyDeviceKeepsObjectCode) {
  const Code code = make_ptx_code();
  const Kernel empty = find_kernel(code, "empty");
  SUCCEEDS(cucore_device_reset, device_);
  FAILS(CUCORE_ERROR_INVALID_STATE, "stream|make a new one", cucore_stream_synchronize, stream_);
  const Stream stream = make_stream(device_);
  const cucore_launch_options options = grid(1, 32);
  SUCCEEDS(cucore_kernel_launch, empty, stream, &options, nullptr, 0);
  SUCCEEDS(cucore_stream_synchronize, stream);
}

TEST_F(Faults, UnloadedCodeIsLoadedAgain) {
  for (int i = 0; i < 20; ++i) {
    const Code code = make_ptx_code();
    EXPECT_FALSE(cucore_objectcode_is_loaded(code));
    run(find_kernel(code, "empty"), grid(1, 32));
    EXPECT_TRUE(cucore_objectcode_is_loaded(code));
  }
}

TEST_F(Faults, PtxThatTheDriverRefusesBringsItsLog) {
  std::string text(PTX, PTX_SIZE);
  const std::string from = "fma.rn.f32 %f4, %f1, %f2, %f3;";
  text.replace(text.find(from), from.size(), "fma.rn.f32 %f4, %f1, %f2;");
  Code code;
  SUCCEEDS(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, text.data(), text.size(), nullptr,
           code.out());
  Error error;
  EXPECT_EQ(cucore_objectcode_load(code, device_, error.out()), CUCORE_ERROR_INVALID_CODE);
  EXPECT_NE(std::string(cucore_error_log(error)), "") << cucore_error_message(error);
  EXPECT_FALSE(cucore_objectcode_is_loaded(code));
}

TEST_F(Faults, EventsMeasureWhatRanBetweenThem) {
  const Event start = make_event(device_, true), end = make_event(device_, true);
  const Kernel empty = find_kernel(make_ptx_code(), "empty");
  SUCCEEDS(cucore_event_record, start, stream_);
  run(empty, grid(1000, 256));
  SUCCEEDS(cucore_event_record, end, stream_);
  SUCCEEDS(cucore_event_synchronize, end);
  float milliseconds = -1;
  SUCCEEDS(cucore_event_elapsed, start, end, &milliseconds);
  EXPECT_GE(milliseconds, 0);
  EXPECT_LT(milliseconds, 10000);
}

TEST_F(Faults, DefaultStreamsRunKernels) {
  const Kernel empty = find_kernel(make_ptx_code(), "empty");
  for (const auto kind : {CUCORE_DEFAULT_STREAM_LEGACY, CUCORE_DEFAULT_STREAM_PER_THREAD}) {
    Stream stream;
    SUCCEEDS(cucore_device_default_stream, device_, kind, stream.out());
    const cucore_launch_options options = grid(1, 32);
    SUCCEEDS(cucore_kernel_launch, empty, stream, &options, nullptr, 0);
    SUCCEEDS(cucore_stream_synchronize, stream);
  }
}

}  // namespace
}  // namespace gpu_test
