// SPDX-License-Identifier: Apache-2.0
// The fixture of all tests of the cache: a separate folder, caches in it, and compiles through
// them.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "capi/capi_testing.hpp"

namespace cache_test {

using namespace capi_test;
namespace fs = std::filesystem;

inline const cucore_key SECRET = {"secret", 6, CUCORE_KEY_HMAC_SHA256, 0};
constexpr uint8_t KEY[32] = {1}, OTHER_KEY[32] = {2};

// Whether the tests run with the counts of a nightly run.
inline bool is_long() { return std::getenv("CUCORE_TEST_LONG") != nullptr; }

class Folder {
 public:
  Folder() {
    const char* base = std::getenv("TMPDIR");
    std::string pattern = std::string(base && *base ? base : "/tmp") + "/cucore-cache-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline void write_file(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

using Change = std::function<void(cucore_cache_options&)>;

inline Cache open_cache(const std::string& folder, const Change& change = nullptr) {
  cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
  options.directory = folder.c_str();
  if (change) change(options);
  Cache cache;
  MUST(cucore_cache_open, &options, cache.out());
  return cache;
}

struct Got {
  Code code;
  cucore_cache_outcome outcome = CUCORE_CACHE_OUTCOME_NONE;
};

inline Got compile(cucore_cache* cache, const cucore_program* program,
                   cucore_code_type target = CUCORE_CODE_TYPE_PTX,
                   const std::vector<const char*>& expressions = {}) {
  Got got;
  MUST(cucore_cache_compile, cache, program, target, expressions.data(), expressions.size(),
       got.code.out(), &got.outcome);
  return got;
}

inline cucore_cache_statistics_info statistics(cucore_cache* cache) {
  cucore_cache_statistics_info info = CUCORE_CACHE_STATISTICS_INFO_INIT;
  MUST(cucore_cache_statistics, cache, &info);
  return info;
}

inline std::string explain(cucore_cache* cache, const cucore_program* program,
                           cucore_code_type target = CUCORE_CODE_TYPE_PTX) {
  size_t size = 0;
  MUST(cucore_cache_explain_miss, cache, program, target, nullptr, 0, nullptr, 0, &size);
  std::string text(size, '\0');
  MUST(cucore_cache_explain_miss, cache, program, target, nullptr, 0, text.data(), text.size(),
       &size);
  text.resize(size - 1);
  return text;
}

// Returns the files with one suffix below a folder.
inline std::vector<std::string> files_in(const std::string& folder,
                                         const std::string& suffix = ".cuco") {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().string().ends_with(suffix))
      found.push_back(entry.path().string());
  return found;
}

// Waits until a file written now has another time than one written before.
inline void next_tick() { std::this_thread::sleep_for(std::chrono::milliseconds(12)); }

}  // namespace cache_test
