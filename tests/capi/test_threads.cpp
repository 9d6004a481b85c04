// SPDX-License-Identifier: Apache-2.0
// Many threads use one object at the same time.
#include <atomic>
#include <set>
#include <thread>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

constexpr size_t THREADS = 64;

// Runs the body in all threads, after all have started.
template <class Body>
void together(Body&& body) {
  std::atomic<size_t> waiting{THREADS};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < THREADS; ++i)
    threads.emplace_back([&, i] {
      for (--waiting; waiting.load() != 0;) std::this_thread::yield();
      body(i);
    });
  for (std::thread& thread : threads) thread.join();
}

class Threads : public OnDevice {};

TEST_F(Threads, FindOneKernelWithOneLoad) {
  const Code code = make_ptx_code();
  if (fake_) fake_->delay_call("cuLibraryLoadData", 50);
  std::vector<cucore_kernel*> kernels(THREADS);
  std::atomic<int> failures{0};
  together([&](size_t i) {
    failures += cucore_objectcode_find_kernel(code, "saxpy", &kernels[i], nullptr) != CUCORE_OK;
  });
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(std::set<cucore_kernel*>(kernels.begin(), kernels.end()).size(), 1u);
  for (cucore_kernel* kernel : kernels) cucore_kernel_release(kernel);
  EXPECT_STREQ(cucore_kernel_name(kernels[0]), "") << "a reference too many";
  if (!fake_) return;
  EXPECT_EQ(fake_->call_count("cuLibraryLoadData"), 1u);
}

TEST_F(Threads, FindAndReleaseOverAndOver) {
  const Code code = make_ptx_code();
  std::atomic<int> failures{0};
  together([&](size_t i) {
    for (int round = 0; round < 50; ++round) {
      Kernel kernel;
      failures += cucore_objectcode_find_kernel(code, i % 2 ? "saxpy" : "empty", kernel.out(),
                                                nullptr) != CUCORE_OK;
      failures += std::string(cucore_kernel_name(kernel)) != (i % 2 ? "saxpy" : "empty");
    }
  });
  EXPECT_EQ(failures, 0);
}

TEST_F(Threads, LaunchAndRecordOnOneStream) {
  const Code code = make_ptx_code();
  const Kernel kernel = find_kernel(code, "empty");
  const Event event = make_event(device_);
  std::atomic<int> failures{0};
  together([&](size_t) {
    const cucore_launch_options options = grid(1, 32);
    for (int round = 0; round < 20; ++round) {
      failures += cucore_kernel_launch(kernel, stream_, &options, nullptr, 0, nullptr) != CUCORE_OK;
      failures += cucore_event_record(event, stream_, nullptr) != CUCORE_OK;
    }
  });
  EXPECT_EQ(failures, 0);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  if (fake_) {
    EXPECT_EQ(fake_->launch_count(), THREADS * 20);
  }
}

TEST_F(Threads, RaiseTheSharedMemoryOfOneKernel) {
  NEEDS_FAKE_DRIVER();
  const Kernel kernel = find_kernel(make_ptx_code(), "empty");
  std::atomic<int> failures{0};
  together([&](size_t i) {
    cucore_launch_options options = grid(1, 32);
    options.dynamic_shared = static_cast<uint32_t>(50000 + 1000 * i);
    failures += cucore_kernel_launch(kernel, stream_, &options, nullptr, 0, nullptr) != CUCORE_OK;
  });
  EXPECT_EQ(failures, 0);
}

TEST_F(Threads, RetainAndReleaseOneHandle) {
  Stream stream = make_stream(device_);
  together([&](size_t) {
    for (int round = 0; round < 200; ++round) cucore_stream_release(cucore_stream_retain(stream));
  });
  SUCCEEDS(cucore_stream_synchronize, stream);
}

TEST_F(Threads, OpenOneDevice) {
  std::vector<cucore_device*> devices(THREADS);
  together([&](size_t i) { cucore_device_open(0, &devices[i], nullptr); });
  for (cucore_device* device : devices) {
    EXPECT_EQ(device, device_.get());
    cucore_device_release(device);
  }
}

TEST_F(Threads, CompileAtTheSameTime) {
  NEEDS_FAKE_COMPILER();
  const Program program = make_program(SAXPY_SOURCE);
  std::atomic<int> failures{0};
  together([&](size_t) {
    Code code;
    failures += cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, nullptr, 0, code.out(),
                                       nullptr) != CUCORE_OK;
  });
  EXPECT_EQ(failures, 0);
}

// One error each, while the log's receiver is replaced.
TEST_F(Threads, FailAtTheSameTime) {
  std::atomic<int> destroyed{0}, wrong{0};
  together([&](size_t i) {
    if (i % 8 == 0)
      cucore_log_set_callback([](cucore_log_level, const char*, void*) {}, CUCORE_LOG_DEBUG,
                              &destroyed,
                              [](void* data) { ++*static_cast<std::atomic<int>*>(data); }, nullptr);
    for (int round = 0; round < 50; ++round) {
      Error error;
      wrong += cucore_stream_synchronize(nullptr, error.out()) != CUCORE_ERROR_INVALID_ARGUMENT;
      wrong += !contains(cucore_error_message(error), "stream");
    }
  });
  cucore_log_set_callback(nullptr, CUCORE_LOG_DEBUG, nullptr, nullptr, nullptr);
  EXPECT_EQ(destroyed, 8);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
