// SPDX-License-Identifier: Apache-2.0
// The choice of the linker and its reason: nvJitLink if it can, else the driver's.
#pragma once

#include <cucore.h>

#include <span>
#include <string>

#include "container/objectcode.hpp"

namespace cucore::core {

struct LinkerChoice {
  cucore_backend backend = CUCORE_BACKEND_NVJITLINK;
  std::string reason;   // "nvJitLink 13.0, /usr/local/cuda/lib64/libnvJitLink.so.13"
  std::string problem;  // why even this one cannot do it, or ""
};

// `lto`: link-time optimisation was requested, which only nvJitLink supports.
LinkerChoice choose_linker(std::span<const container::Code* const> inputs, bool lto);

// Returns the toolkit that made object code, major * 10 + minor; 0 if the code does not record it.
int toolkit_of(const container::Code& code);

// Returns the toolkit of nvJitLink, in the same form; 0 if it is missing.
uint16_t nvjitlink_toolkit();

}  // namespace cucore::core
