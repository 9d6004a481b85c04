// SPDX-License-Identifier: Apache-2.0
// Containers with large sections: the digests of their parts, and files of release 0.1 without
// them.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "container/section_digest.hpp"
#include "container_testing.hpp"

namespace cucore::container {
namespace {

using namespace testing;

Bytes noise(size_t size) {
  Bytes bytes(size);
  uint32_t state = 1;
  for (std::byte& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::byte>(state >> 24);
  }
  return bytes;
}

Digest expected_digest(const Bytes& bytes) {
  Sha256 all;
  for (size_t at = 0; at < bytes.size(); at += 1 << 20)
    all.update(sha256(std::span(bytes).subspan(at, std::min<size_t>(1 << 20, bytes.size() - at))));
  return all.finish();
}

// Returns PTX of exactly this size, with its final NUL.
Code code_of(size_t size) {
  Code code = ptx_code();
  code.bytes.resize(size, std::byte{'\n'});
  std::ranges::replace(code.bytes, std::byte{0}, std::byte{'\n'});
  code.bytes.back() = {};
  return code;
}

uint32_t features(const Bytes& file) { return header_of(file).incompatible; }

// Repairs the checksum of a changed header or table.
void set_checksum(Bytes& file) {
  const Digest digest = sha256(signed_bytes(file, header_of(file).section_count));
  std::copy_n(digest.begin(), 16, file.begin() + offsetof(ContainerHeader, checksum));
}

// Returns a file as release 0.1 writes it: one digest over all bytes of each section.
Bytes without_parts(Bytes file) {
  ContainerHeader header = header_of(file);
  header.incompatible = 0;
  std::memcpy(file.data(), &header, sizeof header);
  for (size_t i = 0; i < header.section_count; ++i) {
    SectionEntry entry = entry_at(file, i);
    entry.digest = sha256(std::span(file).subspan(entry.offset, entry.stored_size));
    put_entry(file, i, entry);
  }
  set_checksum(file);
  return file;
}

TEST(LargeSections, TheDigestIsThatOfTheDigestsOfParts) {
  for (const size_t size : {size_t{1}, size_t{1} << 20, (size_t{8} << 20) + 1, size_t{20} << 20}) {
    const Bytes bytes = noise(size);
    EXPECT_EQ(parts_digest(bytes), expected_digest(bytes)) << size;
  }
}

TEST(LargeSections, HaveTheFeatureAndAreRead) {
  const Code code = code_of(9 << 20);
  const Bytes file = write(code);
  EXPECT_EQ(features(file), FEATURE_PARTS);
  EXPECT_EQ(read(file).bytes, code.bytes);
  EXPECT_EQ(write(read(file)), file);
}

TEST(LargeSections, BeginAboveEightMebibytes) {
  EXPECT_EQ(features(write(code_of(8 << 20))), 0u);
  EXPECT_EQ(features(write(code_of((8 << 20) + 1))), FEATURE_PARTS);
}

TEST(LargeSections, AFlipInEachPartIsRefused) {
  const Bytes file = write(code_of(9 << 20));
  const SectionEntry image = entry_at(file, index_of(file, 16));
  for (uint64_t at = image.offset; at < file.size(); at += PART_SIZE / 2 + 1) {
    Bytes changed = file;
    changed[at] ^= std::byte{1};
    EXPECT_EQ(status_of(changed), Status::INVALID_CODE) << at;
  }
}

TEST(LargeSections, SwappedPartsAreRefused) {
  Bytes file = write(code_of(9 << 20));
  const SectionEntry image = entry_at(file, index_of(file, 16));
  std::byte* parts = file.data() + image.offset;
  parts[PART_SIZE + 5] = std::byte{'a'};  // so that the parts differ
  std::swap_ranges(parts, parts + PART_SIZE, parts + PART_SIZE);
  EXPECT_EQ(status_of(file), Status::INVALID_CODE);
}

TEST(LargeSections, FilesOfRelease01AreRead) {
  const Code code = code_of(9 << 20);
  const Bytes file = without_parts(write(code));
  EXPECT_EQ(read(file).bytes, code.bytes);
}

TEST(LargeSections, AFileWithoutOneMustNotHaveTheFeature) {
  Bytes file = write(code_of(1 << 20));
  ContainerHeader header = header_of(file);
  header.incompatible = FEATURE_PARTS;
  std::memcpy(file.data(), &header, sizeof header);
  set_checksum(file);
  EXPECT_NE(message_of([&] { read(file); }).find("no large section"), std::string::npos);
}

TEST(LargeSections, AnUnknownFeatureIsRefused) {
  Bytes file = write(code_of(9 << 20));
  ContainerHeader header = header_of(file);
  header.incompatible = FEATURE_PARTS | 2;
  std::memcpy(file.data(), &header, sizeof header);
  set_checksum(file);
  EXPECT_NE(message_of([&] { read(file); }).find("features"), std::string::npos);
}

TEST(LargeSections, AreSigned) {
  const Code code = code_of(9 << 20);
  const Bytes file = write(code, {.sign = hmac_key()});
  EXPECT_EQ(status_of(file, required(hmac_key())), Status::OK);
  EXPECT_EQ(sign(write(code), hmac_key()), file);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Without address space for stacks, no thread starts.
void digest_without_threads(const Bytes& bytes, const Digest& expected) {
  rlimit limit{size_t{1} << 20, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
  _exit(parts_digest(bytes) == expected ? 0 : 1);
}

TEST(LargeSections, WithoutThreadsTheDigestIsTheSame) {
  const Bytes bytes = noise(9 << 20);
  const Digest expected = expected_digest(bytes);
  EXPECT_EXIT(digest_without_threads(bytes, expected), ::testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace cucore::container
