// SPDX-License-Identifier: Apache-2.0
// Reads a CUBIN: an ELF file for machine 190 whose every table is checked before the driver sees
// it.
#pragma once

#include "image/byte_view.hpp"
#include "image/image.hpp"
#include "image/memory_budget.hpp"

namespace cucore::image {

// @throws Error INVALID_CODE
ImageInfo read_cubin(ByteView image, MemoryBudget& budget);

// Returns true if the bytes begin as an ELF file of machine 190.
bool looks_like_cubin(std::span<const std::byte> bytes);

}  // namespace cucore::image
