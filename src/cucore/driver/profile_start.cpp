// SPDX-License-Identifier: Apache-2.0
#include "driver/profile_start.hpp"

#include <dlfcn.h>

#include <atomic>
#include <string>
#include <vector>

#include "support/environment.hpp"
#include "support/loaded_file.hpp"
#include "support/log.hpp"

namespace cucore::driver {
namespace {

constexpr const char* FILE_NAME = "libcucore-perf.so.0";
constexpr const char* FILE_NAME_OF_WHEELS = "libcucore-perf.so";
constexpr const char* FUNCTION = "cucore_perf_start_from_environment";

constinit std::atomic<bool> is_started{false};

void* open_library(std::string& tried) {
  const std::string own = own_folder();
  std::vector<std::string> files;
  if (!own.empty()) files = {own + "/" + FILE_NAME, own + "/" + FILE_NAME_OF_WHEELS};
  files.emplace_back(FILE_NAME);
  for (const std::string& file : files) {
    if (void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    const char* const reason = dlerror();
    tried += (tried.empty() ? "" : ", ") + (reason ? std::string(reason) : file);
  }
  return nullptr;
}

// The library logs the reason if it cannot profile.
void start() {
  if (environment("CUCORE_PROFILE").empty()) return;
  std::string tried;
  void* const library = open_library(tried);  // never closed
  void* const function = library ? dlsym(library, FUNCTION) : nullptr;
  if (!function) {
    if (library) tried = std::string(FILE_NAME) + " has no " + FUNCTION;
    return log(LogLevel::WARNING, "CUCORE_PROFILE has no effect: tried " + tried);
  }
  (void)reinterpret_cast<int (*)(void**)>(function)(nullptr);
}

}  // namespace

void start_profile() noexcept {
  if (is_started.exchange(true)) return;
  try {
    start();
  } catch (...) {
    // No memory is left for a profile.
  }
}

}  // namespace cucore::driver
