// SPDX-License-Identifier: Apache-2.0
// Which linker does the work, and why: nvJitLink where it can, else the driver's.
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

// `lto`: link-time optimisation was asked for, which nvJitLink alone does.
LinkerChoice choose_linker(std::span<const container::Code* const> inputs, bool lto);

// The toolkit that made object code, major * 10 + minor; 0 where it does not say.
int toolkit_of(const container::Code& code);

// The toolkit of nvJitLink, written the same; 0 where there is none.
uint16_t nvjitlink_toolkit();

}  // namespace cucore::core
