// SPDX-License-Identifier: Apache-2.0
#include "array_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>

#include "cache_actions.hpp"

namespace cucore::cli {
namespace {

constexpr const char* FILE_NAME = "libcucore-array.so.0";
// The array library names its programs so.
constexpr std::string_view KERNEL_NAME = "array kernel";

std::string path_of(const void* function) {
  Dl_info info{};
  return dladdr(function, &info) != 0 && info.dli_fname ? info.dli_fname : FILE_NAME;
}

std::string text_of(std::uint32_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace

// The library stays open until the process ends.
ArrayLibrary find_array_library() {
  void* const library = dlopen(FILE_NAME, RTLD_NOW | RTLD_LOCAL);
  void* const function = library ? dlsym(library, "cucore_array_version") : nullptr;
  if (!function) {
    const char* const reason = dlerror();
    return {.path = {}, .version = {}, .reason = reason ? reason : FILE_NAME};
  }
  const auto version = reinterpret_cast<std::uint32_t (*)()>(function);
  return {
      .available = true, .path = path_of(function), .version = text_of(version()), .reason = {}};
}

std::uint64_t count_array_kernels() {
  std::uint64_t count = 0;
  try {
    open_to_read({}).query([&](const CacheEntry& entry) { count += entry.name == KERNEL_NAME; });
  } catch (const Error&) {
    return 0;
  }
  return count;
}

}  // namespace cucore::cli
