// SPDX-License-Identifier: Apache-2.0
// Decompresses into memory whose size was checked in advance, and compresses for the writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cucore::image {

// Decompresses exactly one zstd frame that declares exactly `size` bytes; returns nullopt for
// anything else.
std::optional<std::vector<std::byte>> unzstd(std::span<const std::byte> stored, uint64_t size);

// Does the same for one LZ4 block.
std::optional<std::vector<std::byte>> unlz4(std::span<const std::byte> stored, uint64_t size);

// Compresses the bytes to one frame that records its content size. @throws Error INTERNAL
std::vector<std::byte> zstd(std::span<const std::byte> raw, int level);

}  // namespace cucore::image
