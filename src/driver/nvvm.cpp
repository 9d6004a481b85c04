#include "driver/nvvm.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "driver/nvvm_state.hpp"

namespace cucore::driver {
namespace {

constexpr const char* NAMES[] = {"libnvvm.so.4", "libnvvm.so"};
constexpr const char* PLACES[] = {"nvvm/lib64", "nvvm/lib", "lib64", "lib"};
constexpr ToolkitLibrary NVVM{"libNVVM", "CUCORE_NVVM", "cuda_nvcc/nvvm", NAMES, PLACES};
constexpr const char* LIBDEVICE = "libdevice.10.bc";

enum class Need { REQUIRED, OPTIONAL };

std::string fill(const OpenedLibrary& library, NvvmTable& table) {
  std::string lacking;
  const auto find = [&](const char* name, Need need) {
    void* found = dlsym(library.handle, name);
    if (!found && need == Need::REQUIRED && lacking.empty()) lacking = name;
    return found;
  };
#define ENTRY(name, since, need) \
  table.name = reinterpret_cast<decltype(&::name)>(find(#name, Need::need));
#include "driver/nvvm_entry_points.inc"
#undef ENTRY
  if (!lacking.empty()) return "lacks " + lacking;
  int major = 0, minor = 0, debug_major = 0, debug_minor = 0;
  if (table.nvvmVersion(&major, &minor) != NVVM_SUCCESS ||
      table.nvvmIRVersion(&table.ir_major, &table.ir_minor, &debug_major, &debug_minor) !=
          NVVM_SUCCESS)
    return "does not tell its version";
  table.version = major * 1000 + minor * 10;
  return {};
}

struct Meaning {
  nvvmResult result;
  const char* name;
  Status status;
  const char* advice;
};

constexpr Meaning MEANINGS[] = {
#define RESULT(name, status, advice) {name, #name, Status::status, advice},
#include "driver/nvvm_error_map.inc"
#undef RESULT
};

const Meaning* meaning_of(nvvmResult result) noexcept {
  const auto* found =
      std::ranges::find_if(MEANINGS, [result](const Meaning& m) { return m.result == result; });
  return found == std::end(MEANINGS) ? nullptr : found;
}

// A toolkit has nvvm/lib64 beside nvvm/libdevice; some packages put the library into lib.
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
  throw Error(Status::LIBRARY_MISSING,
              "cannot find " + std::string(LIBDEVICE) + " for " + nvvm().path + ": tried " + tried +
                  "; set CUDA_HOME, or pass the file as one of extra_sources");
}

Status status_of(nvvmResult result) noexcept {
  if (result == NVVM_SUCCESS) return Status::OK;
  const Meaning* meaning = meaning_of(result);
  return meaning ? meaning->status : Status::COMPILATION;
}

void check(nvvmResult result, std::string_view what, std::string log) {
  if (result == NVVM_SUCCESS) return;
  const Meaning* meaning = meaning_of(result);
  std::string name = meaning ? meaning->name : "nvvmResult " + std::to_string(result);
  std::string message = std::string(what) + ": " + name;
  if (meaning && *meaning->advice) message += std::string("; ") + meaning->advice;
  throw Error(status_of(result), std::move(message), std::move(log),
              {"nvvm", static_cast<int32_t>(result), std::move(name)});
}

}  // namespace cucore::driver
