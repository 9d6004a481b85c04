// SPDX-License-Identifier: Apache-2.0
// The header and the table of a container, checked before anything that they refer to is read.
#pragma once

#include <vector>

#include "container/layout.hpp"
#include "container/reader.hpp"
#include "image/byte_view.hpp"
#include "support/sha256.hpp"

namespace cucore::container {

class Table {
 public:
  // Checks header, checksum, entries, gaps and the digests of all stored bytes. Decompresses
  // nothing. @throws Error INVALID_CODE
  Table(const image::ByteView& file, uint64_t max_image_size);

  const std::vector<SectionEntry>& entries() const { return entries_; }
  // Without the bit that allows to skip it.
  static uint32_t type(const SectionEntry& entry) { return entry.type & ~MAY_SKIP; }
  static bool is_known(const SectionEntry& entry);

  // Returns the only section of a type, or nullptr.
  const SectionEntry* find(SectionType type) const;
  image::ByteView stored(const SectionEntry& entry) const {
    return file_.slice(entry.offset, entry.stored_size, "a section");
  }
  uint64_t offset_of(const SectionEntry& entry) const {
    return sizeof(ContainerHeader) +
           static_cast<uint64_t>(&entry - entries_.data()) * sizeof(SectionEntry);
  }
  // Returns the digest of header and table, which contains the digests of all sections.
  const Digest& digest() const { return digest_; }
  const image::Bytes& signed_part() const { return signed_part_; }

 private:
  void check_header();
  void check_checksum(Sha256& hash);
  void check_entry(const SectionEntry& entry, uint64_t max_image_size);
  void check_image_fields(const SectionEntry& entry, uint64_t at) const;
  void check_places() const;
  void check_features() const;
  void check_digests(Sha256& hash) const;
  void check_counts() const;

  bool file_has_parts() const { return (header_.incompatible & FEATURE_PARTS) != 0; }

  const image::ByteView& file_;
  ContainerHeader header_{};
  std::vector<SectionEntry> entries_;
  image::Bytes signed_part_;
  Digest digest_{};
  uint64_t budget_ = 0;
};

const char* section_type_name(uint32_t type);

}  // namespace cucore::container
