// SPDX-License-Identifier: Apache-2.0
// Combines sections into a file: offsets, digests, header, checksum, signature.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "container/layout.hpp"
#include "container/objectcode.hpp"
#include "container/signature.hpp"

namespace cucore::container {

// A section before assembly: its entry without offset, stored size and digest, and its stored
// bytes, borrowed or owned.
struct Section {
  SectionEntry entry{};
  image::Bytes own;
  std::span<const std::byte> shared;
  bool is_own = true;

  std::span<const std::byte> stored() const { return is_own ? std::span(own) : shared; }
};

// With a key, the signature replaces that of a SIG section, or is added as the last section.
image::Bytes assemble(std::vector<Section> sections, const std::optional<SigningKey>& key);

// Returns the bytes under the checksum and the signature: header and table, with the checksum zero.
image::Bytes signed_bytes(std::span<const std::byte> container, uint32_t section_count);

}  // namespace cucore::container
