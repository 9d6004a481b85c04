// SPDX-License-Identifier: Apache-2.0
// Keeps libraries of the toolkit loaded. NVRTC closes a library of its own at exit, and a compile
// that another thread still runs would lose its code and data.
#pragma once

#include <span>

#include "driver/imports.hpp"

namespace cucore::driver {

// The functions that unload libraries, for replace_imports(). The replacements unload nothing.
std::span<const Import> unload_imports() noexcept;

}  // namespace cucore::driver
