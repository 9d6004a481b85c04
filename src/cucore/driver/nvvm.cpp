// SPDX-License-Identifier: Apache-2.0
#include "driver/nvvm.hpp"

#include <unistd.h>

#include <vector>

#include "driver/nvvm_state.hpp"
#include "driver/result_meaning.hpp"
#include "support/environment.hpp"

namespace cucore::driver {
namespace {

constexpr const char* NVVM_NAMES[] = {"libnvvm.so.4", "libnvvm.so"};
constexpr const char* NVVM_PLACES[] = {"nvvm/lib64", "nvvm/lib", "lib64", "lib"};
constexpr ToolkitLibrary NVVM{"libNVVM", "CUCORE_NVVM", "cuda_nvcc/nvvm", NVVM_NAMES, NVVM_PLACES};
constexpr const char* LIBDEVICE = "libdevice.10.bc";

std::string fill(const OpenedLibrary& library, NvvmTable& table) {
  EntryFinder entries(library);
#define ENTRY(name, since, need) \
  table.name = reinterpret_cast<decltype(&::name)>(entries.find(#name, Need::need));
#include "driver/nvvm_entry_points.inc"
#undef ENTRY
  if (std::string refusal = entries.refusal(); !refusal.empty()) return refusal;
  int major = 0, minor = 0, debug_major = 0, debug_minor = 0;
  if (table.nvvmVersion(&major, &minor) != NVVM_SUCCESS ||
      table.nvvmIRVersion(&table.ir_major, &table.ir_minor, &debug_major, &debug_minor) !=
          NVVM_SUCCESS)
    return "does not tell its version";
  table.version = major * 1000 + minor * 10;
  return {};
}

constexpr Meaning<nvvmResult> NVVM_MEANINGS[] = {
#define RESULT(name, status, advice) {name, #name, Status::status, advice},
#include "driver/nvvm_error_map.inc"
#undef RESULT
};

constexpr ToolkitResults NVVM_RESULTS{"nvvm", "nvvmResult", "NVVM_SUCCESS", Status::COMPILATION,
                                      NVVM_MEANINGS};

// A toolkit has the folders nvvm/lib64 and nvvm/libdevice; some packages put the library into lib.
std::vector<std::string> libdevice_folders() {
  const std::string folder = folder_of(nvvm().path);
  std::vector<std::string> folders = {folder_of(folder) + "/libdevice",
                                      folder_of(folder) + "/nvvm/libdevice"};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string root = environment(variable); !root.empty())
      folders.push_back(root + "/nvvm/libdevice");
  folders.push_back("/usr/local/cuda/nvvm/libdevice");
  return folders;
}

}  // namespace

ToolkitTable<NvvmTable>& nvvm_state() {
  static auto* state = new ToolkitTable<NvvmTable>(NVVM, &fill);
  return *state;
}

const NvvmTable& nvvm() { return nvvm_state().get(); }

std::string libdevice_path() {
  std::string tried;
  for (const std::string& folder : libdevice_folders()) {
    const std::string file = folder + "/" + LIBDEVICE;
    if (access(file.c_str(), R_OK) == 0) return file;
    tried += (tried.empty() ? "" : ", ") + file;
  }
  throw Error(
      Status::LIBRARY_MISSING,
      "cannot find " + std::string(LIBDEVICE) + " for " + nvvm().path + ": tried " + tried +
          "; set CUDA_HOME, or pass the file as one of cucore_program_options.extra_sources");
}

Status status_of(nvvmResult result) noexcept { return NVVM_RESULTS.status_of(result); }

void check(nvvmResult result, std::string_view what, std::string log) {
  NVVM_RESULTS.check(result, what, std::move(log));
}

}  // namespace cucore::driver
