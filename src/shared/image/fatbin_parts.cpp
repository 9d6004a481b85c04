// SPDX-License-Identifier: Apache-2.0
#include "image/fatbin_parts.hpp"

#include <algorithm>

#include "image/compression.hpp"

namespace cucore::image {

FatbinHeader fatbin_header(const ByteView& bytes) {
  const auto header = bytes.get<FatbinHeader>(0);
  if (header.magic != FATBIN_MAGIC) bytes.fail(0, "the magic number is not BA55ED50");
  if (header.header_size < sizeof header) bytes.fail(6, "the header is too small");
  return header;
}

FatbinParts::FatbinParts(const ByteView& image) : entries_(image) {
  const FatbinHeader header = fatbin_header(image);
  image.slice(0, header.header_size, "the header");
  entries_ = image.slice(header.header_size, header.size, "the table of entries");
}

std::optional<FatbinPart> FatbinParts::next() {
  if (at_ == entries_.size()) return std::nullopt;
  const auto header = entries_.get<FatbinEntryHeader>(at_);
  const ByteView head = entries_.slice(at_, header.header_size, "the header of an entry");
  if (header.header_size < sizeof header) head.fail(4, "the header of an entry is too small");
  const ByteView stored = entries_.slice(at_ + header.header_size, header.padded_size, "an entry");
  at_ += uint64_t{header.header_size} + header.padded_size;
  return FatbinPart{header, head, stored};
}

std::vector<std::byte> unpack_fatbin_part(const FatbinPart& part) {
  const auto stored = part.stored.bytes();
  if (!part.is_compressed()) return {stored.begin(), stored.end()};
  const auto bytes = stored.first(std::min<size_t>(part.header.compressed_size, stored.size()));
  const bool lz4 = (part.header.flags & FATBIN_LZ4) != 0;
  auto raw = lz4 ? unlz4(bytes, part.header.raw_size) : unzstd(bytes, part.header.raw_size);
  if (!raw) part.head.fail(56, "an entry cannot be decompressed");
  return std::move(*raw);
}

}  // namespace cucore::image
