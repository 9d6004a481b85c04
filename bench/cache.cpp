// SPDX-License-Identifier: Apache-2.0
// Measures the program cache, together with a fresh compile in the same run.
//
//   cache_bench [--check] [Google Benchmark's own options]
//
// --check fails if a figure is above the project's limit. Needs NVRTC; no device and no driver.
#include <benchmark/benchmark.h>
#include <cucore.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "figures.hpp"

namespace {

using Clock = std::chrono::steady_clock;

std::map<std::string, double> figures;  // microseconds

[[noreturn]] void fail(const char* what, cucore_error* error) {
  std::fprintf(stderr, "%s: %s\n%s", what, cucore_error_message(error), cucore_error_log(error));
  std::exit(1);
}

#define CALL(function, ...)                                                   \
  do {                                                                        \
    cucore_error* error_ = nullptr;                                           \
    if (function(__VA_ARGS__, &error_) != CUCORE_OK) fail(#function, error_); \
  } while (0)

struct Folder {
  std::string path;
  Folder() {
    const char* base = std::getenv("TMPDIR");
    path = std::string(base && *base ? base : "/tmp") + "/cucore-bench-XXXXXX";
    if (!mkdtemp(path.data())) std::exit(1);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

cucore_cache* open_cache(const std::string& folder, uint64_t memory = 0) {
  cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
  options.directory = folder.c_str();
  options.max_memory = memory;
  cucore_cache* cache = nullptr;
  CALL(cucore_cache_open, &options, &cache);
  return cache;
}

// About 1 KB, for a result of about 6 KB; a new number makes another program.
std::string small_source(int number) {
  std::string text = "// program " + std::to_string(number) + "\n";
  text +=
      "extern \"C\" __global__ void saxpy(float a, const float* x, float* y, unsigned n) {\n"
      "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = a * x[i] + y[i] + " +
      std::to_string(number) + ".0f;\n}\n";
  while (text.size() < 1024) text += "// filled up to one kilobyte, as a small kernel has it\n";
  return text;
}

cucore_program* make_program(const std::string& source, bool with_toolkit = false) {
  static const std::string include = CUDA_INCLUDE, cccl = include + "/cccl";
  const char* paths[] = {include.c_str(), cccl.c_str()};
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "sm_90";
  options.name = "bench.cu";
  options.include_paths = paths;
  options.include_path_count = with_toolkit ? 2 : 0;
  cucore_program* program = nullptr;
  CALL(cucore_program_create, CUCORE_SOURCE_TYPE_CUDA_CPP, source.data(), source.size(), &options,
       &program);
  return program;
}

cucore_cache_outcome compile(cucore_cache* cache, const cucore_program* program) {
  cucore_objectcode* code = nullptr;
  cucore_cache_outcome outcome = CUCORE_CACHE_OUTCOME_NONE;
  if (cache)
    CALL(cucore_cache_compile, cache, program, CUCORE_CODE_TYPE_CUBIN, nullptr, 0, &code, &outcome);
  else
    CALL(cucore_program_compile, program, CUCORE_CODE_TYPE_CUBIN, nullptr, 0, &code);
  cucore_objectcode_release(code);
  return outcome;
}

void require(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

// The fastest tenth ends here, because other load on the machine only adds time.
double typical(std::vector<double> values) {
  const size_t at = values.size() / 10;
  std::ranges::nth_element(values, values.begin() + static_cast<long>(at));
  return values[at];
}

// Measures batches that are shorter than a time slice of the scheduler.
template <class Work>
double microseconds(int batches, int each, Work&& work) {
  std::vector<double> times;
  for (int batch = 0; batch < batches; ++batch) {
    const auto begin = Clock::now();
    for (int i = 0; i < each; ++i) work();
    const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
    times.push_back(took.count() / each);
  }
  return typical(std::move(times));
}

void show(benchmark::State& state, const char* name, double value) {
  figures[name] = value;
  state.counters["us"] = value;
  state.SetIterationTime(value * 1e-6);
}

void fresh_compile(benchmark::State& state) {
  for (auto _ : state) {
    cucore_program* program = make_program(small_source(0));
    show(state, "fresh", microseconds(40, 1, [&] { compile(nullptr, program); }));
    cucore_program_release(program);
  }
}

void hit_memory_same_program(benchmark::State& state) {
  const Folder folder;
  cucore_cache* cache = open_cache(folder.path);
  cucore_program* program = make_program(small_source(0));
  compile(cache, program);
  require(compile(cache, program) == CUCORE_CACHE_OUTCOME_HIT_MEMORY, "no hit in memory");
  for (auto _ : state)
    show(state, "memory_same", microseconds(500, 100, [&] { compile(cache, program); }));
  cucore_program_release(program);
  cucore_cache_release(cache);
}

void hit_memory_new_program(benchmark::State& state) {
  const Folder folder;
  cucore_cache* cache = open_cache(folder.path);
  const std::string source = small_source(0);
  for (auto _ : state)
    show(state, "memory_new", microseconds(1000, 20, [&] {
           cucore_program* program = make_program(source);
           compile(cache, program);
           cucore_program_release(program);
         }));
  cucore_cache_release(cache);
}

void hit_disk(benchmark::State& state) {
  const Folder folder;
  cucore_cache* cache = open_cache(folder.path, 1);
  cucore_program* program = make_program(small_source(0));
  compile(cache, program);
  require(compile(cache, program) == CUCORE_CACHE_OUTCOME_HIT_DISK, "no hit on disk");
  for (auto _ : state) show(state, "disk", microseconds(1000, 5, [&] { compile(cache, program); }));
  cucore_program_release(program);
  cucore_cache_release(cache);
}

// Compiles through a cache and without one alternate, each of another program. The check uses the
// processor's time, because wall time cannot resolve 3 % on a shared machine.
void miss_overhead(benchmark::State& state) {
  const Folder folder;
  cucore_cache* cache = open_cache(folder.path);
  for (auto _ : state) {
    std::vector<double> bare, cached, bare_wall, cached_wall;
    for (int i = 0; i < 120; ++i) {
      cucore_program* program = make_program(small_source(1000 + i));
      for (const bool with : {i % 2 == 0, i % 2 != 0}) {
        const auto begin = Clock::now();
        const double before = processor_seconds();
        const cucore_cache_outcome outcome = compile(with ? cache : nullptr, program);
        (with ? cached : bare).push_back(processor_seconds() - before);
        const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
        (with ? cached_wall : bare_wall).push_back(took.count());
        require(!with || outcome == CUCORE_CACHE_OUTCOME_BUILT, "no miss");
      }
      cucore_program_release(program);
    }
    const double percent = (typical(cached) / typical(bare) - 1) * 100;
    figures["miss_percent"] = percent;
    state.counters["percent"] = percent;
    state.counters["wall_percent"] = (typical(cached_wall) / typical(bare_wall) - 1) * 100;
    state.SetIterationTime(typical(cached_wall) * 1e-6);
  }
  cucore_cache_release(cache);
}

void hit_with_cub(benchmark::State& state) {
  const Folder folder;
  const std::string source =
      "#include <cub/block/block_reduce.cuh>\n"
      "__global__ void k(const float* x, float* y) {\n"
      "  using Reduce = cub::BlockReduce<float, 128>;\n"
      "  __shared__ typename Reduce::TempStorage memory;\n"
      "  float sum = Reduce(memory).Sum(x[threadIdx.x]);\n"
      "  if (threadIdx.x == 0) *y = sum;\n}\n";
  cucore_program* program = make_program(source, true);
  cucore_program* other = make_program(source + "// another\n", true);
  for (auto _ : state) {
    state.counters["fresh_us"] = microseconds(3, 1, [&] { compile(nullptr, program); });
    cucore_cache* first = open_cache(folder.path);
    state.counters["miss_us"] = microseconds(1, 1, [&] { compile(first, program); });
    state.counters["next_miss_us"] = microseconds(1, 1, [&] { compile(first, other); });
    cucore_cache_release(first);
    cucore_cache* cache = open_cache(folder.path);
    state.counters["first_us"] = microseconds(1, 1, [&] {
      require(compile(cache, program) == CUCORE_CACHE_OUTCOME_HIT_DISK, "no hit with cub");
    });
    show(state, "cub", microseconds(200, 5, [&] { compile(cache, program); }));
    cucore_cache_release(cache);
  }
  cucore_program_release(other);
  cucore_program_release(program);
}

// Eight programs with CUB, one after the other in this process and as a batch.
void batch_of_heavy_programs(benchmark::State& state) {
  constexpr size_t COUNT = 8;
  std::vector<cucore_program*> programs;
  std::vector<cucore_batch_item> items;
  for (size_t i = 0; i < COUNT; ++i) {
    programs.push_back(make_program(
        "#include <cub/block/block_reduce.cuh>\n" + small_source(static_cast<int>(i)), true));
    items.push_back({programs.back(), CUCORE_CODE_TYPE_CUBIN, 0, nullptr, 0});
  }
  cucore_batch_options options = CUCORE_BATCH_OPTIONS_INIT;
  options.workers = 2;
  std::vector<cucore_objectcode*> out(COUNT);
  for (auto _ : state) {
    const double single = microseconds(1, 1, [&] {
      for (cucore_program* program : programs) compile(nullptr, program);
    });
    const double batch = microseconds(1, 1, [&] {
      CALL(cucore_program_compile_batch, items.data(), COUNT, &options, out.data(), nullptr);
    });
    for (cucore_objectcode* code : out) require(code, "a compile of the batch failed");
    for (cucore_objectcode* code : out) cucore_objectcode_release(code);
    figures["batch_ratio"] = batch / single;
    state.counters["ratio"] = batch / single;
    state.counters["single_us"] = single;
    state.SetIterationTime(batch * 1e-6);
  }
  for (cucore_program* program : programs) cucore_program_release(program);
}

#define FIGURE(function) \
  BENCHMARK(function)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond)
FIGURE(fresh_compile);
FIGURE(hit_memory_same_program);
FIGURE(hit_memory_new_program);
FIGURE(hit_disk);
FIGURE(miss_overhead);
FIGURE(hit_with_cub);
FIGURE(batch_of_heavy_programs);

struct Limit {
  const char* name;
  double most;
};
constexpr Limit LIMITS[] = {{"memory_same", 2},  {"memory_new", 4}, {"disk", 25},
                            {"miss_percent", 3}, {"cub", 1000},     {"batch_ratio", 0.6}};

int check() {
  int failures = 0;
  for (const Limit& limit : LIMITS) {
    const double value = figures[limit.name];
    const bool is_met = value <= limit.most;
    failures += !is_met;
    std::printf("%-14s %10.2f, at most %g%s\n", limit.name, value, limit.most,
                is_met ? "" : "   MISSED");
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  bool checks = false;
  count = static_cast<int>(std::remove_if(arguments, arguments + count,
                                          [&](const char* argument) {
                                            const bool is_ours = !std::strcmp(argument, "--check");
                                            checks = checks || is_ours;
                                            return is_ours;
                                          }) -
                           arguments);
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
  return checks ? check() : 0;
}
