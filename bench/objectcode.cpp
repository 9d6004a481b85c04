// SPDX-License-Identifier: Apache-2.0
// Measures storing and reading of object code: a CUBIN of 100 KB is written to a container and read
// again. The comparison is one copy of its bytes and one SHA-256 over them, which every safe format
// needs. The three alternate, so that all have the same conditions.
//
//   objectcode_bench [--ratio_limit=3] [Google Benchmark's own options]
#include <benchmark/benchmark.h>
#include <cucore.h>
#include <openssl/evp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "figures.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int ROUNDS = 300;
constexpr size_t WANTED = 108'000;

// A benchmark of failing calls would measure nothing.
void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "objectcode_bench: %s\n", what);
  std::exit(2);
}

#define MUST(function, ...)                                                  \
  do {                                                                       \
    cucore_error* error = nullptr;                                           \
    const cucore_status status = function(__VA_ARGS__, &error);              \
    require(status == CUCORE_OK, status ? cucore_error_message(error) : ""); \
  } while (0)

// Returns source with enough kernels for machine code of the wanted size.
std::string source(int kernels) {
  std::string text;
  for (int i = 0; i < kernels; ++i)
    text += "extern \"C\" __global__ void k" + std::to_string(i) +
            "(float* p, int n) { for (int i = 0; i < n; ++i) p[i] = sinf(p[i]) * tanf(p[n - i] + " +
            std::to_string(i) + ".0f); }\n";
  return text;
}

cucore_objectcode* compile(int kernels) {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "sm_90";
  const std::string text = source(kernels);
  cucore_program* program = nullptr;
  cucore_objectcode* code = nullptr;
  MUST(cucore_program_create, CUCORE_SOURCE_TYPE_CUDA_CPP, text.data(), text.size(), &options,
       &program);
  MUST(cucore_program_compile, program, CUCORE_CODE_TYPE_CUBIN, nullptr, size_t{0}, &code);
  cucore_program_release(program);
  return code;
}

size_t size_of(const cucore_objectcode* code) {
  size_t size = 0;
  cucore_objectcode_data(code, &size);
  return size;
}

struct World {
  World() {
    int kernels = 10;
    code = compile(kernels);
    kernels = static_cast<int>(WANTED * 10 / size_of(code));
    cucore_objectcode_release(code);
    code = compile(kernels);
    image = static_cast<const char*>(cucore_objectcode_data(code, &size));
    copy.resize(size);
    container.resize(size * 2);
    MUST(cucore_objectcode_serialize, code, nullptr, container.data(), container.size(), &written);
  }

  void copy_and_hash() {
    std::memcpy(copy.data(), image, size);
    unsigned char digest[EVP_MAX_MD_SIZE];
    require(EVP_Digest(copy.data(), size, digest, nullptr, EVP_sha256(), nullptr) == 1, "SHA-256");
    benchmark::DoNotOptimize(digest);
  }
  void serialize() {
    MUST(cucore_objectcode_serialize, code, nullptr, container.data(), container.size(), &written);
  }
  void deserialize() {
    cucore_objectcode* read = nullptr;
    MUST(cucore_objectcode_deserialize, container.data(), written, nullptr, &read);
    cucore_objectcode_release(read);
  }

  cucore_objectcode* code = nullptr;
  const char* image = nullptr;
  size_t size = 0, written = 0;
  std::vector<char> copy, container;
};

World& world() {
  static World* world = new World;
  return *world;
}

template <class Call>
double nanoseconds(Call&& call) {
  const auto start = Clock::now();
  call();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

double worst_ratio = 0;

void store_and_read(benchmark::State& state) {
  World& w = world();
  std::vector<double> floor, writes, reads;
  for (auto _ : state)
    for (int i = 0; i < ROUNDS; ++i) {
      floor.push_back(nanoseconds([&] { w.copy_and_hash(); }));
      writes.push_back(nanoseconds([&] { w.serialize(); }));
      reads.push_back(nanoseconds([&] { w.deserialize(); }));
    }
  const double least = median(floor);
  state.counters["image_bytes"] = static_cast<double>(w.size);
  state.counters["copy_and_hash_ns"] = least;
  state.counters["serialize_ns"] = median(writes);
  state.counters["deserialize_ns"] = median(reads);
  state.counters["serialize_ratio"] = median(writes) / least;
  state.counters["deserialize_ratio"] = median(reads) / least;
  worst_ratio = std::max(median(writes), median(reads)) / least;
}
BENCHMARK(store_and_read)->Iterations(1)->Unit(benchmark::kMillisecond);

void create_and_release(benchmark::State& state) {
  World& w = world();
  for (auto _ : state) {
    cucore_objectcode* code = nullptr;
    MUST(cucore_objectcode_create, CUCORE_CODE_TYPE_CUBIN, w.image, w.size, nullptr, &code);
    cucore_objectcode_release(code);
  }
}
BENCHMARK(create_and_release);

}  // namespace

int main(int argc, char** argv) {
  const double limit = take_limit("--ratio_limit=", argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  std::fprintf(stderr, "the slower of storing and reading: %.2f times copy and hash\n",
               worst_ratio);
  if (limit < 0 || worst_ratio <= limit) return 0;
  std::fprintf(stderr, "that is more than %.1f times\n", limit);
  return 1;
}
