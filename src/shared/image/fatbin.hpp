// SPDX-License-Identifier: Apache-2.0
// Reads fat binaries: the header, the entries, and the images that this library can read.
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

// Returns the number of entries.
// @throws Error INVALID_CODE
size_t count_fatbin_entries(ByteView image);

// Returns the metadata of the entries without reading the images inside.
// @throws Error INVALID_CODE
std::vector<FatbinEntry> fatbin_entries(ByteView image);

// Returns the size of the fat binary at the beginning of `bytes`; more bytes may follow.
// @throws Error INVALID_CODE
uint64_t fatbin_size(ByteView bytes);

// One entry and its decompressed bytes. Scrambled entries have no bytes. The other entries are not
// read.
// @throws Error INVALID_CODE
struct FatbinImage {
  FatbinEntry entry;
  std::vector<std::byte> bytes;
};
FatbinImage read_fatbin_entry(ByteView image, size_t index);

}  // namespace cucore::image
