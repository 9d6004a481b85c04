// SPDX-License-Identifier: Apache-2.0
// libNVVM as a table of functions, found and opened on first use; it needs no driver.
#pragma once

#include <string>
#include <string_view>

#include "driver/nvvm_api.hpp"
#include "support/error.hpp"

namespace cucore::driver {

struct NvvmTable {
#define ENTRY(name, since, need) decltype(&::name) name = nullptr;
#include "driver/nvvm_entry_points.inc"
#undef ENTRY
  int version = 0;                 // of libNVVM itself: 2000 is 2.0
  int ir_major = 0, ir_minor = 0;  // the newest NVVM IR that it supports
  std::string path;                // the file in use
};

// Returns the libNVVM in use, or throws LIBRARY_MISSING with every path tried; the next call tries
// again.
const NvvmTable& nvvm();

// Returns the file of the device library (libdevice.10.bc) that belongs to the libNVVM in use, or
// throws LIBRARY_MISSING with every path tried.
std::string libdevice_path();

// Throws an Error with the attempted action `what` and the reason; log is the compiler's output.
void check(nvvmResult result, std::string_view what, std::string log = {});

Status status_of(nvvmResult result) noexcept;

}  // namespace cucore::driver
