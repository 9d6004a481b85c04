// SPDX-License-Identifier: Apache-2.0
// The host's cost of a launch that a session counts and does not time:
//
//   session_cost [--limit_ns=N]
//
// Batches of launches with a session and without alternate. The figure is the median difference of
// the CPU time of a launch. It is measured for 1 thread, and for 8 that launch one kernel. The
// driver is bench/perf/quiet_driver.cpp, whose events take no time, so that hardly any launch is
// timed.
#include <cucore_perf.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr char PTX[] = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 b, .param .f32 c) { ret; }
)";
constexpr int WARM_UP = 2000, LAUNCHES = 20000, PAIRS = 21;

#define MUST(function, ...)                                                                   \
  do {                                                                                        \
    cucore_error* error = nullptr;                                                            \
    if (function(__VA_ARGS__, &error) != CUCORE_OK) {                                         \
      std::fprintf(stderr, "session_cost: " #function ": %s\n", cucore_error_message(error)); \
      std::exit(1);                                                                           \
    }                                                                                         \
  } while (0)

double cpu_nanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

struct World {
  World() {
    MUST(cucore_device_open, 0, &device);
    MUST(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, PTX, sizeof PTX - 1, nullptr, &code);
    MUST(cucore_objectcode_find_kernel, code, "k", &kernel);
    cucore_profiler_options options = CUCORE_PROFILER_OPTIONS_INIT;
    options.source = CUCORE_PROFILER_SOURCE_EVENTS;
    MUST(cucore_profiler_create, &options, &profiler);
  }
  cucore_device* device = nullptr;
  cucore_objectcode* code = nullptr;
  cucore_kernel* kernel = nullptr;
  cucore_profiler* profiler = nullptr;
};

void launch(const World& world, const cucore_stream* stream, int count) {
  cucore_launch_options how = CUCORE_LAUNCH_OPTIONS_INIT;
  how.grid[0] = how.block[0] = 1;
  const uint64_t a = 0;
  const uint32_t b = 1;
  const float c = 2;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(b), CUCORE_ARGUMENT(c)};
  for (int i = 0; i < count; ++i)
    MUST(cucore_kernel_launch, world.kernel, stream, &how, arguments, 3);
}

// Returns the mean CPU time of a launch of the threads.
double launch_nanoseconds(const World& world, int threads) {
  std::vector<double> nanoseconds(static_cast<size_t>(threads));
  std::vector<std::thread> running;
  std::atomic<int> ready{0};
  for (double& one : nanoseconds)
    running.emplace_back([&world, &one, &ready, threads] {
      cucore_stream* stream = nullptr;
      MUST(cucore_stream_create, world.device, nullptr, &stream);
      launch(world, stream, WARM_UP);
      ++ready;
      while (ready < threads) std::this_thread::yield();
      const double begin = cpu_nanoseconds();
      launch(world, stream, LAUNCHES);
      one = (cpu_nanoseconds() - begin) / LAUNCHES;
      cucore_stream_release(stream);
    });
  double sum = 0;
  for (std::thread& thread : running) thread.join();
  for (const double one : nanoseconds) sum += one;
  return sum / threads;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + PAIRS / 2, values.end());
  return values[PAIRS / 2];
}

// Pairs run A B B A. Returns the median difference.
double compare(const World& world, int threads) {
  std::vector<double> without, with, differences;
  for (int pair = 0; pair < PAIRS; ++pair) {
    for (int side = 0; side < 2; ++side) {
      if ((pair + side) % 2 == 0) {
        without.push_back(launch_nanoseconds(world, threads));
        continue;
      }
      MUST(cucore_profiler_begin, world.profiler);
      with.push_back(launch_nanoseconds(world, threads));
      cucore_report* report = nullptr;
      MUST(cucore_profiler_end, world.profiler, &report);
      cucore_report_release(report);
    }
    differences.push_back(with.back() - without.back());
  }
  const double difference = median(differences);
  std::printf("%d threads: %.1f ns per launch without, %.1f with, difference %.1f\n", threads,
              median(without), median(with), difference);
  return difference;
}

}  // namespace

int main(int count, char** arguments) {
  double limit = 0;
  for (int i = 1; i < count; ++i)
    if (std::strncmp(arguments[i], "--limit_ns=", 11) == 0) limit = std::atof(arguments[i] + 11);
  const World world;
  bool is_over = false;
  for (const int threads : {1, 8}) is_over |= compare(world, threads) > limit;
  return limit > 0 && is_over;
}
