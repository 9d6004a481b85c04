// SPDX-License-Identifier: Apache-2.0
// The time in which the CPU device parses and verifies PTX; the goal is under 1 ms for 100 KB.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "ptx/parser.hpp"

namespace {

using namespace cucore::ptx;

// A module of `bytes` of text: the bodies of a real compiler's kernels, repeated under new names.
std::string module_of(size_t bytes) {
  std::ifstream stream(CUCORE_BENCH_PTX);
  std::string unit{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  size_t body = unit.find(".visible .entry");
  std::string text = unit.substr(0, body), kernel = unit.substr(body);
  const std::string NAME = "kernel_name";
  for (int copy = 0; text.size() < bytes; ++copy) {
    std::string named = kernel;
    for (size_t at = 0; (at = named.find(NAME, at)) != std::string::npos;) {
      std::string name = "k" + std::to_string(copy);
      named.replace(at, NAME.size(), name);
      at += name.size();
    }
    text += named;
  }
  return text;
}

void parse_and_verify(benchmark::State& state) {
  std::string text = module_of(static_cast<size_t>(state.range(0)));
  size_t instructions = 0;
  for (auto _ : state) {
    Diagnostics log;
    auto module = parse(text, log);
    if (module == nullptr) return state.SkipWithError(log.to_string().c_str());
    instructions = 0;
    for (const Function& function : module->functions) instructions += function.instructions.size();
    benchmark::DoNotOptimize(module.get());
  }
  state.SetBytesProcessed(static_cast<int64_t>(text.size() * state.iterations()));
  state.counters["text_KB"] = static_cast<double>(text.size()) / 1000;
  state.counters["instructions"] = static_cast<double>(instructions);
}
BENCHMARK(parse_and_verify)->Arg(1000)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
