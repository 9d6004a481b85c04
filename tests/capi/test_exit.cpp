// SPDX-License-Identifier: Apache-2.0
// Exits while other threads are stopped at any point, forever. A virtual machine ends a process in
// this way if it suspends its threads before it calls exit, as Mono does. The stopped threads may
// hold the library's locks.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "completion_testing.hpp"

namespace {

using namespace capi_test;

struct World {
  Device device = open_device();
  Stream stream = make_stream(device);
  Queue queue = make_queue();
  Kernel kernel = find_kernel(make_ptx_code(), "empty");
  std::vector<Future> pending;
};

World& world() {
  static auto* all = new World;
  return *all;
}

void synchronize() { cucore_device_synchronize(world().device, nullptr); }

void launch() {
  const cucore_launch_options options = grid(1, 1);
  cucore_kernel_launch(world().kernel, world().stream, &options, nullptr, 0, nullptr);
}

void await() {
  cucore_completion out[4];
  size_t count = 0;
  make_future(world().stream, world().queue, 1);
  cucore_queue_wait(world().queue, 1000, out, 4, &count, nullptr);
}

void create_and_release() {
  const Event event = make_event(world().device);
  const Buffer buffer = make_buffer(world().device, 64, world().stream);
  find_kernel(make_ptx_code(), "empty");
}

std::atomic<size_t> stopped{0};

void stop(int) {
  ++stopped;
  for (;;) pause();
}

[[noreturn]] void exit_with_stopped_threads(unsigned after_us) {
  struct sigaction action {};
  action.sa_handler = stop;
  sigaction(SIGUSR2, &action, nullptr);
  // These run first here. A call of atexit allocates memory that exit frees, and exit hangs if a
  // stopped thread holds the lock of that heap.
  for (void (*work)() : {synchronize, launch, await, create_and_release}) work();
  std::vector<pthread_t> threads;
  for (void (*work)() : {synchronize, launch, await, create_and_release}) {
    std::thread thread([work] {
      for (;;) work();
    });
    threads.push_back(thread.native_handle());
    thread.detach();
  }
  for (int i = 0; i < 10; ++i)
    world().pending.push_back(make_future(world().stream, world().queue, 2));
  usleep(after_us);
  for (const pthread_t thread : threads) pthread_kill(thread, SIGUSR2);
  while (stopped != threads.size()) usleep(10);
  alarm(20);  // ends a hang by a signal
  std::exit(0);
}

TEST(ProcessExit, WhileThreadsAreStopped) {
  if (!has_device()) GTEST_SKIP() << "no device";
  if (__sanitizer_get_current_allocated_bytes)
    GTEST_SKIP() << "a sanitizer's own locks may be held by a stopped thread";
  // At exit libcuda (580) frees memory, and waits for the heap's lock if a stopped thread holds it.
  if (!fake_driver() && !cucore_device_is_emulated(open_device()))
    GTEST_SKIP() << "NVIDIA's driver waits for stopped threads itself";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (unsigned round = 0; round < 10; ++round)
    EXPECT_EXIT(exit_with_stopped_threads(1000 + round * 137), testing::ExitedWithCode(0), "^$");
}

}  // namespace
