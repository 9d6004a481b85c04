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

// A container as its parts, with all digests: header and table, then the sections. Borrowed bytes
// are copied only into the output, so a kept object does not contain an image twice.
class Parts {
 public:
  // With a key, the signature replaces that of a SIG section, or is added as the last section.
  Parts(std::vector<Section> sections, const std::optional<SigningKey>& key);

  uint64_t size() const { return size_; }
  // Returns the digest of header and table, which contains the digests of all sections.
  const Digest& digest() const { return digest_; }
  // Writes size() bytes.
  void copy_to(std::byte* out) const;
  image::Bytes bytes() const;

 private:
  uint64_t place();
  void make_head();
  void sign(const SigningKey& key);

  std::vector<Section> sections_;
  image::Bytes head_;
  Digest digest_{};
  uint64_t size_ = 0;
  bool has_parts_ = false;
};

// Returns the bytes of Parts(sections, key).
image::Bytes assemble(std::vector<Section> sections, const std::optional<SigningKey>& key);

// Returns the bytes under the checksum and the signature: header and table, with the checksum zero.
image::Bytes signed_bytes(std::span<const std::byte> container, uint32_t section_count);

}  // namespace cucore::container
