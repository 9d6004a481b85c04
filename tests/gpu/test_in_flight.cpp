// SPDX-License-Identifier: Apache-2.0
// Unloading during use: the last reference ends while a kernel or a host function runs. It also
// ends while another thread captures, and between capture and launch of a graph. Results stay right
// and no release waits.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "capi/native_capture.hpp"
#include "gpu_testing.hpp"

namespace gpu_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto LONGEST_RELEASE = std::chrono::microseconds(100);

// Runs for the given number of nanoseconds, then writes.
constexpr char SLOW_SOURCE[] = R"(
extern "C" __global__ void slow(int* out, unsigned long long nanoseconds, int value) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
  *out = value;
})";
constexpr char QUICK[] =
    "extern \"C\" __global__ void quick(int* out, int value) { *out += value; }";

class InFlight : public OnGpu {
 protected:
  Code code_of(const char* source) const {
    return compile(make_program(source), CUCORE_CODE_TYPE_PTX);
  }
  template <class... A>
  static void start(const cucore_kernel* kernel, const cucore_stream* stream, const A&... values) {
    const cucore_argument arguments[] = {{&values, sizeof values}...};
    const cucore_launch_options one = grid(1, 1);
    MUST(cucore_kernel_launch, kernel, stream, &one, arguments, sizeof...(A));
  }
  // Releases the last references of both; returns the time of the slower call.
  static Clock::duration release(Kernel& kernel, Code& code) {
    const auto begin = Clock::now();
    kernel.reset();
    const auto between = Clock::now();
    code.reset();
    return std::max(between - begin, Clock::now() - between);
  }

  static void expect_quick(Clock::duration release) {
    EXPECT_LT(release, LONGEST_RELEASE)
        << std::chrono::duration_cast<std::chrono::microseconds>(release).count() << " us";
  }

  const unsigned long long SECOND_ = 1'000'000'000;
};

// The first release of a process starts nothing that later ones do not need, so all are measured.
TEST_F(InFlight, ReleaseDoesNotWaitForAKernel) {
  Clock::duration longest{};
  for (int i = 0; i < 3; ++i) {
    Code code = code_of(SLOW_SOURCE);
    Kernel slow = find_kernel(code, "slow");
    const Array<int> out(*this, {0});
    start(slow, stream_, out.address(), SECOND_, 40 + i);
    longest = std::max(longest, release(slow, code));
    int32_t done = 1;
    SUCCEEDS(cucore_stream_query, stream_, &done);
    EXPECT_EQ(done, 0) << "the kernel was over before the release";
    EXPECT_EQ(out.read().front(), 40 + i);
  }
  expect_quick(longest);
  RecordProperty(
      "longest_release_ns",
      std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(longest).count()));
}

// Uses the strictest mode, in which an unsafe call of any thread breaks the capture.
TEST_F(InFlight, ReleaseDoesNotBreakACaptureOfAnotherThread) {
  const NativeGraphs driver;
  if (!driver) GTEST_SKIP() << "needs a driver with graphs";
  const Code quick_code = code_of(QUICK);
  const Kernel quick = find_kernel(quick_code, "quick");
  const Array<int> out(*this, {0}), other(*this, {0});
  run(quick, grid(1, 1), out, 0);
  const Stream captured = make_stream(device_);
  Code code = code_of(SLOW_SOURCE);
  Kernel slow = find_kernel(code, "slow");
  start(slow, stream_, other.address(), SECOND_ / 5, 9);

  std::atomic<int> step{0};
  Clock::duration took{};
  ASSERT_EQ(driver.begin(captured), CUDA_SUCCESS);
  std::thread releaser([&] {
    took = release(slow, code);
    // While the capture is open, the kernel ends and the library's thread tries to unload.
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    step = 1;
  });
  for (int i = 0; i < 5; ++i) start(quick, captured, out.address(), 1);
  while (!step) std::this_thread::yield();
  releaser.join();
  CUgraph graph = nullptr;
  ASSERT_EQ(driver.end(captured, graph), CUDA_SUCCESS) << "the capture was broken";
  CUgraphExec exec = nullptr;
  ASSERT_EQ(driver.instantiate(exec, graph), CUDA_SUCCESS);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(driver.launch(exec, captured), CUDA_SUCCESS);
  SUCCEEDS(cucore_stream_synchronize, captured);
  EXPECT_EQ(out.read().front(), 15);
  EXPECT_EQ(other.read().front(), 9);
  expect_quick(took);
  driver.destroy(graph, exec);
}

bool comes_true(const std::atomic<bool>& word) {
  for (int i = 0; i < 20000 && !word; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return word;
}

// A host function of one second, the data of a graph.
struct Second {
  std::atomic<bool> has_begun{false}, has_ended{false}, is_destroyed{false},
      was_destroyed_early{false};
  static void run(void* data) {
    auto* const self = static_cast<Second*>(data);
    self->has_begun = true;
    std::this_thread::sleep_for(std::chrono::seconds(1));
    self->has_ended = true;
  }
  static void destroy(void* data) {
    auto* const self = static_cast<Second*>(data);
    self->was_destroyed_early = !self->has_ended;
    self->is_destroyed = true;
  }
};

TEST_F(InFlight, ReleaseOfAnExecutableDoesNotWaitForItsHostFunction) {
  if (is_emulated()) GTEST_SKIP() << "measures a GPU";
  static std::array<Second, 5> seconds;  // a failure leaves this function before its launch ends
  std::vector<Clock::duration> releases;
  size_t still_running = 0;
  for (Second& second : seconds) {
    Graph graph = make_graph(device_);
    cucore_node node = 0;
    SUCCEEDS(cucore_graph_add_host, graph, nullptr, 0, Second::run, &second, Second::destroy,
             &node);
    Executable executable = make_executable(graph);
    graph.reset();
    SUCCEEDS(cucore_executable_launch, executable, stream_);
    ASSERT_TRUE(comes_true(second.has_begun));
    const auto begin = Clock::now();
    executable.reset();
    releases.push_back(Clock::now() - begin);
    still_running += !second.has_ended;
    SUCCEEDS(cucore_stream_synchronize, stream_);
    EXPECT_TRUE(second.has_ended);
    ASSERT_TRUE(comes_true(second.is_destroyed));
    EXPECT_FALSE(second.was_destroyed_early);
  }
  EXPECT_GT(still_running, releases.size() / 2) << "host functions were over before the release";
  std::ranges::sort(releases);
  const Clock::duration median = releases[releases.size() / 2];
  expect_quick(median);
  RecordProperty(
      "median_release_of_an_executable_ns",
      std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(median).count()));
}

// The graph outlives every reference that the program held during the capture or until the launch.
class AGraphInFlight : public InFlight {
 protected:
  enum class Released { WITHIN_THE_CAPTURE, BEFORE_THE_LAUNCH };

  void still_runs_what_was(Released released) {
    const NativeGraphs driver;
    if (!driver) GTEST_SKIP() << "needs a driver with graphs";
    const Array<int> out(*this, {0});
    Code code = code_of(QUICK);
    Kernel quick = find_kernel(code, "quick");
    run(quick, grid(1, 1), out, 1);
    const Stream captured = make_stream(device_);
    ASSERT_EQ(driver.begin(captured), CUDA_SUCCESS);
    start(quick, captured, out.address(), 10);
    Clock::duration took{};
    if (released == Released::WITHIN_THE_CAPTURE) took = release(quick, code);
    CUgraph graph = nullptr;
    ASSERT_EQ(driver.end(captured, graph), CUDA_SUCCESS) << "the capture was broken";
    CUgraphExec exec = nullptr;
    ASSERT_EQ(driver.instantiate(exec, graph), CUDA_SUCCESS);
    if (released == Released::BEFORE_THE_LAUNCH) took = release(quick, code);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    for (int i = 0; i < 3; ++i) ASSERT_EQ(driver.launch(exec, captured), CUDA_SUCCESS);
    SUCCEEDS(cucore_stream_synchronize, captured);
    EXPECT_EQ(out.read().front(), 31);
    expect_quick(took);
    driver.destroy(graph, exec);
  }
};

TEST_F(AGraphInFlight, StillRunsWhatWasReleasedDuringItsCapture) {
  still_runs_what_was(Released::WITHIN_THE_CAPTURE);
}

TEST_F(AGraphInFlight, StillRunsWhatWasReleasedBeforeItsLaunch) {
  still_runs_what_was(Released::BEFORE_THE_LAUNCH);
}

}  // namespace
}  // namespace gpu_test
