// SPDX-License-Identifier: Apache-2.0
// Whether the process can open files: without a free descriptor every library seems to be missing,
// and the system's loader gives up its index of libraries for good.
#pragma once

#include <string>
#include <string_view>

namespace cucore {

// Why no file can be opened; "" if some can.
std::string descriptor_shortage();

// Throws IO if no file can be opened. `what` is what was attempted: "load NVRTC".
void require_descriptors(std::string_view what);

}  // namespace cucore
