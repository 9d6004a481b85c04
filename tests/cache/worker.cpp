// SPDX-License-Identifier: Apache-2.0
// One of several processes that share a cache. It writes its observations to the standard output.
//
//   cache_worker compile FOLDER THREADS PROGRAMS   each thread compiles all, in an order of its own
//   cache_worker churn FOLDER KEYS                 puts and gets until it is killed
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include "cache_testing.hpp"

namespace {

using namespace cache_test;

std::string number_of(int program) { return std::to_string(program * 7919 + 1000003); }

std::string source_of(int program) {
  return "extern \"C\" __global__ void kernel_" + std::to_string(program) +
         "(int* p) { *p = " + number_of(program) + "; }\n";
}

bool is_right(const cucore_objectcode* code, int program) {
  const std::string ptx = bytes_of(code);
  return contains(ptx, "kernel_" + std::to_string(program) + "(") &&
         contains(ptx, number_of(program));
}

int compile_all(const std::string& folder, int threads, int programs) {
  const Cache cache = open_cache(folder);
  std::atomic<int> wrong{0};
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread)
    running.emplace_back([&, thread] {
      std::vector<int> order(static_cast<size_t>(programs));
      std::iota(order.begin(), order.end(), 0);
      std::ranges::shuffle(order, std::mt19937(static_cast<unsigned>(thread + getpid() * 31)));
      cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
      options.arch = "compute_80";
      for (const int program : order) {
        try {
          const Program made = make_program(source_of(program), &options);
          wrong += !is_right(compile(cache, made).code, program);
        } catch (const std::exception& error) {
          std::fprintf(stderr, "%s\n", error.what());
          ++wrong;
        }
      }
    });
  for (std::thread& thread : running) thread.join();
  std::printf("%llu %d\n", static_cast<unsigned long long>(statistics(cache).builds), wrong.load());
  return 0;
}

// Every line contains the key and the generation, so that a torn or foreign one is detected.
std::string text_of(int key, unsigned generation) {
  const std::string line =
      "// key " + std::to_string(key) + " generation " + std::to_string(generation) + "\n";
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  const unsigned lines = 5 + generation % 3000;
  for (unsigned i = 0; i < lines; ++i) text += line;
  return text + "// end of " + std::to_string(lines) + "\n";
}

bool is_whole(const std::string& text, int key) {
  const std::string mark = "// key " + std::to_string(key) + " generation ";
  const size_t at = text.find(mark);
  if (at == text.npos) return false;
  const unsigned generation =
      static_cast<unsigned>(std::strtoul(text.c_str() + at + mark.size(), nullptr, 10));
  return text == text_of(key, generation);
}

int churn(const std::string& folder, int keys) {
  const Cache cache = open_cache(folder, [](auto& options) { options.max_memory = 1; });
  std::mt19937 random(static_cast<unsigned>(getpid()));
  std::printf("begun\n");
  std::fflush(stdout);
  while (true) {
    const int key = static_cast<int>(random() % static_cast<unsigned>(keys));
    const uint8_t bytes[32] = {static_cast<uint8_t>(key), 7};
    Code found;
    MUST(cucore_cache_get, cache, bytes, found.out());
    if (found && !is_whole(bytes_of(found), key)) {
      std::printf("wrong\n");
      std::fflush(stdout);
      return 1;
    }
    const std::string text = text_of(key, random());
    const Code code = make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size());
    MUST(cucore_cache_put, cache, bytes, code);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 5 && std::strcmp(arguments[1], "compile") == 0)
    return compile_all(arguments[2], std::atoi(arguments[3]), std::atoi(arguments[4]));
  if (count == 4 && std::strcmp(arguments[1], "churn") == 0)
    return churn(arguments[2], std::atoi(arguments[3]));
  return 2;
}
