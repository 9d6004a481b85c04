// SPDX-License-Identifier: Apache-2.0
// The CUDA driver as a table of functions, opened on first use; nothing here links to it.
#pragma once

#include <cuda.h>

#include <atomic>
#include <string>
#include <string_view>

#include "support/error.hpp"

#if CUDA_VERSION < 13000
#error "CUDA 13.0's cuda.h or a newer one is needed: the signatures asked for are those it declares"
#endif

namespace cucore::driver {

// The oldest driver that is served: cuLibrary* came with CUDA 12.0.
inline constexpr int OLDEST_DRIVER = 12000;

struct CpuControl;

struct CudaTable {
#define ENTRY(name, since, need) decltype(&::name) name = nullptr;
#include "driver/cuda_entry_points.inc"
#undef ENTRY
  int version = 0;                  // of cuDriverGetVersion: 13000 is CUDA 13.0
  bool is_cpu = false;              // the CPU device, which runs PTX and no machine code
  const CpuControl* cpu = nullptr;  // what the CPU device tells of its faults
  std::string path;                 // the file in use
  void* library = nullptr;          // that file, for dlsym()
};

namespace detail {
extern std::atomic<const CudaTable*> published;  // null until opened, and again after a fork
const CudaTable& open_cuda();
[[noreturn]] void fail(CUresult result, std::string_view what);
}  // namespace detail

// The driver in use. The first call opens and initialises it; a failure is an Error each time
// (LIBRARY_MISSING, DRIVER_TOO_OLD, INVALID_STATE after a fork, ...) and is tried anew next time.
inline const CudaTable& cuda() {
  const CudaTable* table = detail::published.load(std::memory_order_acquire);
  if (table) [[likely]]
    return *table;
  return detail::open_cuda();
}

// The same where having none is normal: null for a driver that is missing, too old, or lost in a
// fork. Never throws.
const CudaTable* cuda_if_available() noexcept;

// How many devices the driver has, with the meaning of cucore_device_count(): 0 where there is no
// driver or no device; throws DRIVER_TOO_OLD, INVALID_STATE and whatever else the driver says.
int device_count();

// Chooses the driver before its first use: "nvidia", "cpu", "auto" or a path with a slash. Later
// the choice must be the driver in use.
void select_driver(std::string_view name_or_path);

// True in a process that was forked after its parent had used the driver: nothing of it may be
// touched any more.
bool forked() noexcept;

// True once the process is exiting: driver objects are not destroyed any more.
bool exiting() noexcept;

// A release must leave driver objects alone: forked or exiting.
inline bool is_gone() noexcept { return forked() || exiting(); }

// Throws an Error that says `what` was attempted ("create a stream on device 0") and why it failed.
inline void check(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) [[unlikely]]
    detail::fail(result, what);
}

// The same where saying what was attempted costs something: describe() is called on failure only.
template <class Describe>
requires requires(Describe d) { std::string(d()); }
void check(CUresult result, Describe&& describe) {
  if (result != CUDA_SUCCESS) [[unlikely]]
    detail::fail(result, std::string(describe()));
}

// Throws the Error of a failed result with what the driver wrote into a log of its own.
[[noreturn]] void fail(CUresult result, std::string_view what, std::string log);

// For releases, which cannot fail: logged, but for a driver or a context that is gone or broken: a
// call before has said so.
void check_release(CUresult result, const char* what) noexcept;

// The status that stands for a driver's result.
Status status_of(CUresult result) noexcept;

// True for results after which the context is of no more use: see cucore_device_reset().
bool is_sticky(CUresult result) noexcept;

// "CUDA_ERROR_INVALID_PTX", also without a driver.
std::string name_of(CUresult result);

// "12.4" of 12040.
std::string version_text(int version);

[[noreturn]] void throw_missing_entry(const char* name, int since);

// An optional entry, or UNSUPPORTED naming the version that has it and the driver's.
template <class Fn>
Fn* require(Fn* entry, const char* name, int since) {
  if (!entry) [[unlikely]]
    throw_missing_entry(name, since);
  return entry;
}

}  // namespace cucore::driver
