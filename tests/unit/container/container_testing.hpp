// SPDX-License-Identifier: Apache-2.0
// Values and an attacker's tools for the tests of the container.
#pragma once

#include "../image/image_testing.hpp"
#include "container/assemble.hpp"
#include "container/layout.hpp"
#include "container/objectcode.hpp"
#include "container/reader.hpp"
#include "container/writer.hpp"
#include "support/sha256.hpp"

namespace cucore::container {
using namespace image;
}  // namespace cucore::container

namespace cucore::container::testing {
using namespace image::testing;

inline Code ptx_code(size_t size = 0) {
  return make_code(CodeType::PTX, bytes_of(ptx_text(size)), "scale.cu");
}

// Returns code with every optional part, about 4 KiB when written.
inline Code rich_code() {
  Code code = ptx_code(2500);
  const NamedExpression names[] = {{"scale<float>", "scale"}};
  code.symbols = merge_expressions(std::move(code.symbols), names);
  code.log = "scale.cu(3): warning\n";
  code.metadata = {{"producer", "NVRTC"},
                   {"level", int64_t{-3}},
                   {"options", std::vector<std::string>{"-G", "", "ä"}}};
  code.dependencies = {{"a.h", 3, sha256(std::string_view("a.h"))}};
  code.key = Key{sha256(std::string_view("k")), {{3, bytes_of("abc")}}};
  code.source = "__global__ void scale();";
  return code;
}

inline SigningKey hmac_key(std::string_view text = "secret") {
  return {SignatureAlgorithm::HMAC_SHA256, bytes_of(text)};
}

inline SigningKey ed25519_key(uint8_t first = 1) {
  return {SignatureAlgorithm::ED25519, Bytes(32, std::byte{first})};
}

inline ReadOptions required(const SigningKey& key) {
  ReadOptions options;
  options.policy = SignaturePolicy::REQUIRED;
  options.keys = {verifying_key(key)};
  return options;
}

// Returns the status of a read; the message is never empty.
inline Status status_of(const Bytes& bytes, const ReadOptions& options = {}) {
  try {
    read(bytes, options);
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
    return error.status();
  }
  return Status::OK;
}

inline SectionEntry entry_at(const Bytes& file, size_t index) {
  SectionEntry entry;
  std::memcpy(&entry, file.data() + sizeof(ContainerHeader) + index * sizeof entry, sizeof entry);
  return entry;
}

inline void put_entry(Bytes& file, size_t index, const SectionEntry& entry) {
  std::memcpy(file.data() + sizeof(ContainerHeader) + index * sizeof entry, &entry, sizeof entry);
}

inline ContainerHeader header_of(const Bytes& file) {
  ContainerHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  return header;
}

inline size_t index_of(const Bytes& file, uint32_t type) {
  for (size_t i = 0; i < header_of(file).section_count; ++i)
    if (entry_at(file, i).type == type) return i;
  ADD_FAILURE() << "no section " << type;
  return 0;
}

// Repairs a file as an attacker without a key can: every digest and the checksum match again.
inline void repair(Bytes& file) {
  ContainerHeader header = header_of(file);
  for (size_t i = 0; i < header.section_count; ++i) {
    SectionEntry entry = entry_at(file, i);
    if (entry.offset > file.size() || entry.stored_size > file.size() - entry.offset) continue;
    if ((entry.type & ~MAY_SKIP) == SIG) continue;
    entry.digest = sha256(std::span(file).subspan(entry.offset, entry.stored_size));
    put_entry(file, i, entry);
  }
  const Bytes part = signed_bytes(file, header.section_count);
  const Digest digest = sha256(part);
  std::memcpy(file.data() + offsetof(ContainerHeader, checksum), digest.data(), 16);
}

}  // namespace cucore::container::testing
