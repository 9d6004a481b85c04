// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the reader of containers. Each input is read unchanged, and again with a
// correct checksum and digests, because no mutation would ever guess them.
#include <cstdlib>
#include <cstring>

#include "container/assemble.hpp"
#include "container/reader.hpp"
#include "container/writer.hpp"
#include "support/error.hpp"
#include "support/sha256.hpp"

namespace {

using namespace cucore;
using namespace cucore::container;
using namespace cucore::image;

VerifyingKey key() { return {SignatureAlgorithm::HMAC_SHA256, Bytes(3, std::byte{'k'})}; }

// Accepted input must be writable, and must be equal when read again.
void read_and_write(const Bytes& bytes) {
  ReadOptions options;
  options.max_image_size = 1 << 20;
  options.keys = {key()};
  std::optional<Code> code;
  try {
    code = read(bytes, options);
  } catch (const Error& error) {
    if (error.message().empty()) std::abort();
    return;
  }
  if (!(read(write(*code)) == *code)) std::abort();
}

void repair(Bytes& file) {
  ContainerHeader header;
  if (file.size() < sizeof header) return;
  std::memcpy(&header, file.data(), sizeof header);
  const uint64_t room = (file.size() - sizeof header) / sizeof(SectionEntry);
  if (header.section_count > room) return;
  header.file_size = file.size();
  std::memcpy(file.data(), &header, sizeof header);
  for (uint64_t i = 0; i < header.section_count; ++i) {
    const uint64_t at = sizeof header + i * sizeof(SectionEntry);
    SectionEntry entry;
    std::memcpy(&entry, file.data() + at, sizeof entry);
    if (entry.offset > file.size() || entry.stored_size > file.size() - entry.offset) continue;
    if ((entry.type & ~MAY_SKIP) == SIG) continue;
    entry.digest = sha256(std::span(file).subspan(entry.offset, entry.stored_size));
    std::memcpy(file.data() + at, &entry, sizeof entry);
  }
  const Digest digest = sha256(signed_bytes(file, header.section_count));
  std::memcpy(file.data() + offsetof(ContainerHeader, checksum), digest.data(), 16);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto raw = std::as_bytes(std::span(data, size));
  Bytes bytes(raw.begin(), raw.end());
  read_and_write(bytes);
  repair(bytes);
  read_and_write(bytes);
  return 0;
}
