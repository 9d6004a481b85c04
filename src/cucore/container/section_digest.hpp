// SPDX-License-Identifier: Apache-2.0
// The digest of a section's stored bytes. That of a large section is a digest of the digests of its
// parts, which several threads compute.
#pragma once

#include <span>

#include "container/layout.hpp"
#include "container/objectcode.hpp"
#include "support/sha256.hpp"

namespace cucore::container {

// Whether a section of this size has parts, in a file with FEATURE_PARTS.
constexpr bool has_parts(uint64_t stored_size) { return stored_size > LARGE_SECTION; }

// Returns SHA-256 over the SHA-256 of each PART_SIZE bytes; the last part may be shorter. Threads
// that do not start leave their share to the calling one.
Digest parts_digest(std::span<const std::byte> stored);

// Returns the digest that the table of a file contains.
Digest section_digest(Sha256& hash, std::span<const std::byte> stored, bool file_has_parts);

}  // namespace cucore::container
