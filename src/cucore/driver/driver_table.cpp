// SPDX-License-Identifier: Apache-2.0
#include "driver/driver_table.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "driver/check_sessions.hpp"
#include "driver/cpu_control.hpp"

namespace cucore::driver {
namespace {

enum class DriverNeed { REQUIRED, OPTIONAL, ANY_VERSION };

using GetProcAddress = decltype(&::cuGetProcAddress);

template <class Fn>
Fn symbol(const OpenedLibrary& library, const char* name) {
  return reinterpret_cast<Fn>(dlsym(library.handle, name));
}

// Returns null if this driver lacks the function. Functions newer than the driver are never
// queried.
void* entry_point(GetProcAddress get, int driver, const char* name, int since, DriverNeed need) {
  if (need == DriverNeed::ANY_VERSION) since = std::min(since, driver);
  if (since > driver) return nullptr;
  void* found = nullptr;
  CUdriverProcAddressQueryResult status{};
  const CUresult result = get(name, &found, since, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status);
  return result == CUDA_SUCCESS ? found : nullptr;
}

// Returns the first required function that the driver lacks, "" if it has all.
std::string fill(CudaTable& table, GetProcAddress get) {
  std::string lacking;
  const auto find = [&](const char* name, int since, DriverNeed need) {
    void* found = entry_point(get, table.version, name, since, need);
    if (!found && need != DriverNeed::OPTIONAL && lacking.empty()) lacking = name;
    return found;
  };
#define ENTRY(name, since, need) \
  table.name = reinterpret_cast<decltype(&::name)>(find(#name, since, DriverNeed::need));
#include "driver/cuda_entry_points.inc"
#undef ENTRY
#define OLDER(name, entry, since, ...) \
  table.name = reinterpret_cast<__VA_ARGS__>(find(#entry, since, DriverNeed::OPTIONAL));
#include "driver/older_entry_points.inc"
#undef OLDER
  return lacking;
}

Error too_old(const std::string& path, int version) {
  return Error(Status::DRIVER_TOO_OLD,
               "cannot use the CUDA driver " + path + ": driver " + version_text(version) +
                   " found, " + version_text(OLDEST_DRIVER) + " needed; update the NVIDIA driver");
}

// Returns the version, or the reason that the library is not a driver.
std::string read_version(const OpenedLibrary& library, int& version) {
  const auto get = symbol<decltype(&::cuDriverGetVersion)>(library, "cuDriverGetVersion");
  if (!get) return "is not a CUDA driver: it has no cuDriverGetVersion";
  const CUresult result = get(&version);
  if (result == CUDA_ERROR_STUB_LIBRARY) return "is the toolkit's stub for linking, not a driver";
  if (result != CUDA_SUCCESS) return "does not tell its version: " + name_of(result);
  return {};
}

StartedDriver refused(std::string why) { return {{}, std::move(why)}; }

StartedDriver failed(Error error) { return {{nullptr, std::move(error)}, {}}; }

}  // namespace

StartedDriver start_driver(const OpenedLibrary& library) {
  auto table = std::make_unique<CudaTable>();
  table->path = library.path;
  table->library = library.handle;
  if (std::string why = read_version(library, table->version); !why.empty()) return refused(why);
  if (table->version < OLDEST_DRIVER) return failed(too_old(library.path, table->version));
  const auto get = symbol<GetProcAddress>(library, "cuGetProcAddress_v2");
  if (!get) return refused("has no cuGetProcAddress_v2");
  if (const std::string lacking = fill(*table, get); !lacking.empty())
    return refused("lacks " + lacking + ", which every driver since " +
                   version_text(OLDEST_DRIVER) + " has");
  table->cpu = find_cpu_control(*table);
  table->is_cpu = table->cpu != nullptr;
  table->checks = find_check_sessions(*table);
  const CUresult result = table->cuInit(0);
  if (result == CUDA_SUCCESS) return {{std::move(table), {}}, {}};
  if (result == CUDA_ERROR_STUB_LIBRARY)
    return refused("is the toolkit's stub for linking, not a driver");
  std::string what = "initialise the CUDA driver " + library.path;
  if (const std::string why = settings_text(*table); !why.empty()) what += " (" + why + ")";
  return failed(error_of(table.get(), result, what));
}

}  // namespace cucore::driver
