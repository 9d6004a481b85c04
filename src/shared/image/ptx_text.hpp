// SPDX-License-Identifier: Apache-2.0
// Reads the facts of a PTX text that need no compile: version, target, kernels with their
// parameters, variables. Accepts anything inside function bodies, which only the driver checks.
#pragma once

#include "image/byte_view.hpp"
#include "image/image.hpp"
#include "image/memory_budget.hpp"

namespace cucore::image {

// Reads PTX; `text` may end with zeros. @throws Error INVALID_CODE
ImageInfo read_ptx(ByteView text, MemoryBudget& budget);

// Returns true if the bytes begin as PTX does: blanks and comments, then .version.
bool looks_like_ptx(std::span<const std::byte> bytes);

}  // namespace cucore::image
