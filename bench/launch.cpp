// SPDX-License-Identifier: Apache-2.0
// Measures the object model above the bare driver. The same launch runs with the same arguments and
// driver library, once as cuLaunchKernelEx and once as cucore_kernel_launch.
//
//   launch_bench [--difference_limit_ns=60] [Google Benchmark's own options]
//
// CUCORE_DRIVER names the driver: the scripted one of the tests, the CPU device or a GPU's. The two
// kinds of launch alternate in short batches, so that both have the same conditions.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "figures.hpp"
#include "launch_world.hpp"

namespace {

using Clock = std::chrono::steady_clock;

// Fewer than the driver's queue can take, so that the time is that of the call and not of a wait.
constexpr int BATCH = 256;
constexpr int PAIRS = 400;

double difference_ns = 0;

World& world() {
  static World* world = new World;
  return *world;
}

template <class Call>
double nanoseconds_each(Call&& call) {
  const auto start = Clock::now();
  for (int i = 0; i < BATCH; ++i) call();
  const std::chrono::duration<double, std::nano> took = Clock::now() - start;
  return took.count() / BATCH;
}

void launch_difference(benchmark::State& state) {
  World& w = world();
  std::vector<double> bare, ours, differences;
  for (auto _ : state)
    for (int pair = 0; pair < PAIRS; ++pair) {
      bare.push_back(nanoseconds_each([&] { w.launch_bare(); }));
      w.synchronize();
      ours.push_back(nanoseconds_each([&] { w.launch(); }));
      w.synchronize();
      differences.push_back(ours.back() - bare.back());
    }
  difference_ns = median(differences);
  state.counters["bare_ns"] = median(bare);
  state.counters["cucore_ns"] = median(ours);
  state.counters["difference_ns"] = difference_ns;
}
BENCHMARK(launch_difference)->Iterations(1)->Unit(benchmark::kMillisecond);

template <class Call>
double nanoseconds(Call&& call) {
  const auto start = Clock::now();
  call();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// A launch whose buffer belongs to another stream: the first of a buffer records the use, later
// ones find it recorded. Each is compared with a launch on the buffer's own stream.
void use_difference(benchmark::State& state) {
  World& w = world();
  std::vector<double> own, first, later;
  for (auto _ : state)
    for (int pair = 0; pair < 10 * PAIRS; ++pair) {
      w.renew_buffer();
      own.push_back(nanoseconds([&] { w.launch_buffer(); }));
      w.synchronize();
      first.push_back(nanoseconds([&] { w.launch_buffer_elsewhere(); }));
      w.synchronize();
      later.push_back(nanoseconds([&] { w.launch_buffer_elsewhere(); }));
      w.synchronize();
    }
  state.counters["own_ns"] = median(own);
  state.counters["first_use_ns"] = median(first) - median(own);
  state.counters["later_use_ns"] = median(later) - median(own);
}
BENCHMARK(use_difference)->Iterations(1)->Unit(benchmark::kMillisecond);

template <class Call>
void repeat(benchmark::State& state, Call&& call) {
  int since = 0;
  for (auto _ : state) {
    call();
    if (++since < BATCH) continue;
    since = 0;
    state.PauseTiming();
    world().synchronize();
    state.ResumeTiming();
  }
}

void launch_bare(benchmark::State& state) {
  repeat(state, [] { world().launch_bare(); });
}
BENCHMARK(launch_bare);

void launch_arguments(benchmark::State& state) {
  repeat(state, [] { world().launch(); });
}
BENCHMARK(launch_arguments);

void launch_buffer(benchmark::State& state) {
  repeat(state, [] { world().launch_buffer(); });
}
BENCHMARK(launch_buffer);

void launch_buffer_elsewhere(benchmark::State& state) {
  repeat(state, [] { world().launch_buffer_elsewhere(); });
}
BENCHMARK(launch_buffer_elsewhere);

void launch_packed(benchmark::State& state) {
  repeat(state, [] { world().launch_packed(); });
}
BENCHMARK(launch_packed);

void launch_shared_stream(benchmark::State& state) {
  repeat(state, [] { world().launch_on_shared_stream(); });
}
BENCHMARK(launch_shared_stream);

void launch_default_stream(benchmark::State& state) {
  repeat(state, [] { world().launch_on_default_stream(); });
}
BENCHMARK(launch_default_stream);

void event_record(benchmark::State& state) {
  repeat(state, [] { world().record(); });
}
BENCHMARK(event_record);

void find_kernel_again(benchmark::State& state) {
  for (auto _ : state) world().find_kernel();
}
BENCHMARK(find_kernel_again);

void stream_create_release(benchmark::State& state) {
  for (auto _ : state) world().make_stream();
}
BENCHMARK(stream_create_release);

void event_create_release(benchmark::State& state) {
  for (auto _ : state) world().make_event();
}
BENCHMARK(event_create_release);

void buffer_create_release(benchmark::State& state) {
  for (auto _ : state) world().make_buffer();
}
BENCHMARK(buffer_create_release);

void objectcode_create_release(benchmark::State& state) {
  for (auto _ : state) world().make_objectcode();
}
BENCHMARK(objectcode_create_release);

}  // namespace

int main(int argc, char** argv) {
  const double limit = take_limit("--difference_limit_ns=", argc, argv);
  benchmark::AddCustomContext("device", world().device_name());
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  std::fprintf(stderr, "cucore_kernel_launch - cuLaunchKernelEx: %.1f ns on %s\n", difference_ns,
               world().device_name());
  if (limit < 0 || difference_ns <= limit) return 0;
  std::fprintf(stderr, "that is more than %.1f ns\n", limit);
  return 1;
}
