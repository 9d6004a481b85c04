// SPDX-License-Identifier: Apache-2.0
// Reads fat binaries: the header, the entries, and inside those what can be read.
#pragma once

#include <cstddef>
#include <vector>

#include "image/byte_view.hpp"
#include "image/fatbin_parts.hpp"
#include "image/image.hpp"
#include "image/memory_budget.hpp"

namespace cucore::image {

// @throws Error INVALID_CODE
ImageInfo read_fatbin(ByteView image, MemoryBudget& budget);

// How many entries there are.
// @throws Error INVALID_CODE
size_t count_fatbin_entries(ByteView image);

// What the entries say of themselves; the images inside are not read.
// @throws Error INVALID_CODE
std::vector<FatbinEntry> fatbin_entries(ByteView image);

// How many bytes the fat binary at the beginning takes; more may follow.
// @throws Error INVALID_CODE
uint64_t fatbin_size(ByteView bytes);

// One entry and its bytes, decompressed; no bytes where they are scrambled. The other entries are
// not read.
// @throws Error INVALID_CODE
struct FatbinImage {
  FatbinEntry entry;
  std::vector<std::byte> bytes;
};
FatbinImage read_fatbin_entry(ByteView image, size_t index);

}  // namespace cucore::image
