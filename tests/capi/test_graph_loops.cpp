// SPDX-License-Identifier: Apache-2.0
// Many graphs one after the other, with flat memory, and eight threads that use graphs at once.
#include <malloc.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "graph_testing.hpp"

namespace {

using namespace capi_test;

// The long test sets the number.
int loops(int few) {
  const char* const given = std::getenv("CUCORE_TEST_LOOPS");
  return given ? std::atoi(given) : few;
}

size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// The bytes in use of the heap, or 0 if it does not count them. Unlike the resident ones, they do
// not depend on the arenas of threads.
size_t heap_bytes() {
  if (__sanitizer_get_current_allocated_bytes) return __sanitizer_get_current_allocated_bytes();
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

class GraphLoops : public OnGraph {
 protected:
  // The write has a pinned copy of its bytes, which the graph keeps.
  Graph capture(cucore_buffer* x, float value) const {
    const std::vector<float> values(COUNT, value);
    MUST(cucore_stream_begin_capture, stream_, nullptr);
    MUST(cucore_buffer_write, x, 0, values.data(), BYTES, stream_);
    Buffer memory;
    MUST(cucore_buffer_create, device_, BYTES, stream_, memory.out());
    MUST(cucore_buffer_copy, memory, 0, x, 0, BYTES, stream_);
    memory.reset();
    Graph graph;
    MUST(cucore_stream_end_capture, stream_, graph.out());
    return graph;
  }
  // Runs the body, and checks that memory stays flat after the first tenth.
  template <class Body>
  void stays_flat(int count, Body body) const {
    size_t resident = 0, heap = 0;
    for (int i = 0; i < count; ++i) {
      if (i == count / 10) resident = resident_bytes(), heap = heap_bytes();
      body(i);
      // Launches that have not run keep what they use, and a busy machine runs them late.
      if (i % 1000 == 999) MUST(cucore_stream_synchronize, stream_);
    }
    if (fake_) return;                  // it keeps a list of all calls
    constexpr size_t SLACK = 24 << 20;  // of allocators and threads of the library
    EXPECT_LT(resident_bytes(), resident + SLACK);
    if (!is_emulated()) return;  // the heap is also that of NVIDIA's driver
    // A thread of the library releases what the last rounds have used.
    constexpr size_t HEAP_SLACK = 2 << 20;
    comes_true([&] { return heap_bytes() < heap + HEAP_SLACK; });
    EXPECT_LT(heap_bytes(), heap + HEAP_SLACK) << "after " << count << " rounds";
  }
};

TEST_F(GraphLoops, OfCapturedGraphsLeaveNothing) {
  const Buffer x = make_floats(0);
  stays_flat(loops(1000), [&](int i) {
    const Graph graph = capture(x, static_cast<float>(i % 100));
    const Executable executable = make_executable(graph);
    launch(executable);
    EXPECT_EQ(first(x), i % 100);
  });
}

TEST_F(GraphLoops, OfOneNodeBetweenWholeUpdatesLeaveNothing) {
  const Buffer x = make_floats(0), y = make_floats(0);
  const cucore_node fill = add_fill({}, x, 1);
  const Executable executable = make_executable(graph_);
  for (int round = 0; round < 2; ++round) {
    stays_flat(loops(1000), [&](int i) {
      const float value = static_cast<float>(i);
      const Buffer fresh = i % 64 == 0 ? make_floats(0) : Buffer();
      cucore_buffer* const to = i % 64 == 0 ? fresh.get() : i % 2 ? y.get() : x.get();
      MUST(cucore_executable_set_fill, executable, fill, to, 0, BYTES, &value, sizeof value);
      if (i % 16 == 0) MUST(cucore_executable_launch, executable, stream_);
    });
    SUCCEEDS(cucore_executable_update, executable, graph_, nullptr);
    launch(executable);
    EXPECT_EQ(first(x), 1);
  }
}

std::chrono::nanoseconds process_time() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// A release that waits is looked at again and again. Many of them must not keep a core busy.
TEST_F(GraphLoops, ReleasesThatWaitUseLittleTime) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "under sanitizers a pass over the releases takes longer than the longest pause";
#endif
  if (fake_ || !is_emulated()) GTEST_SKIP() << "the time is that of the CPU device";
  constexpr int MANY = 20000;
  const Buffer x = make_floats(0);
  const cucore_node fill = add_fill({}, x, 1);
  const Executable executable = make_executable(graph_);
  launch(executable);
  std::atomic<bool> may_go{false};
  const auto wait = [](void* go) { static_cast<std::atomic<bool>*>(go)->wait(false); };
  MUST(cucore_stream_launch_host, stream_, wait, &may_go, nullptr);
  MUST(cucore_executable_launch, executable, stream_);
  for (int i = 0; i < MANY; ++i) {
    const float value = static_cast<float>(i);
    MUST(cucore_executable_set_fill, executable, fill, x, 0, BYTES, &value, sizeof value);
  }
  using namespace std::chrono_literals;
  const auto before = process_time();
  std::this_thread::sleep_for(1s);
  const auto used = process_time() - before;
  may_go = true;
  may_go.notify_all();
  MUST(cucore_stream_synchronize, stream_);
  EXPECT_LT(used, 350ms);
}

// The driver frees pinned memory after all work of its device, which may never end.
TEST_F(GraphLoops, AReleaseThatWaitsDelaysNoOthers) {
  if (fake_ || !is_emulated()) GTEST_SKIP() << "drivers of GPUs may free pinned memory at once";
  Buffer word, pinned;
  MUST(cucore_buffer_create_pinned, device_, 64, word.out());
  MUST(cucore_buffer_create_pinned, device_, 64, pinned.out());
  auto* const flag = static_cast<std::atomic<uint32_t>*>(cucore_buffer_host_pointer(word));
  flag->store(0);
  const Stream held = make_stream(device_);
  MUST(cucore_stream_wait_value, held, word, 0, 1, 4, CUCORE_COMPARISON_EQUAL);
  pinned.reset();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  static std::atomic<int> ended;
  ended = 0;
  MUST(
      cucore_stream_launch_host, stream_, [](void*) {}, nullptr, [](void*) { ++ended; });
  MUST(cucore_stream_synchronize, stream_);
  EXPECT_TRUE(comes_true([] { return ended == 1; }));
  flag->store(1);
  MUST(cucore_stream_synchronize, held);
}

// Each thread captures, builds, changes and launches; graph and executable of the test are shared.
TEST_F(GraphLoops, OfEightThreadsAtOnce) {
  constexpr int THREADS = 8, TURNS = 30;
  const Buffer shared_target = make_floats(0);
  const cucore_node fill = add_fill({}, shared_target, 1);
  const Executable shared = make_executable(graph_);
  const Graph growing = make_graph(device_);
  std::atomic<int> failures{0};
  const auto turn = [&](const cucore_stream* stream, cucore_buffer* x, cucore_buffer* y, int i) {
    const float value = static_cast<float>(i + 1);
    float read = 0;
    // A capture, with memory of its own.
    MUST(cucore_stream_begin_capture, stream, nullptr);
    MUST(cucore_buffer_fill, x, 0, BYTES, &value, 4, stream);
    Buffer memory;
    MUST(cucore_buffer_create, device_, BYTES, stream, memory.out());
    MUST(cucore_buffer_copy, memory, 0, x, 0, BYTES, stream);
    MUST(cucore_buffer_copy, y, 0, memory, 0, BYTES, stream);
    memory.reset();
    Graph captured;
    MUST(cucore_stream_end_capture, stream, captured.out());
    const Executable of_capture = make_executable(captured);
    MUST(cucore_executable_launch, of_capture, stream);
    MUST(cucore_buffer_read, y, 0, &read, 4, stream);
    failures += read != value;
    // A graph by hand, whose executable is changed.
    const Graph built = make_graph(device_);
    cucore_node node = 0, copy = 0;
    MUST(cucore_graph_add_fill, built, nullptr, 0, x, 0, BYTES, &value, 4, &node);
    MUST(cucore_graph_add_copy, built, &node, 1, y, 0, x, 0, BYTES, &copy);
    const Executable executable = make_executable(built);
    const float other = -value;
    MUST(cucore_executable_set_fill, executable, node, x, 0, BYTES, &other, 4);
    MUST(cucore_executable_launch, executable, stream);
    MUST(cucore_buffer_read, y, 0, &read, 4, stream);
    failures += read != other;
    MUST(cucore_executable_update, executable, built, nullptr);
    MUST(cucore_executable_launch, executable, stream);
    MUST(cucore_buffer_read, y, 0, &read, 4, stream);
    failures += read != value;
    // The objects that all threads share.
    MUST(cucore_executable_set_fill, shared, fill, shared_target, 0, BYTES, &value, 4);
    MUST(cucore_executable_launch, shared, stream);
    if (i % 4 == 0) MUST(cucore_executable_update, shared, graph_, nullptr);
    cucore_node added = 0;
    MUST(cucore_graph_add_fill, growing, nullptr, 0, x, 0, BYTES, &value, 4, &added);
    if (i % 2) MUST(cucore_graph_remove_node, growing, added);
    MUST(cucore_stream_synchronize, stream);
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < THREADS; ++t)
    threads.emplace_back([&] {
      try {
        const Stream stream = make_stream(device_);
        const Buffer x = make_buffer(device_, BYTES, stream);
        const Buffer y = make_buffer(device_, BYTES, stream);
        for (int i = 0; i < TURNS; ++i) turn(stream, x, y, i);
      } catch (const std::exception& error) {
        ++failures;
        ADD_FAILURE() << error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(cucore_graph_node_count(growing), static_cast<size_t>(THREADS * TURNS / 2));
}

}  // namespace
