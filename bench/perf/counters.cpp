// SPDX-License-Identifier: Apache-2.0
// Profiles of one process on a GPU, as JSON. "counters", "counts" and "events" profile the kernels,
// and "emulated" counts them on the CPU device.
// "range" counts several as a whole, and "launches" only launches them, for another profiler.
// "overhead" compares a loop with and without a session, "memory" is the growth of a long session,
// and "activity" the time of short blocks.
#include <cucore_perf.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "counted_kernels.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr int STREAMS = 4, LAUNCHES = 5;
constexpr double SECONDS = 0.1;  // of a loop whose overhead is measured
constexpr size_t SHORT_BLOCKS = size_t{1} << 20;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void must(cucore_status status, cucore_error* error, const char* what) {
  if (status == CUCORE_OK) return;
  std::fprintf(stderr, "%s: %s\n%s\n", what, cucore_error_message(error), cucore_error_log(error));
  std::exit(1);
}
#define MUST(call)                 \
  do {                             \
    cucore_error* error = nullptr; \
    must(call, error, #call);      \
  } while (0)

struct World {
  World(size_t elements) {
    MUST(cucore_device_open(0, &device, &error));
    for (cucore_stream*& stream : streams)
      MUST(cucore_stream_create(device, nullptr, &stream, &error));
    for (cucore_buffer*& buffer : buffers) {
      MUST(cucore_buffer_create(device, 4 * elements, streams[0], &buffer, &error));
      MUST(cucore_buffer_fill(buffer, 0, 4 * elements, "\0", 1, streams[0], &error));
    }
    cucore_program* program = nullptr;
    MUST(cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, counted::SOURCE,
                               sizeof counted::SOURCE - 1, nullptr, &program, &error));
    const cucore_code_type type =
        cucore_device_is_emulated(device) ? CUCORE_CODE_TYPE_PTX : CUCORE_CODE_TYPE_CUBIN;
    MUST(cucore_program_compile(program, type, nullptr, 0, &code, &error));
    cucore_program_release(program);
    wait();
  }
  void wait() {
    for (cucore_stream* stream : streams) MUST(cucore_stream_synchronize(stream, &error));
  }
  cucore_kernel* find(const char* name) {
    cucore_kernel* kernel = nullptr;
    MUST(cucore_objectcode_find_kernel(code, name, &kernel, &error));
    return kernel;
  }
  void launch(cucore_kernel* kernel, const uint32_t (&grid)[2], const uint32_t (&block)[2],
              uint32_t n, int stream = 0) {
    MUST(launch_on(streams[stream], kernel, grid, block, n, &error));
  }
  cucore_status launch_on(const cucore_stream* stream, cucore_kernel* kernel,
                          const uint32_t (&grid)[2], const uint32_t (&block)[2], uint32_t n,
                          cucore_error** error) {
    cucore_launch_options how = CUCORE_LAUNCH_OPTIONS_INIT;
    std::copy(grid, grid + 2, how.grid);
    std::copy(block, block + 2, how.block);
    const cucore_argument arguments[] = {{buffers[0], CUCORE_ARGUMENT_OBJECT},
                                         {buffers[1], CUCORE_ARGUMENT_OBJECT},
                                         {buffers[2], CUCORE_ARGUMENT_OBJECT},
                                         CUCORE_ARGUMENT(n)};
    return cucore_kernel_launch(kernel, stream, &how, arguments, 4, error);
  }

  cucore_device* device = nullptr;
  cucore_stream* streams[STREAMS] = {};
  cucore_buffer* buffers[3] = {};
  cucore_objectcode* code = nullptr;
};

cucore_profiler* profiler_of(cucore_profiler_source source, const char* preset, bool timeline) {
  cucore_profiler_options options = CUCORE_PROFILER_OPTIONS_INIT;
  options.source = source;
  options.preset = preset;
  options.timeline = timeline ? CUCORE_TOGGLE_ON : CUCORE_TOGGLE_OFF;
  cucore_profiler* profiler = nullptr;
  MUST(cucore_profiler_create(&options, &profiler, &error));
  return profiler;
}

std::string text_of(cucore_report* report) {
  size_t size = 0;
  MUST(cucore_report_write(report, CUCORE_REPORT_FORMAT_JSON, nullptr, 0, &size, &error));
  std::string text(size, '\0');
  MUST(cucore_report_write(report, CUCORE_REPORT_FORMAT_JSON, text.data(), size, &size, &error));
  text.resize(size - 1);
  return text;
}

void run_kernels(World& world, int launches) {
  for (const counted::Kernel& each : counted::KERNELS) {
    cucore_kernel* const kernel = world.find(each.name);
    for (int i = 0; i < launches; ++i) {
      world.launch(kernel, each.grid, each.block, counted::N);
      world.wait();  // as profilers do that run a kernel several times
    }
    cucore_kernel_release(kernel);
  }
}

void profile_kernels(cucore_profiler_source source, const char* preset, int launches,
                     int warm_up = 2) {
  World world(counted::N);
  run_kernels(world, warm_up);
  cucore_profiler* const profiler = profiler_of(source, preset, false);
  MUST(cucore_profiler_begin(profiler, &error));
  run_kernels(world, launches);
  cucore_report* report = nullptr;
  MUST(cucore_profiler_end(profiler, &report, &error));
  std::printf("%s\n", text_of(report).c_str());
}

cucore_status run_range(const cucore_stream* stream, void* user_data, cucore_error** error) {
  auto& world = *static_cast<World*>(user_data);
  for (const counted::Kernel& each : counted::KERNELS) {
    if (!each.is_streaming) continue;
    cucore_kernel* const kernel = world.find(each.name);
    const cucore_status status =
        world.launch_on(stream, kernel, each.grid, each.block, counted::N, error);
    cucore_kernel_release(kernel);
    if (status != CUCORE_OK) return status;
  }
  return CUCORE_OK;
}

void profile_range() {
  World world(counted::N);
  run_kernels(world, 1);
  cucore_profiler* const profiler = profiler_of(CUCORE_PROFILER_SOURCE_COUNTERS, "memory", false);
  MUST(cucore_profiler_begin(profiler, &error));
  MUST(cucore_profiler_run(profiler, "streaming kernels", run_range, &world, &error));
  cucore_report* report = nullptr;
  MUST(cucore_profiler_end(profiler, &report, &error));
  std::printf("%s\n", text_of(report).c_str());
}

// -- Overhead ------------------------------------------------------------------------------------

struct Interval {
  double median, low, high;
};

// The 95 % interval of the median, from order statistics.
Interval interval_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  const auto at = [&](double rank) {
    return values[static_cast<size_t>(std::clamp(rank, 0.0, n - 1))];
  };
  const double half = 0.98 * std::sqrt(n);
  return {at(n / 2), at(std::floor(n / 2 - half)), at(std::ceil(n / 2 + half) - 1)};
}

double loop_seconds(World& world, cucore_kernel* kernel, uint32_t steps, int launches) {
  const auto begin = Clock::now();
  for (int i = 0; i < launches; ++i) world.launch(kernel, {1, 1}, {64, 1}, steps, i % STREAMS);
  world.wait();
  return seconds_since(begin);
}

// Pairs run A B B A.
void compare(World& world, cucore_kernel* kernel, double microseconds, double step, bool timeline) {
  const auto steps = static_cast<uint32_t>(microseconds * 1e-6 / step);
  const int launches =
      static_cast<int>(std::clamp(SECONDS * STREAMS / (microseconds * 1e-6), 80.0, 30000.0));
  cucore_profiler* const profiler = profiler_of(CUCORE_PROFILER_SOURCE_AUTO, nullptr, timeline);
  std::vector<double> ratios;
  std::vector<double> plain, profiled;
  for (int pair = 0; pair < 21; ++pair) {
    double with = 0, without = 0;
    for (int side = 0; side < 2; ++side) {
      if ((pair + side) % 2 == 0) {
        without = loop_seconds(world, kernel, steps, launches);
        continue;
      }
      MUST(cucore_profiler_begin(profiler, &error));
      with = loop_seconds(world, kernel, steps, launches);
      cucore_report* report = nullptr;
      MUST(cucore_profiler_end(profiler, &report, &error));
      cucore_report_release(report);
    }
    ratios.push_back(with / without);
    plain.push_back(without);
    profiled.push_back(with);
  }
  const Interval ratio = interval_of(ratios);
  std::printf(
      "{\"kernel_us\": %.0f, \"launches\": %d, \"timeline\": %s, \"plain_ms\": %.3f, "
      "\"profiled_ms\": %.3f, \"ratio\": %.4f, \"low\": %.4f, \"high\": %.4f}",
      microseconds, launches, timeline ? "true" : "false", interval_of(plain).median * 1e3,
      interval_of(profiled).median * 1e3, ratio.median, ratio.low, ratio.high);
}

void measure_overhead() {
  World world(1 << 20);
  cucore_kernel* const kernel = world.find("busy");
  (void)loop_seconds(world, kernel, 1000, 1000);
  const double step = loop_seconds(world, kernel, 100000, 400) / (100000.0 * 400 / STREAMS);
  std::printf("[");
  bool is_first = true;
  for (const bool timeline : {false, true})
    for (const double microseconds : {5.0, 20.0, 100.0, 1000.0}) {
      std::printf("%s", std::exchange(is_first, false) ? "" : ",\n");
      compare(world, kernel, microseconds, step, timeline);
    }
  std::printf("]\n");
}

// -- Memory --------------------------------------------------------------------------------------

long resident_kilobytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  long all = 0, resident = 0;
  if (!file || std::fscanf(file, "%ld %ld", &all, &resident) != 2) resident = 0;
  if (file) std::fclose(file);
  return resident * 4;
}

void measure_memory() {
  World world(1 << 20);
  cucore_kernel* const kernel = world.find("tiny");
  std::printf("[");
  for (const bool timeline : {false, true}) {
    cucore_profiler* const profiler = profiler_of(CUCORE_PROFILER_SOURCE_AUTO, nullptr, timeline);
    MUST(cucore_profiler_begin(profiler, &error));
    (void)loop_seconds(world, kernel, 0, 200000);
    const long before = resident_kilobytes();
    for (int i = 0; i < 10; ++i) (void)loop_seconds(world, kernel, 0, 100000);
    const long after = resident_kilobytes();
    cucore_report* report = nullptr;
    MUST(cucore_profiler_end(profiler, &report, &error));
    std::printf(
        "%s{\"timeline\": %s, \"source\": %d, \"launches\": 1000000, \"kilobytes_before\": %ld, "
        "\"kilobytes_after\": %ld}",
        timeline ? ", " : "", timeline ? "true" : "false", cucore_report_source(report), before,
        after);
    cucore_report_release(report);
  }
  std::printf("]\n");
}

// -- Activity ------------------------------------------------------------------------------------

// A report of each source for the same kernel of many short blocks.
void profile_short_blocks() {
  World world(SHORT_BLOCKS * 256);
  cucore_kernel* const kernel = world.find("streaming");
  const auto run = [&](double seconds) {
    const auto begin = Clock::now();
    while (seconds_since(begin) < seconds) {
      world.launch(kernel, {SHORT_BLOCKS, 1}, {256, 1}, SHORT_BLOCKS * 256);
      if (static_cast<int>(seconds_since(begin) * 1e3) % 4 == 0) world.wait();
    }
    world.wait();
  };
  run(0.3);
  std::printf("[");
  bool is_first = true;
  for (const cucore_profiler_source source :
       {CUCORE_PROFILER_SOURCE_EVENTS, CUCORE_PROFILER_SOURCE_ACTIVITY,
        CUCORE_PROFILER_SOURCE_EVENTS}) {
    cucore_profiler* const profiler = profiler_of(source, nullptr, false);
    MUST(cucore_profiler_begin(profiler, &error));
    run(1.2);
    cucore_report* report = nullptr;
    MUST(cucore_profiler_end(profiler, &report, &error));
    std::printf("%s%s", std::exchange(is_first, false) ? "" : ",\n", text_of(report).c_str());
  }
  std::printf("]\n");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mode = count > 1 ? arguments[1] : "";
  if (mode == "counters") {
    profile_kernels(CUCORE_PROFILER_SOURCE_COUNTERS, "quick", LAUNCHES);
  } else if (mode == "counts") {
    profile_kernels(CUCORE_PROFILER_SOURCE_COUNTERS, "memory", LAUNCHES);
  } else if (mode == "emulated") {
    profile_kernels(CUCORE_PROFILER_SOURCE_EMULATED, nullptr, 1, 0);
  } else if (mode == "range") {
    profile_range();
  } else if (mode == "events") {
    profile_kernels(CUCORE_PROFILER_SOURCE_EVENTS, nullptr, 8 * LAUNCHES);
  } else if (mode == "launches") {
    World world(counted::N);
    run_kernels(world, 2 + LAUNCHES);
  } else if (mode == "overhead") {
    measure_overhead();
  } else if (mode == "memory") {
    measure_memory();
  } else if (mode == "activity") {
    profile_short_blocks();
  } else {
    std::fprintf(
        stderr,
        "expected counters, counts, emulated, range, events, launches, overhead, memory or "
        "activity\n");
    return 2;
  }
  return 0;
}
