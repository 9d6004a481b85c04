// SPDX-License-Identifier: Apache-2.0
// Decompresses into memory whose size was checked before, and compresses for the writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cucore::image {

// Exactly `size` bytes from exactly one zstd frame that declares them; nullopt for anything else.
std::optional<std::vector<std::byte>> unzstd(std::span<const std::byte> stored, uint64_t size);

// The same from one LZ4 block.
std::optional<std::vector<std::byte>> unlz4(std::span<const std::byte> stored, uint64_t size);

// One frame with its content size. @throws Error INTERNAL
std::vector<std::byte> zstd(std::span<const std::byte> raw, int level);

}  // namespace cucore::image
