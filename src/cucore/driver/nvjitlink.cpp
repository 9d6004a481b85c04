// SPDX-License-Identifier: Apache-2.0
#include "driver/nvjitlink.hpp"

#include <dlfcn.h>

#include "driver/nvjitlink_state.hpp"
#include "driver/result_meaning.hpp"

namespace cucore::driver {
namespace {

constexpr int VERSION_UNTOLD = 12000;
constexpr const char* NVJITLINK_NAMES[] = {"libnvJitLink.so.13", "libnvJitLink.so.12",
                                           "libnvJitLink.so"};
constexpr const char* NVJITLINK_PLACES[] = {"lib64", "lib"};
constexpr ToolkitLibrary NVJITLINK{"nvJitLink", "CUCORE_NVJITLINK", "nvjitlink", NVJITLINK_NAMES,
                                   NVJITLINK_PLACES};

// Newest first, because the newest version of a library's several is the best one. nvJitLink.h
// hides these names behind inline functions, one set per release.
void* versioned_symbol(void* handle, const std::string& name) {
  for (int major = 14; major >= 12; --major)
    for (int minor = 9; minor >= 0; --minor) {
      const std::string versioned =
          "__" + name + "_" + std::to_string(major) + "_" + std::to_string(minor);
      if (void* found = dlsym(handle, versioned.c_str())) return found;
    }
  return nullptr;
}

std::string fill(const OpenedLibrary& library, NvJitLinkTable& table) {
  EntryFinder entries(library, &find_nvjitlink_symbol);
#define ENTRY(name, since, need) \
  table.name = reinterpret_cast<decltype(&::name)>(entries.find(#name, Need::need));
#include "driver/nvjitlink_entry_points.inc"
#undef ENTRY
  if (std::string refusal = entries.refusal(); !refusal.empty()) return refusal;
  unsigned int major = 0;
  unsigned int minor = 0;
  const bool told =
      table.nvJitLinkVersion && table.nvJitLinkVersion(&major, &minor) == NVJITLINK_SUCCESS;
  table.version = told ? static_cast<int>(major * 1000 + minor * 10) : VERSION_UNTOLD;
  return {};
}

constexpr Meaning<nvJitLinkResult> NVJITLINK_MEANINGS[] = {
#define RESULT(name, status, advice) {name, #name, Status::status, advice},
#include "driver/nvjitlink_error_map.inc"
#undef RESULT
};

constexpr ToolkitResults NVJITLINK_RESULTS{"nvjitlink", "nvJitLinkResult", "NVJITLINK_SUCCESS",
                                           Status::LINKING, NVJITLINK_MEANINGS};

}  // namespace

void* find_nvjitlink_symbol(void* handle, const char* name) {
  void* found = dlsym(handle, name);
  return found ? found : versioned_symbol(handle, name);
}

ToolkitTable<NvJitLinkTable>& nvjitlink_state() {
  static auto* state = new ToolkitTable<NvJitLinkTable>(NVJITLINK, &fill);
  return *state;
}

const NvJitLinkTable& nvjitlink() { return nvjitlink_state().get(); }

const NvJitLinkTable* nvjitlink_if_available(std::string& why) {
  try {
    return &nvjitlink();
  } catch (const Error& error) {
    if (error.status() != Status::LIBRARY_MISSING) throw;
    why = error.message();
    return nullptr;
  }
}

Status status_of(nvJitLinkResult result) noexcept { return NVJITLINK_RESULTS.status_of(result); }

std::string name_of(nvJitLinkResult result) { return NVJITLINK_RESULTS.name_of(result); }

void check(nvJitLinkResult result, std::string_view what, std::string log) {
  NVJITLINK_RESULTS.check(result, what, std::move(log));
}

}  // namespace cucore::driver
