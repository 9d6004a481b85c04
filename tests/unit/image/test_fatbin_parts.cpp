// SPDX-License-Identifier: Apache-2.0
// The walk over the entries of fat binaries that the test makes itself.
#include "image/fatbin_parts.hpp"

#include "image/compression.hpp"
#include "image_testing.hpp"

namespace cucore::image {
namespace {

using namespace testing;

template <class T>
void append(Bytes& out, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

Bytes entry(FatbinKind kind, const Bytes& stored, uint64_t flags = 0, uint64_t raw_size = 0) {
  FatbinEntryHeader header{};
  header.kind = kind;
  header.header_size = sizeof header;
  header.padded_size = stored.size();
  header.compressed_size = flags == 0 ? 0 : static_cast<uint32_t>(stored.size());
  header.arch = 80;
  header.flags = flags;
  header.raw_size = raw_size;
  Bytes bytes;
  append(bytes, header);
  bytes.insert(bytes.end(), stored.begin(), stored.end());
  return bytes;
}

Bytes fatbin(const std::vector<Bytes>& entries) {
  Bytes body, bytes;
  for (const Bytes& one : entries) body.insert(body.end(), one.begin(), one.end());
  append(bytes, FatbinHeader{FATBIN_MAGIC, 1, sizeof(FatbinHeader), body.size()});
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

ByteView view(const Bytes& bytes) { return {"FATBIN", bytes}; }

std::string refusal_of(const Bytes& bytes) {
  return message_of([&] {
    for (FatbinParts parts(view(bytes)); parts.next();) continue;
  });
}

TEST(FatbinParts, AreInTheOrderOfTheFile) {
  const Bytes file = fatbin({entry(FATBIN_ELF, bytes_of("machine code")),
                             entry(FATBIN_PTX, bytes_of("text")), entry(FATBIN_LTOIR, {})});
  FatbinParts parts(view(file));
  const auto first = parts.next(), second = parts.next(), third = parts.next();
  ASSERT_TRUE(first && second && third);
  EXPECT_FALSE(parts.next());
  EXPECT_EQ(first->header.kind, FATBIN_ELF);
  EXPECT_EQ(second->header.arch, 80u);
  EXPECT_EQ(unpack_fatbin_part(*second), bytes_of("text"));
  EXPECT_EQ(third->stored.size(), 0u);
  EXPECT_EQ(second->head.base(), 16 + 64 + 12u);
}

TEST(FatbinParts, OfAFileWithoutEntriesAreNone) {
  const Bytes file = fatbin({});
  EXPECT_FALSE(FatbinParts(view(file)).next());
}

TEST(FatbinParts, AreDecompressed) {
  const Bytes raw = bytes_of(std::string(5000, 'x'));
  const Bytes stored = zstd(raw, 3);
  const Bytes file = fatbin({entry(FATBIN_PTX, stored, FATBIN_ZSTD, raw.size())});
  const auto part = FatbinParts(view(file)).next();
  ASSERT_TRUE(part);
  EXPECT_TRUE(part->is_compressed());
  EXPECT_EQ(unpack_fatbin_part(*part), raw);
}

TEST(FatbinParts, ThatCannotBeDecompressedAreRefused) {
  const Bytes stored = zstd(bytes_of("text"), 3);
  const std::pair<uint64_t, uint64_t> rows[] = {
      {FATBIN_ZSTD, 5}, {FATBIN_ZSTD, 0}, {FATBIN_LZ4, 4}, {FATBIN_ZSTD, uint64_t{1} << 60}};
  for (const auto& [flags, size] : rows) {
    const Bytes file = fatbin({entry(FATBIN_PTX, stored, flags, size)});
    const auto part = FatbinParts(view(file)).next();
    ASSERT_TRUE(part);
    EXPECT_NE(message_of([&] { unpack_fatbin_part(*part); }).find("cannot be decompressed"),
              std::string::npos);
  }
}

TEST(FatbinParts, RefuseEveryTruncation) {
  const Bytes file =
      fatbin({entry(FATBIN_PTX, bytes_of("text")), entry(FATBIN_ELF, bytes_of("x"))});
  EXPECT_EQ(refusal_of(file), "");
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_NE(refusal_of(Bytes(file.begin(), file.begin() + static_cast<ptrdiff_t>(size))), "")
        << size;
}

TEST(FatbinParts, RefuseSizesThatDoNotFit) {
  const Bytes good = fatbin({entry(FATBIN_PTX, bytes_of("text"))});
  constexpr size_t ENTRY = sizeof(FatbinHeader);
  EXPECT_NE(refusal_of(changed_at<uint32_t>(good, 0, 1)), "");
  EXPECT_NE(refusal_of(changed_at<uint16_t>(good, 6, 15)), "");
  EXPECT_NE(refusal_of(changed_at<uint64_t>(good, 8, UINT64_MAX)), "");
  EXPECT_NE(refusal_of(changed_at<uint32_t>(good, ENTRY + 4, 63)), "");
  EXPECT_NE(refusal_of(changed_at<uint32_t>(good, ENTRY + 4, UINT32_MAX)), "");
  EXPECT_NE(refusal_of(changed_at<uint64_t>(good, ENTRY + 8, UINT64_MAX - 60)), "");
}

}  // namespace
}  // namespace cucore::image
