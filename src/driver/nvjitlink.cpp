#include "driver/nvjitlink.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <iterator>

#include "driver/nvjitlink_state.hpp"

namespace cucore::driver {
namespace {

constexpr int VERSION_UNTOLD = 12000;
constexpr const char* NAMES[] = {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"};
constexpr const char* PLACES[] = {"lib64", "lib"};
constexpr ToolkitLibrary NVJITLINK{"nvJitLink", "CUCORE_NVJITLINK", "nvjitlink", NAMES, PLACES};

enum class Need { REQUIRED, OPTIONAL };

// Newest first: a library that has several speaks the newest best. nvJitLink.h hides these names
// behind inline functions, one set a release.
void* versioned_symbol(void* handle, const std::string& name) {
  for (int major = 14; major >= 12; --major)
    for (int minor = 9; minor >= 0; --minor) {
      const std::string versioned =
          "__" + name + "_" + std::to_string(major) + "_" + std::to_string(minor);
      if (void* found = dlsym(handle, versioned.c_str())) return found;
    }
  return nullptr;
}

void* symbol(void* handle, const char* name) {
  void* found = dlsym(handle, name);
  return found ? found : versioned_symbol(handle, name);
}

std::string fill(const OpenedLibrary& library, NvJitLinkTable& table) {
  std::string lacking;
  const auto find = [&](const char* name, Need need) {
    void* found = symbol(library.handle, name);
    if (!found && need == Need::REQUIRED && lacking.empty()) lacking = name;
    return found;
  };
#define ENTRY(name, since, need) \
  table.name = reinterpret_cast<decltype(&::name)>(find(#name, Need::need));
#include "driver/nvjitlink_entry_points.inc"
#undef ENTRY
  if (!lacking.empty()) return "lacks " + lacking;
  unsigned int major = 0;
  unsigned int minor = 0;
  const bool told =
      table.nvJitLinkVersion && table.nvJitLinkVersion(&major, &minor) == NVJITLINK_SUCCESS;
  table.version = told ? static_cast<int>(major * 1000 + minor * 10) : VERSION_UNTOLD;
  return {};
}

struct Meaning {
  nvJitLinkResult result;
  const char* name;
  Status status;
  const char* advice;
};

constexpr Meaning MEANINGS[] = {
#define RESULT(name, status, advice) {name, #name, Status::status, advice},
#include "driver/nvjitlink_error_map.inc"
#undef RESULT
};

const Meaning* meaning_of(nvJitLinkResult result) noexcept {
  const auto* found =
      std::ranges::find_if(MEANINGS, [result](const Meaning& m) { return m.result == result; });
  return found == std::end(MEANINGS) ? nullptr : found;
}

}  // namespace

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

Status status_of(nvJitLinkResult result) noexcept {
  if (result == NVJITLINK_SUCCESS) return Status::OK;
  const Meaning* meaning = meaning_of(result);
  return meaning ? meaning->status : Status::LINKING;
}

std::string name_of(nvJitLinkResult result) {
  if (result == NVJITLINK_SUCCESS) return "NVJITLINK_SUCCESS";
  const Meaning* meaning = meaning_of(result);
  return meaning ? meaning->name : "nvJitLinkResult " + std::to_string(result);
}

void check(nvJitLinkResult result, std::string_view what, std::string log) {
  if (result == NVJITLINK_SUCCESS) return;
  const Meaning* meaning = meaning_of(result);
  std::string name = name_of(result);
  std::string message = std::string(what) + ": " + name;
  if (meaning && *meaning->advice) message += std::string("; ") + meaning->advice;
  throw Error(status_of(result), std::move(message), std::move(log),
              {"nvjitlink", static_cast<int32_t>(result), std::move(name)});
}

}  // namespace cucore::driver
