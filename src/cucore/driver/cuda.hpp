// SPDX-License-Identifier: Apache-2.0
// The CUDA driver as a table of functions, opened on first use; the library does not link to it.
#pragma once

#include <cuda.h>

#include <atomic>
#include <string>
#include <string_view>
#include <type_traits>

#include "driver/newer.hpp"
#include "support/error.hpp"

#if CUDA_VERSION < 13000
#error "CUDA 13.0's cuda.h or a newer one is needed: the signatures asked for are those it declares"
#endif

namespace cucore::driver {

// The oldest supported driver: cuLibrary* came with CUDA 12.0.
inline constexpr int OLDEST_DRIVER = 12000;

struct CpuControl;
struct CheckSessions;

struct CudaTable {
#define ENTRY(name, since, need) decltype(&::name) name = nullptr;
#include "driver/cuda_entry_points.inc"
#undef ENTRY
#define OLDER(name, entry, since, ...) \
  std::add_pointer_t<std::remove_pointer_t<__VA_ARGS__>> name = nullptr;
#include "driver/older_entry_points.inc"
#undef OLDER
  int version = 0;                        // from cuDriverGetVersion: 13000 is CUDA 13.0
  bool is_cpu = false;                    // the CPU device, which runs PTX and no machine code
  const CpuControl* cpu = nullptr;        // the CPU device's report of faults
  const CheckSessions* checks = nullptr;  // the CPU device's checks of kernels
  std::string path;                       // the file in use
  void* library = nullptr;                // that file, for dlsym()
};

namespace detail {
extern std::atomic<const CudaTable*> published;  // null until opened, and again after a fork
const CudaTable& open_cuda();
[[noreturn]] void fail(CUresult result, std::string_view what);
}  // namespace detail

// Returns the driver in use, or null before the first cuda() and after a fork.
inline const CudaTable* cuda_if_open() noexcept {
  return detail::published.load(std::memory_order_acquire);
}

// Returns the driver in use. The first call opens and initialises it. A failure is an Error each
// time (LIBRARY_MISSING, DRIVER_TOO_OLD, INVALID_STATE after a fork, ...), and the next call tries
// again.
[[gnu::always_inline]] inline const CudaTable& cuda() {
  if (const CudaTable* const table = cuda_if_open()) [[likely]]
    return *table;
  return detail::open_cuda();
}

// Does the same as cuda() for callers that can work without one. Returns null for a driver that is
// missing, too old, or lost in a fork. Never throws.
const CudaTable* cuda_if_available() noexcept;

// Returns the number of devices, as cucore_device_count(): 0 without a driver or a device. Throws
// DRIVER_TOO_OLD, INVALID_STATE and other errors of the driver.
int device_count();

// Chooses the driver before its first use: "nvidia", "cpu", "auto" or a path with a slash. Later
// the choice must be the driver in use.
void select_driver(std::string_view name_or_path);

// Returns true in the child of a fork whose parent had used the driver: its objects must not be
// used.
bool forked() noexcept;

// Returns true once the process is exiting: driver objects must not be destroyed.
bool exiting() noexcept;

// Returns true if a release must not use driver objects: forked or exiting.
inline bool is_gone() noexcept { return forked() || exiting(); }

// Throws an Error with the attempted action `what` ("create a stream on device 0") and the reason.
inline void check(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) [[unlikely]]
    detail::fail(result, what);
}

// Does the same if the text of the action is costly: describe() is called only on failure.
template <class Describe>
requires requires(Describe d) { std::string(d()); }
void check(CUresult result, Describe&& describe) {
  if (result != CUDA_SUCCESS) [[unlikely]]
    detail::fail(result, std::string(describe()));
}

// Throws the Error of a failed result with the text of the driver's separate log.
[[noreturn]] void fail(CUresult result, std::string_view what, std::string log);

// For releases, which cannot fail: logs the result. A driver or context that is gone or broken is
// not logged, because an earlier call has reported it.
void check_release(CUresult result, const char* what) noexcept;

// Returns the status for a driver's result.
Status status_of(CUresult result) noexcept;

// Returns true for results after which the context is unusable: see cucore_device_reset().
bool is_sticky(CUresult result) noexcept;

// Returns "CUDA_ERROR_INVALID_PTX", also without a driver.
std::string name_of(CUresult result);

// "12.4" of 12040.
std::string version_text(int version);

[[noreturn]] void throw_missing_entry(const char* name, int since);

// Returns an optional entry, or throws UNSUPPORTED with the version that has it and the driver's.
template <class Fn>
Fn* require(Fn* entry, const char* name, int since) {
  if (!entry) [[unlikely]]
    throw_missing_entry(name, since);
  return entry;
}

}  // namespace cucore::driver
