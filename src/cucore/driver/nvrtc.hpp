// SPDX-License-Identifier: Apache-2.0
// NVRTC as a table of functions, found and opened on first use; it needs no driver.
#pragma once

#include <nvrtc.h>

#include <string>
#include <string_view>

#include "support/error.hpp"

namespace cucore::driver {

struct NvrtcTable {
#define ENTRY(name, since, need) decltype(&::name) name = nullptr;
#include "driver/nvrtc_entry_points.inc"
#undef ENTRY
  int version = 0;   // 13000 is CUDA 13.0
  std::string path;  // the file in use
};

// Returns the NVRTC in use, or throws LIBRARY_MISSING with every path tried; the next call tries
// again.
const NvrtcTable& nvrtc();

// Returns the exact build, "V13.0.88 CL-36424714", as NVRTC writes it into its PTX, for cache keys.
// Compiles an empty program on the first call.
std::string nvrtc_build();

// Throws an Error with the attempted action `what` and the reason; log is the compiler's output.
void check(nvrtcResult result, std::string_view what, std::string log = {});

Status status_of(nvrtcResult result) noexcept;

// Throws UNSUPPORTED with the version that has the optional entry and that of this NVRTC.
[[noreturn]] void throw_missing_nvrtc_entry(const char* name, int since);

template <class Fn>
Fn* require_nvrtc(Fn* entry, const char* name, int since) {
  if (!entry) throw_missing_nvrtc_entry(name, since);
  return entry;
}

}  // namespace cucore::driver
