// SPDX-License-Identifier: Apache-2.0
// Tests whether the process can open files. Without a free descriptor every library appears to be
// missing, and the system's loader permanently discards its index of libraries.
#pragma once

#include <string>
#include <string_view>

namespace cucore {

// Returns the reason that no file can be opened; "" if one can.
std::string descriptor_shortage();

// Throws IO if no file can be opened. `what` is the attempted action: "load NVRTC".
void require_descriptors(std::string_view what);

}  // namespace cucore
