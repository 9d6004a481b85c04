// SPDX-License-Identifier: Apache-2.0
// Combines sections into a file.
#include "container/assemble.hpp"

#include <algorithm>
#include <cstring>

#include "container/section_digest.hpp"
#include "image/copy.hpp"
#include "support/error.hpp"
#include "support/sha256.hpp"

namespace cucore::container {

namespace {

bool is_signature(const Section& section) { return (section.entry.type & ~MAY_SKIP) == SIG; }

void add_signature(std::vector<Section>& sections) {
  auto found = std::ranges::find_if(sections, is_signature);
  if (found == sections.end()) found = sections.insert(found, Section{});
  found->entry = SectionEntry{};
  found->entry.type = SIG;
  found->own.assign(sizeof(SignatureRecord), std::byte{0});
  found->is_own = true;
}

bool is_large(const Section& section) { return has_parts(section.stored().size()); }

ContainerHeader make_header(uint64_t file_size, uint32_t section_count, bool has_parts) {
  ContainerHeader header{};
  std::memcpy(header.magic, image::CONTAINER_MAGIC, sizeof image::CONTAINER_MAGIC);
  header.major = CONTAINER_MAJOR;
  header.minor = CONTAINER_MINOR;
  header.header_size = sizeof(ContainerHeader);
  header.file_size = file_size;
  header.section_count = section_count;
  header.entry_size = sizeof(SectionEntry);
  header.incompatible = has_parts ? FEATURE_PARTS : 0;
  return header;
}

}  // namespace

image::Bytes assemble(std::vector<Section> sections, const std::optional<SigningKey>& key) {
  return Parts(std::move(sections), key).bytes();
}

image::Bytes signed_bytes(std::span<const std::byte> container, uint32_t section_count) {
  const auto part =
      container.first(sizeof(ContainerHeader) + uint64_t{section_count} * sizeof(SectionEntry));
  image::Bytes bytes(part.begin(), part.end());
  std::memset(bytes.data() + offsetof(ContainerHeader, checksum), 0,
              sizeof(ContainerHeader::checksum));
  return bytes;
}

Parts::Parts(std::vector<Section> sections, const std::optional<SigningKey>& key)
    : sections_(std::move(sections)) {
  if (key) add_signature(sections_);
  if (sections_.size() > MAX_SECTIONS)
    throw Error(Status::INVALID_ARGUMENT, "a container holds at most 4096 sections");
  has_parts_ = std::ranges::any_of(sections_, is_large);
  size_ = place();
  make_head();
  if (key) sign(*key);
}

// Fills in offsets, sizes and digests; returns the size of the file.
uint64_t Parts::place() {
  Sha256 hash;
  uint64_t end = sizeof(ContainerHeader) + sections_.size() * sizeof(SectionEntry);
  for (Section& section : sections_) {
    SectionEntry& entry = section.entry;
    entry.offset = align_up(end);
    entry.stored_size = section.stored().size();
    if (entry.compression == STORED) entry.raw_size = entry.stored_size;
    entry.alignment = SECTION_ALIGNMENT;
    entry.digest =
        is_signature(section) ? Digest{} : section_digest(hash, section.stored(), has_parts_);
    end = entry.offset + entry.stored_size;
  }
  return end;
}

void Parts::make_head() {
  const ContainerHeader header =
      make_header(size_, static_cast<uint32_t>(sections_.size()), has_parts_);
  head_.resize(sizeof header + sections_.size() * sizeof(SectionEntry));
  std::memcpy(head_.data(), &header, sizeof header);
  std::byte* at = head_.data() + sizeof header;
  for (const Section& section : sections_) {
    std::memcpy(at, &section.entry, sizeof section.entry);
    at += sizeof section.entry;
  }
  digest_ = sha256(head_);
  std::memcpy(head_.data() + offsetof(ContainerHeader, checksum), digest_.data(),
              header.checksum.size());
}

void Parts::sign(const SigningKey& key) {
  SignatureRecord record{};
  record.algorithm = static_cast<uint8_t>(key.algorithm);
  record.key_id = key_id(verifying_key(key));
  record.signature =
      sign_message(key, signed_bytes(head_, static_cast<uint32_t>(sections_.size())));
  const auto signature = std::ranges::find_if(sections_, is_signature);
  std::memcpy(signature->own.data(), &record, sizeof record);
}

void Parts::copy_to(std::byte* out) const {
  std::memcpy(out, head_.data(), head_.size());
  uint64_t end = head_.size();
  for (const Section& section : sections_) {
    const auto stored = section.stored();
    std::memset(out + end, 0, section.entry.offset - end);
    if (!stored.empty()) std::memcpy(out + section.entry.offset, stored.data(), stored.size());
    end = section.entry.offset + stored.size();
  }
}

// Appends, because a vector that is resized first writes each byte twice.
image::Bytes Parts::bytes() const {
  image::Bytes file = image::reserved_bytes(size_);
  file.assign(head_.begin(), head_.end());
  for (const Section& section : sections_) {
    const auto stored = section.stored();
    file.resize(section.entry.offset);
    file.insert(file.end(), stored.begin(), stored.end());
  }
  return file;
}

}  // namespace cucore::container
