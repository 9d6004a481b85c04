// Reads a CUBIN: an ELF file for machine 190 whose every table is checked before the driver sees
// it.
#pragma once

#include "container/byte_view.hpp"
#include "container/image.hpp"
#include "container/memory_budget.hpp"

namespace cucore::container {

/// @throws Error INVALID_CODE
ImageInfo read_cubin(ByteView image, MemoryBudget& budget);

/// True for the first bytes of an ELF file of machine 190.
bool looks_like_cubin(std::span<const std::byte> bytes);

}  // namespace cucore::container
