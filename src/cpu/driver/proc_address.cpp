// SPDX-License-Identifier: Apache-2.0
// cuGetProcAddress: maps a base name and a CUDA version to the export with that ABI.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "cpu/driver/api.hpp"
#include "cpu/driver/failure.hpp"
#include "cpu/driver/process.hpp"

extern "C" {
#define ENTRY(needs, name, base, version, params, args)
#define PER_THREAD(needs, name, impl, base, version, params, args)
#define OTHER(name, base, version, per_thread) void cucpu_address_of_##name() __asm__(#name);
#include "cpu/driver/other_names.inc"
#undef OTHER
#undef ENTRY
#undef PER_THREAD
}

namespace cucore::cpu {
namespace {

struct Export {
  std::string_view base;
  std::string_view name;
  int version;
  bool per_thread;
  void* address;
};

std::vector<Export> sorted_exports() {
  std::vector<Export> all = {
#define ENTRY(needs, name, base, version, params, args) \
  {#base, #name, version, false, reinterpret_cast<void*>(&::name)},
#define PER_THREAD(needs, name, impl, base, version, params, args) \
  {#base, #name, version, true, reinterpret_cast<void*>(&::name)},
#include "cpu/driver/entry_points.inc"
#undef ENTRY
#undef PER_THREAD
#define OTHER(name, base, version, per_thread) \
  {#base, #name, version, per_thread != 0, reinterpret_cast<void*>(&cucpu_address_of_##name)},
#include "cpu/driver/other_names.inc"
#undef OTHER
  };
  std::stable_sort(all.begin(), all.end(),
                   [](const Export& a, const Export& b) { return a.base < b.base; });
  return all;
}

const std::vector<Export>& exports() {
  static const auto& table = *new std::vector<Export>(sorted_exports());
  return table;
}

struct Found {
  void* address = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
};

Found by_base_name(std::string_view base, int version, bool per_thread) {
  const auto& all = exports();
  auto at = std::lower_bound(all.begin(), all.end(), base,
                             [](const Export& e, std::string_view b) { return e.base < b; });
  const auto end = std::find_if(at, all.end(), [base](const Export& e) { return e.base != base; });
  // If requested, the per-thread variants of a function hide its others, whatever their version.
  per_thread = per_thread && std::any_of(at, end, [](const Export& e) { return e.per_thread; });
  Found found;
  int best = -1;
  for (; at != end; ++at) {
    if (at->per_thread != per_thread) continue;
    if (found.status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND)
      found.status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    // As in the real driver, a negative version is above all others.
    if (static_cast<unsigned>(at->version) > static_cast<unsigned>(version)) continue;
    if (at->version <= best) continue;
    best = at->version;
    found = {at->address, CU_GET_PROC_ADDRESS_SUCCESS};
  }
  return found;
}

Found find(std::string_view symbol, int version, cuuint64_t flags) {
  return by_base_name(symbol, version, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
}

void require_valid(const char* symbol, void** pfn, int version, cuuint64_t flags) {
  constexpr cuuint64_t KNOWN =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  require(symbol && pfn && (flags & ~KNOWN) == 0);
  require(version <= DRIVER_VERSION);
}

}  // namespace

namespace api {

CUresult cuGetProcAddress_v2(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* symbolStatus) {
  require_valid(symbol, pfn, cudaVersion, flags);
  Found found = find(symbol, cudaVersion, flags);
  *pfn = found.address;
  if (symbolStatus) *symbolStatus = found.status;
  return CUDA_SUCCESS;
}

// The first ABI has no status output, so an unknown name is an error.
CUresult cuGetProcAddress(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags) {
  require_valid(symbol, pfn, cudaVersion, flags);
  Found found = find(symbol, cudaVersion, flags);
  *pfn = found.address;
  return found.address ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // namespace api
}  // namespace cucore::cpu
