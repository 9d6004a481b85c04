// SPDX-License-Identifier: Apache-2.0
// nvJitLink as a table of functions, found and opened on first use; it needs no driver.
#pragma once

#include <nvJitLink.h>

#include <string>
#include <string_view>

#include "support/error.hpp"

namespace cucore::driver {

struct NvJitLinkTable {
#define ENTRY(name, since, need) decltype(&::name) name = nullptr;
#include "driver/nvjitlink_entry_points.inc"
#undef ENTRY
  int version = 0;   // 13000 is CUDA 13.0; 12000 if it is too old to report it (before 12.3)
  std::string path;  // the file in use
};

// Returns the nvJitLink in use, or throws LIBRARY_MISSING with every path tried; the next call
// tries again.
const NvJitLinkTable& nvjitlink();

// Does the same for callers that can work without it: null, with the reason.
const NvJitLinkTable* nvjitlink_if_available(std::string& why);

// Throws an Error with the attempted action `what` and the reason; log is the linker's output.
void check(nvJitLinkResult result, std::string_view what, std::string log = {});

Status status_of(nvJitLinkResult result) noexcept;

// "NVJITLINK_ERROR_INVALID_INPUT".
std::string name_of(nvJitLinkResult result);

}  // namespace cucore::driver
