// SPDX-License-Identifier: Apache-2.0
// Combines sections into a file.
#include "container/assemble.hpp"

#include <algorithm>
#include <cstring>

#include "support/error.hpp"
#include "support/sha256.hpp"

namespace cucore::container {

namespace {

Section& signature_section(std::vector<Section>& sections) {
  const auto is_signature = [](const Section& section) {
    return (section.entry.type & ~MAY_SKIP) == SIG;
  };
  auto found = std::find_if(sections.begin(), sections.end(), is_signature);
  if (found == sections.end()) found = sections.insert(found, Section{});
  found->entry = SectionEntry{};
  found->entry.type = SIG;
  found->own.assign(sizeof(SignatureRecord), std::byte{0});
  found->is_own = true;
  return *found;
}

// Fills in offsets, sizes and digests; returns the size of the file.
uint64_t place(std::vector<Section>& sections) {
  uint64_t end = sizeof(ContainerHeader) + sections.size() * sizeof(SectionEntry);
  for (Section& section : sections) {
    SectionEntry& entry = section.entry;
    entry.offset = align_up(end);
    entry.stored_size = section.stored().size();
    if (entry.compression == STORED) entry.raw_size = entry.stored_size;
    entry.alignment = SECTION_ALIGNMENT;
    const bool signature = (entry.type & ~MAY_SKIP) == SIG;
    entry.digest = signature ? Digest{} : sha256(section.stored());
    end = entry.offset + entry.stored_size;
  }
  return end;
}

ContainerHeader make_header(uint64_t file_size, uint32_t section_count) {
  ContainerHeader header{};
  std::memcpy(header.magic, image::CONTAINER_MAGIC, sizeof image::CONTAINER_MAGIC);
  header.major = CONTAINER_MAJOR;
  header.minor = CONTAINER_MINOR;
  header.header_size = sizeof(ContainerHeader);
  header.file_size = file_size;
  header.section_count = section_count;
  header.entry_size = sizeof(SectionEntry);
  return header;
}

void put(image::Bytes& file, uint64_t offset, const void* data, size_t size) {
  if (size != 0) std::memcpy(file.data() + offset, data, size);
}

void put_signature(image::Bytes& file, const Section& section, const SigningKey& key,
                   std::span<const std::byte> message) {
  SignatureRecord record{};
  record.algorithm = static_cast<uint8_t>(key.algorithm);
  record.key_id = key_id(verifying_key(key));
  record.signature = sign_message(key, message);
  put(file, section.entry.offset, &record, sizeof record);
}

}  // namespace

image::Bytes signed_bytes(std::span<const std::byte> container, uint32_t section_count) {
  const auto part =
      container.first(sizeof(ContainerHeader) + uint64_t{section_count} * sizeof(SectionEntry));
  image::Bytes bytes(part.begin(), part.end());
  std::memset(bytes.data() + offsetof(ContainerHeader, checksum), 0,
              sizeof(ContainerHeader::checksum));
  return bytes;
}

image::Bytes assemble(std::vector<Section> sections, const std::optional<SigningKey>& key) {
  if (key) signature_section(sections);
  if (sections.size() > MAX_SECTIONS)
    throw Error(Status::INVALID_ARGUMENT, "a container holds at most 4096 sections");
  const uint64_t size = place(sections);
  const auto count = static_cast<uint32_t>(sections.size());
  ContainerHeader header = make_header(size, count);
  image::Bytes file(size);
  put(file, 0, &header, sizeof header);
  uint64_t at = sizeof header;
  for (const Section& section : sections) {
    put(file, at, &section.entry, sizeof section.entry);
    at += sizeof section.entry;
    put(file, section.entry.offset, section.stored().data(), section.stored().size());
  }
  const image::Bytes message = signed_bytes(file, count);
  const Digest digest = sha256(message);
  put(file, offsetof(ContainerHeader, checksum), digest.data(), header.checksum.size());
  for (const Section& section : sections)
    if (key && section.entry.type == SIG) put_signature(file, section, *key, message);
  return file;
}

}  // namespace cucore::container
