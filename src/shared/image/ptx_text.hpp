// SPDX-License-Identifier: Apache-2.0
// Reads of PTX text what can be known without compiling it: version, target, kernels with their
// parameters, variables. Tolerant of everything inside function bodies: judging those is the
// driver's business.
#pragma once

#include "image/byte_view.hpp"
#include "image/image.hpp"
#include "image/memory_budget.hpp"

namespace cucore::image {

// `text` may end with zeros. @throws Error INVALID_CODE
ImageInfo read_ptx(ByteView text, MemoryBudget& budget);

// True if the bytes begin as PTX does: blanks and comments, then .version.
bool looks_like_ptx(std::span<const std::byte> bytes);

}  // namespace cucore::image
