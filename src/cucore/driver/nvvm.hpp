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
  int ir_major = 0, ir_minor = 0;  // the newest NVVM IR that it reads
  std::string path;                // the file in use
};

// The libNVVM in use, or an Error LIBRARY_MISSING that lists every path tried; tried anew next
// time.
const NvvmTable& nvvm();

// The file of the device library (libdevice.10.bc) that belongs to the libNVVM in use, or an Error
// LIBRARY_MISSING that lists every path tried.
std::string libdevice_path();

// Throws an Error that says `what` was attempted and why it failed; log is the compiler's output.
void check(nvvmResult result, std::string_view what, std::string log = {});

Status status_of(nvvmResult result) noexcept;

}  // namespace cucore::driver
