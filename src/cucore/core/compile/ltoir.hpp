// SPDX-License-Identifier: Apache-2.0
// LTO-IR, which is opaque and runs nowhere: linking shows what it holds and makes it run.
#pragma once

#include "container/objectcode.hpp"

namespace cucore::core {

// Machine code for a device, or PTX for one that runs PTX.
container::Code link_ltoir(const container::Code& code, uint16_t device, bool to_ptx);

// What a link to PTX shows, with the names given at the compile. Where it cannot be linked on its
// own, or nvJitLink is missing, only those names are known.
std::vector<image::Symbol> symbols_of_ltoir(const container::Code& code);

}  // namespace cucore::core
