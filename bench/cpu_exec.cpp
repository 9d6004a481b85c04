// SPDX-License-Identifier: Apache-2.0
// The speed of the CPU device's executor in thread instructions per second, including bounds
// checks. Each benchmark checks its result. CUCORE_CPU_THREADS and CUCORE_CPU_SIMD choose threads
// and handlers, CUCORE_CPU_CHECK the checks. With CUCORE_CPU_COUNT=1 the launches are counted.
// CUCORE_BENCH_LAYERS is the depth of the grids, for measurements with many threads. The blocks of
// all layers store the same values; the grid of saxpy has one layer.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>

#include "../tests/cpu/exec/kernel_file.hpp"
#include "cpu/checks/check_set.hpp"
#include "cpu/checks/reports.hpp"
#include "cpu/counts/launch_trace.hpp"
#include "cpu_settings.hpp"

namespace {

using namespace cucore::cpu;
using namespace cucore::cpu::test;

void read_observers() {
  if (const char* checks = std::getenv("CUCORE_CPU_CHECK"))
    enable_checks(parse_checks(checks).value_or(0));
  const char* count = std::getenv("CUCORE_CPU_COUNT");
  if (count && std::atoi(count))
    start_trace(std::make_shared<TraceCollector>(TraceOptions{false, true, 1}));
}

unsigned layers() {
  const char* chosen = std::getenv("CUCORE_BENCH_LAYERS");
  return chosen ? unsigned(std::atoi(chosen)) : 1;
}

Shape in_layers(Shape shape) {
  shape.grid[2] = layers();
  return shape;
}

template <class... A>
void measure(benchmark::State& state, const Kernel& kernel, const Shape& shape,
             const A&... arguments) {
  LaunchStatistics total;
  for (auto _ : state) {
    LaunchStatistics once;
    if (auto fault = launch(kernel, shape, &once, arguments...)) {
      state.SkipWithError(fault->text.c_str());
      return;
    }
    total.thread_instructions += once.thread_instructions;
    total.warp_instructions += once.warp_instructions;
  }
  using benchmark::Counter;
  state.counters["thread_instructions"] =
      double(total.thread_instructions) / double(state.iterations());
  state.counters["thread_instructions/s"] =
      Counter(double(total.thread_instructions), Counter::kIsRate);
  state.counters["warp_instructions/s"] =
      Counter(double(total.warp_instructions), Counter::kIsRate);
}

void saxpy(benchmark::State& state) {
  const int n = 1 << 22;
  auto module = load_kernel_file("01_saxpy", 90);
  Array<float> x(n, 2), y(n, 1);
  measure(state, *module->find_kernel("saxpy"), shape(n / 256, 256), 3.0f, x, y, n);
  const float expected = 1.0f + 6.0f * float(state.iterations());
  if (y[n - 1] != expected && expected < 1e6f) state.SkipWithError("wrong result");
}

void matmul(benchmark::State& state) {
  const int n = 256;
  auto module = load_kernel_file("11_matmul_tiled", 90);
  Array<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = float(i % 7);
    b[i] = float(i % 5);
  }
  Shape s;
  s.grid[0] = s.grid[1] = n / 16;
  s.block[0] = s.block[1] = 16;
  measure(state, *module->find_kernel("mm"), in_layers(s), a, b, c, n);
  float expected = 0;
  for (int k = 0; k < n; ++k) expected += a[3 * n + k] * b[k * n + 9];
  if (c[3 * n + 9] != expected) state.SkipWithError("wrong result");
}

void mandelbrot(benchmark::State& state) {
  const int w = 512;
  auto module = load_kernel_file("40_mandel", 90);
  Array<unsigned char> o(w * w);
  Shape s;
  s.grid[0] = w / 32;
  s.grid[1] = w / 8;
  s.block[0] = 32;
  s.block[1] = 8;
  measure(state, *module->find_kernel("m"), in_layers(s), o, w, w, -2.0f, -1.25f, 2.5f / 512, 100);
  uint64_t sum = 0;
  for (int i = 0; i < w * w; ++i) sum += o[i];
  if (sum != 7669031) state.SkipWithError("wrong result");
}

void collatz(benchmark::State& state) {
  const int n = 1 << 16;
  auto module = load_kernel_file("48_divergent_loop", 90);
  Array<uint64_t> x(n);
  Array<int> o(n);
  for (int i = 0; i < n; ++i) x[i] = uint64_t(i) + 1;
  measure(state, *module->find_kernel("collatz"), in_layers(shape(n / 128, 128)), x, o, n);
  if (o[26] != 111) state.SkipWithError("wrong result");
}

void nbody(benchmark::State& state) {
  const int n = 2048;
  auto module = load_kernel_file("39_nbody", 90);
  Array<float> p(n * 4), a(n * 3);
  for (int i = 0; i < n * 4; ++i) p[i] = float(i * 37 % 101) / 101.0f;
  measure(state, *module->find_kernel("nb"), in_layers(shape(n / 128, 128)), p, a, n);
  if (!(a[5] > 2624.0f && a[5] < 2625.0f)) state.SkipWithError("wrong result");
}

void softmax(benchmark::State& state) {
  const int rows = 256, columns = 1024;
  auto module = load_kernel_file("42_softmax", 90);
  Array<float> x(rows * columns), y(rows * columns);
  for (int i = 0; i < rows * columns; ++i) x[i] = float(i * 37 % 101) / 101.0f;
  measure(state, *module->find_kernel("sm"), in_layers(shape(rows, 256)), x, y, columns);
  double sum = 0;
  for (int i = 0; i < columns; ++i) sum += y[i];
  if (!(sum > 0.9999 && sum < 1.0001)) state.SkipWithError("wrong result");
}

void histogram(benchmark::State& state) {
  const int n = 1 << 20;
  auto module = load_kernel_file("09_hist_shared", 90);
  Array<unsigned char> x(n);
  Array<unsigned> h(256);
  for (int i = 0; i < n; ++i) x[i] = static_cast<unsigned char>(unsigned(i) * 2654435761u >> 13);
  measure(state, *module->find_kernel("hist"), in_layers(shape(64, 256)), x, h, n);
  uint64_t sum = 0;
  for (int i = 0; i < 256; ++i) sum += h[i];
  const uint64_t runs = uint64_t(state.iterations()) * layers();
  if (sum != uint64_t(n) * runs % (uint64_t{1} << 32) && runs < 4000)
    state.SkipWithError("wrong result");
}

BENCHMARK(saxpy)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(matmul)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(mandelbrot)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(collatz)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(nbody)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(softmax)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(histogram)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  configure(read_settings());
  read_observers();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::AddCustomContext("cpu_exec", std::string("handlers for ") + simd_name(simd_level()));
  benchmark::RunSpecifiedBenchmarks();
  if (const std::string reports = Reports::instance().text(); !reports.empty()) {
    std::fputs(reports.c_str(), stderr);
    return 1;
  }
  return 0;
}
