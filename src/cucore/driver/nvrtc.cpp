// SPDX-License-Identifier: Apache-2.0
#include "driver/nvrtc.hpp"

#include <dlfcn.h>

#include "driver/cuda.hpp"
#include "driver/nvrtc_state.hpp"
#include "driver/result_meaning.hpp"

namespace cucore::driver {
namespace {

constexpr int OLDEST_NVRTC = 12000;
constexpr const char* NVRTC_NAMES[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
constexpr const char* NVRTC_PLACES[] = {"lib64", "lib"};
constexpr ToolkitLibrary NVRTC{"NVRTC", "CUCORE_NVRTC", "cuda_nvrtc", NVRTC_NAMES, NVRTC_PLACES};

std::string fill_entries(const OpenedLibrary& library, NvrtcTable& table) {
  EntryFinder entries(library);
#define ENTRY(name, since, need) \
  table.name = reinterpret_cast<decltype(&::name)>(entries.find(#name, Need::need));
#include "driver/nvrtc_entry_points.inc"
#undef ENTRY
  return entries.refusal();
}

// NVRTC opens this part of itself by its name alone. The loader finds a library that is open, else
// only one in the folders of the system.
void open_builtins(const OpenedLibrary& library, int version) {
  const std::string path =
      folder_of(library.path) + "/libnvrtc-builtins.so." + version_text(version);
  dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

std::string fill(const OpenedLibrary& library, NvrtcTable& table) {
  if (std::string refusal = fill_entries(library, table); !refusal.empty()) return refusal;
  int major = 0;
  int minor = 0;
  if (table.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return "does not tell its version";
  table.version = major * 1000 + minor * 10;
  if (table.version < OLDEST_NVRTC)
    return "is of CUDA " + version_text(table.version) + ", " + version_text(OLDEST_NVRTC) +
           " is needed";
  open_builtins(library, table.version);
  return {};
}

constexpr Meaning<nvrtcResult> NVRTC_MEANINGS[] = {
#define RESULT(name, status, advice) {name, #name, Status::status, advice},
#include "driver/nvrtc_error_map.inc"
#undef RESULT
};

constexpr ToolkitResults NVRTC_RESULTS{"nvrtc", "nvrtcResult", "NVRTC_SUCCESS", Status::COMPILATION,
                                       NVRTC_MEANINGS};

}  // namespace

ToolkitTable<NvrtcTable>& nvrtc_state() {
  static auto* state = new ToolkitTable<NvrtcTable>(NVRTC, &fill);
  return *state;
}

const NvrtcTable& nvrtc() { return nvrtc_state().get(); }

Status status_of(nvrtcResult result) noexcept { return NVRTC_RESULTS.status_of(result); }

void check(nvrtcResult result, std::string_view what, std::string log) {
  NVRTC_RESULTS.check(result, what, std::move(log));
}

void throw_missing_nvrtc_entry(const char* name, int since) {
  throw Error(Status::UNSUPPORTED, std::string(name) + " needs NVRTC of CUDA " +
                                       version_text(since) + " or newer, and " + nvrtc().path +
                                       " is of CUDA " + version_text(nvrtc().version));
}

}  // namespace cucore::driver
