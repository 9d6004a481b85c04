// SPDX-License-Identifier: Apache-2.0
// LTO-IR, which is opaque and runs nowhere: a link makes its content visible and executable.
#pragma once

#include "container/objectcode.hpp"

namespace cucore::core {

// Returns machine code for a device, or PTX for one that runs PTX.
container::Code link_ltoir(const container::Code& code, uint16_t device, bool to_ptx);

// Returns the symbols that a link to PTX shows, with the names from the compile. If it cannot be
// linked alone, or nvJitLink is missing, only those names are known.
std::vector<image::Symbol> symbols_of_ltoir(const container::Code& code);

}  // namespace cucore::core
