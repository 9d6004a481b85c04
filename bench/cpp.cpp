// SPDX-License-Identifier: Apache-2.0
// The cost of a launch through cucore.hpp over cucore_kernel_launch(), with the same arguments.
//
//   cpp_bench [--difference_limit_ns=5] [Google Benchmark's own options]
//
// The kinds of launch alternate in short batches, so that all have the same conditions.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cucore.hpp>
#include <string>
#include <vector>

#include "figures.hpp"

namespace {

using Clock = std::chrono::steady_clock;

// Fewer than the driver's queue can take.
constexpr int BATCH = 256;
constexpr int ROUNDS = 1000;

constexpr char PTX[] = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry three(.param .f32 a, .param .s32 n, .param .u64 .ptr data)
{
  ret;
}
)";

// The scripted driver lists its calls; a list that only grows is not part of a launch.
cucore::Device open_device() {
  const auto device = cucore::Device::open();
  const std::string path(cucore::library_query(cucore::Library::driver).path);
  using SetLogging = void (*)(int32_t);
  if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
    if (const auto set = reinterpret_cast<SetLogging>(dlsym(library, "fake_set_logging"))) set(0);
  return device;
}

class World {
 public:
  [[gnu::noinline]] void c() {
    cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
    options.grid[0] = options.grid[1] = options.grid[2] = 1;
    options.block[0] = 32;
    options.block[1] = options.block[2] = 1;
    const cucore_argument arguments[] = {
        CUCORE_ARGUMENT(a_), CUCORE_ARGUMENT(n_), {buffer_.get(), CUCORE_ARGUMENT_OBJECT}};
    cucore_error* error = nullptr;
    if (cucore_kernel_launch(kernel_.get(), stream_.get(), &options, arguments, 3, &error) !=
        CUCORE_OK)
      std::abort();
  }
  [[gnu::noinline]] void member() { kernel_.launch(stream_, {1, 32}, a_, n_, buffer_); }
  [[gnu::noinline]] void two_steps() { kernel_({1, 32}, stream_)(a_, n_, buffer_); }
  [[gnu::noinline]] void typed() { typed_.launch(stream_, {1, 32}, a_, n_, buffer_); }

  void synchronize() { stream_.synchronize(); }

 private:
  cucore::Device device_ = open_device();
  cucore::Stream stream_ = cucore::Stream::create(device_);
  cucore::Buffer buffer_ = cucore::Buffer::create(device_, 4096, stream_);
  cucore::Kernel kernel_ =
      cucore::ObjectCode::create(cucore::CodeType::ptx, std::string_view(PTX)).find_kernel("three");
  cucore::TypedKernel<void(float, int, float*)> typed_ = kernel_.as<void(float, int, float*)>();
  float a_ = 2;
  int n_ = 0;
};

World& world() {
  static World* world = new World;
  return *world;
}

struct Kind {
  const char* name;
  void (World::*launch)();
  std::vector<double> differences{};
};
Kind kinds[] = {
    {"launch", &World::member}, {"two_steps", &World::two_steps}, {"typed", &World::typed}};
double worst_ns = 0;

double nanoseconds_each(void (World::*launch)()) {
  World& w = world();
  const auto start = Clock::now();
  for (int i = 0; i < BATCH; ++i) (w.*launch)();
  const std::chrono::duration<double, std::nano> took = Clock::now() - start;
  w.synchronize();
  return took.count() / BATCH;
}

void launch_difference(benchmark::State& state) {
  std::vector<double> bare;
  for (auto _ : state)
    for (int round = 0; round < ROUNDS; ++round)
      for (Kind& kind : kinds) {
        bare.push_back(nanoseconds_each(&World::c));
        kind.differences.push_back(nanoseconds_each(kind.launch) - bare.back());
      }
  state.counters["c_ns"] = median(bare);
  for (const Kind& kind : kinds) {
    state.counters[std::string(kind.name) + "_ns"] = median(kind.differences);
    worst_ns = std::max(worst_ns, median(kind.differences));
  }
}
BENCHMARK(launch_difference)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  const double limit = take_limit("--difference_limit_ns=", argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  std::fprintf(stderr, "a launch in C++ - cucore_kernel_launch: at most %.1f ns\n", worst_ns);
  return limit >= 0 && worst_ns > limit;
}
