// SPDX-License-Identifier: Apache-2.0
// The exports of the fake driver and its cuGetProcAddress, from the library's own table.
#include <cstring>
#include <iterator>
#include <string>
#include <type_traits>

#include "fakes/fake_api.hpp"
#include "fakes/fake_driver.hpp"

namespace fake {
namespace {

constexpr const char* NAMES[] = {
#define ENTRY(name, since, need) #name,
#include "driver/cuda_entry_points.inc"
#undef ENTRY
#define OLDER(name, entry, since, ...) #entry,
#include "driver/older_entry_points.inc"
#undef OLDER
};

enum Index {
#define ENTRY(name, since, need) INDEX_##name,
#include "driver/cuda_entry_points.inc"
#undef ENTRY
#define OLDER(name, entry, since, ...) INDEX_##name,
#include "driver/older_entry_points.inc"
#undef OLDER
};

enum class Need { REQUIRED, OPTIONAL, ANY_VERSION };

constexpr bool starts_with(const char* text, const char* prefix) {
  for (; *prefix; ++text, ++prefix)
    if (*text != *prefix) return false;
  return true;
}

constexpr bool contains(const char* text, const char* part) {
  for (; *text; ++text)
    if (starts_with(text, part)) return true;
  return false;
}

constexpr Role role_of(const char* name) {
  if (starts_with(name, "cuGetError")) return Role::NAMING;
  for (const char* release : {"Destroy", "Unload", "Free", "CtxRelease", "PopCurrent",
                              "ReleaseUserObject", "UserObjectRelease"})
    if (contains(name, release)) return Role::RELEASE;
  return Role::NORMAL;
}

struct Known {
  const char* name;
  int since;  // since the oldest variant with this signature
  void* function;
};

template <int index, auto Function>
void* wrapped() {
  return reinterpret_cast<void*>(&Entry<NAMES, index, role_of(NAMES[index]), Function>::call);
}

// An entry of ANY_VERSION exists since the first driver.
constexpr int oldest(int since, Need need) { return need == Need::ANY_VERSION ? 2000 : since; }

// Returns the newest variant that is not newer than the version; else a newer one.
const Known* find(const std::string& name, int version) {
  static const Known KNOWN[] = {
#define ENTRY(name, since, need) \
  {#name, oldest(since, Need::need), wrapped<INDEX_##name, &api::name>()},
#include "driver/cuda_entry_points.inc"
#undef ENTRY
#define OLDER(name, entry, since, ...) {#entry, since, wrapped<INDEX_##name, &api::name>()},
#include "driver/older_entry_points.inc"
#undef OLDER
  };
  const Known* newer = nullptr;
  const Known* best = nullptr;
  for (const Known& known : KNOWN) {
    if (name != known.name) continue;
    if (known.since > version)
      newer = &known;
    else if (!best || known.since > best->since)
      best = &known;
  }
  return best ? best : newer;
}

bool is_missing(const std::string& name) {
  return std::strstr(VARIANT.missing, (" " + name + " ").c_str()) != nullptr;
}

CUresult look_up(const std::string& name, void** out, int version,
                 CUdriverProcAddressQueryResult& status) {
  const int own = driver().version;
  const Known* known = find(name, version);
  *out = nullptr;
  status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  if (version > own) return CUDA_ERROR_INVALID_VALUE;
  if (!known || known->since > own || is_missing(name)) return CUDA_ERROR_NOT_FOUND;
  status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
  if (known->since > version) return CUDA_ERROR_NOT_FOUND;
  status = CU_GET_PROC_ADDRESS_SUCCESS;
  *out = known->function;
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace fake

extern "C" {

FAKE_API CUresult cuGetProcAddress_v2(const char* symbol, void** pfn, int version, cuuint64_t flags,
                                      CUdriverProcAddressQueryResult* symbol_status) {
  const fake::Inside inside;
  if (!symbol || !pfn || flags != CU_GET_PROC_ADDRESS_LEGACY_STREAM)
    return CUDA_ERROR_INVALID_VALUE;
  CUdriverProcAddressQueryResult status{};
  const CUresult result = fake::look_up(symbol, pfn, version, status);
  if (symbol_status) *symbol_status = status;
  return result;
}

FAKE_API CUresult cuDriverGetVersion(int* version) {
  const int own = fake::driver().version;
  // a driver that does not even report its version
  if (own < 0) return static_cast<CUresult>(-own);
  *version = own;
  return CUDA_SUCCESS;
}
}
