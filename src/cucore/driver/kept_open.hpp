// SPDX-License-Identifier: Apache-2.0
// Keeps loaded what toolkit libraries use. NVRTC closes a library of its own when the process
// exits, and a compile that another thread still runs would lose its code and data.
#pragma once

#include <span>

#include "driver/imports.hpp"

namespace cucore::driver {

// The functions that unload libraries, for replace_imports(). The replacements unload nothing.
std::span<const Import> unload_imports() noexcept;

}  // namespace cucore::driver
