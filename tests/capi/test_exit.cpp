// SPDX-License-Identifier: Apache-2.0
// Exits while other threads are stopped at any point, forever. A virtual machine ends a process in
// this way if it suspends its threads before it calls exit, as Mono does. The stopped threads may
// hold the library's locks. Another test exits while graphs live.
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

// A function of a graph that never returns.
void wait_forever(void* began) {
  *static_cast<std::atomic<bool>*>(began) = true;
  for (;;) pause();
}

// Graphs, executables, clones, bodies, a capture and launches in flight live at the exit.
[[noreturn]] void exit_with_graphs(bool is_in_flight) {
  struct Graphs {
    Graph graph, clone, captured;
    Executable executable, other;
    Buffer buffer;
    Stream capturing = make_stream(world().device);
    std::atomic<bool> began{false};
  };
  static auto* const all = new Graphs;
  const cucore_stream* const stream = world().stream;
  const cucore_launch_options options = grid(1, 1);
  all->graph = make_graph(world().device);
  all->buffer = make_buffer(world().device, 64, stream);
  cucore_node kernel = 0, fill = 0, host = 0;
  const uint32_t zero = 0;
  MUST(cucore_graph_add_kernel, all->graph, nullptr, 0, world().kernel, &options, nullptr, 0,
       &kernel);
  MUST(cucore_graph_add_fill, all->graph, &kernel, 1, all->buffer, 0, 64, &zero, 4, &fill);
  MUST(cucore_graph_clone, all->graph, all->clone.out());
  all->other = make_executable(all->clone);
  MUST(cucore_stream_begin_capture, stream, nullptr);
  MUST(cucore_kernel_launch, world().kernel, stream, &options, nullptr, 0);
  MUST(cucore_buffer_fill, all->buffer, 0, 64, &zero, 4, stream);
  MUST(cucore_stream_end_capture, stream, all->captured.out());
  for (int i = 0; i < 10; ++i) MUST(cucore_executable_launch, all->other, stream);
  if (is_in_flight) {
    MUST(cucore_graph_add_host, all->graph, &fill, 1, wait_forever, &all->began, nullptr, &host);
    all->executable = make_executable(all->graph);
    MUST(cucore_executable_launch, all->executable, stream);
    while (!all->began) usleep(10);
  }
  MUST(cucore_stream_begin_capture, all->capturing, nullptr);
  MUST(cucore_kernel_launch, world().kernel, all->capturing, &options, nullptr, 0);
  alarm(20);  // ends a hang by a signal
  std::exit(0);
}

TEST(ProcessExit, WithGraphsAlive) {
  if (!has_device()) GTEST_SKIP() << "no device";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit_with_graphs(false), testing::ExitedWithCode(0), "^$");
  // The scripted driver calls host functions in the call that launches them.
  if (fake_driver()) return;
  EXPECT_EXIT(exit_with_graphs(true), testing::ExitedWithCode(0), "^$");
}

}  // namespace
