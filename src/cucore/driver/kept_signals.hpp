// SPDX-License-Identifier: Apache-2.0
// Signal handlers belong to the program. NVRTC's front end replaces those of SIGINT, SIGTERM and
// SIGXFSZ on its first compile; its handler ends the process with exit code 4.
#pragma once

#include <span>

#include "driver/imports.hpp"

namespace cucore::driver {

// The functions that set signal handlers, for replace_imports(). The replacements change nothing.
std::span<const Import> signal_imports() noexcept;

}  // namespace cucore::driver
