#include "driver/nvrtc.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <iterator>

#include "driver/cuda.hpp"
#include "driver/nvrtc_state.hpp"

namespace cucore::driver {
namespace {

constexpr int OLDEST_NVRTC = 12000;
constexpr const char* NAMES[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
constexpr const char* PLACES[] = {"lib64", "lib"};
constexpr ToolkitLibrary NVRTC{"NVRTC", "CUCORE_NVRTC", "cuda_nvrtc", NAMES, PLACES};

enum class Need { REQUIRED, OPTIONAL };

std::string fill_entries(const OpenedLibrary& library, NvrtcTable& table) {
  std::string lacking;
  const auto find = [&](const char* name, Need need) {
    void* found = dlsym(library.handle, name);
    if (!found && need == Need::REQUIRED && lacking.empty()) lacking = name;
    return found;
  };
#define ENTRY(name, since, need) \
  table.name = reinterpret_cast<decltype(&::name)>(find(#name, Need::need));
#include "driver/nvrtc_entry_points.inc"
#undef ENTRY
  return lacking.empty() ? "" : "lacks " + lacking;
}

std::string fill(const OpenedLibrary& library, NvrtcTable& table) {
  if (std::string refusal = fill_entries(library, table); !refusal.empty()) return refusal;
  int major = 0;
  int minor = 0;
  if (table.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return "does not tell its version";
  table.version = major * 1000 + minor * 10;
  if (table.version >= OLDEST_NVRTC) return {};
  return "is of CUDA " + version_text(table.version) + ", " + version_text(OLDEST_NVRTC) +
         " is needed";
}

struct Meaning {
  nvrtcResult result;
  const char* name;
  Status status;
  const char* advice;
};

constexpr Meaning MEANINGS[] = {
#define RESULT(name, status, advice) {name, #name, Status::status, advice},
#include "driver/nvrtc_error_map.inc"
#undef RESULT
};

const Meaning* meaning_of(nvrtcResult result) noexcept {
  const auto* found =
      std::ranges::find_if(MEANINGS, [result](const Meaning& m) { return m.result == result; });
  return found == std::end(MEANINGS) ? nullptr : found;
}

}  // namespace

ToolkitTable<NvrtcTable>& nvrtc_state() {
  static auto* state = new ToolkitTable<NvrtcTable>(NVRTC, &fill);
  return *state;
}

const NvrtcTable& nvrtc() { return nvrtc_state().get(); }

Status status_of(nvrtcResult result) noexcept {
  if (result == NVRTC_SUCCESS) return Status::OK;
  const Meaning* meaning = meaning_of(result);
  return meaning ? meaning->status : Status::COMPILATION;
}

void check(nvrtcResult result, std::string_view what, std::string log) {
  if (result == NVRTC_SUCCESS) return;
  const Meaning* meaning = meaning_of(result);
  std::string name = meaning ? meaning->name : "nvrtcResult " + std::to_string(result);
  std::string message = std::string(what) + ": " + name;
  if (meaning && *meaning->advice) message += std::string("; ") + meaning->advice;
  throw Error(status_of(result), std::move(message), std::move(log),
              {"nvrtc", static_cast<int32_t>(result), std::move(name)});
}

void throw_missing_nvrtc_entry(const char* name, int since) {
  throw Error(Status::UNSUPPORTED, std::string(name) + " needs NVRTC of CUDA " +
                                       version_text(since) + " or newer, and " + nvrtc().path +
                                       " is of CUDA " + version_text(nvrtc().version));
}

}  // namespace cucore::driver
