// SPDX-License-Identifier: Apache-2.0
// Fat binaries: real ones with zstd and LZ4, and damaged ones.
#include "image/compression.hpp"
#include "image/fatbin.hpp"
#include "image_testing.hpp"

namespace cucore::image {
namespace {

using namespace testing;

constexpr uint64_t ENTRY = 16;  // the first entry follows the header

Bytes zstd_fatbin() { return load_image("saxpy_zstd.fatbin"); }
Bytes lz4_fatbin() { return load_image("saxpy_lz4.fatbin"); }

template <class T>
std::string after(const Bytes& image, uint64_t offset, T value) {
  return refusal(CodeType::FATBIN, changed_at(image, offset, value));
}

TEST(Fatbin, EntriesWithZstd) {
  const ImageInfo info = inspect(CodeType::FATBIN, zstd_fatbin());
  EXPECT_TRUE(info.arch.empty());
  EXPECT_EQ(info.toolkit, 130);
  ASSERT_EQ(info.entries.size(), 3u);
  EXPECT_EQ(info.entries[0].type, CodeType::CUBIN);
  EXPECT_EQ(info.entries[0].arch.text(), "sm_90");
  EXPECT_EQ(info.entries[0].resources.size(), 1u);
  EXPECT_EQ(info.entries[1].type, CodeType::PTX);
  EXPECT_EQ(info.entries[1].arch.text(), "compute_90");
  EXPECT_EQ(info.entries[1].ptx_isa, 90);
  EXPECT_EQ(info.entries[2].type, CodeType::LTOIR);
  EXPECT_TRUE(info.entries[2].symbols.empty());
  for (const FatbinEntry& entry : info.entries) EXPECT_LT(entry.stored_size, entry.size);
  ASSERT_EQ(info.symbols.size(), 1u) << "one kernel, though two images have it";
  EXPECT_EQ(info.symbols[0].parameters->size(), 4u);
}

TEST(Fatbin, OneEntryIsTakenOut) {
  const Bytes file = zstd_fatbin();
  const ByteView view("FATBIN", file);
  ASSERT_EQ(count_fatbin_entries(view), 3u);
  const ImageInfo info = inspect(CodeType::FATBIN, file);
  for (size_t i = 0; i < 2; ++i) {
    const FatbinImage image = read_fatbin_entry(view, i);
    EXPECT_EQ(image.entry.type, info.entries[i].type);
    EXPECT_EQ(image.bytes.size(), info.entries[i].size);
    EXPECT_EQ(inspect(image.entry.type, image.bytes).symbols, info.entries[i].symbols);
  }
  EXPECT_EQ(read_fatbin_entry(view, 2).entry.type, CodeType::LTOIR);
  EXPECT_TRUE(read_fatbin_entry(view, 2).bytes.empty()) << "nvcc scrambles LTOIR";
  EXPECT_THROW(read_fatbin_entry(view, 3), Error);
}

TEST(Fatbin, EntriesWithLz4) {
  const ImageInfo info = inspect(CodeType::FATBIN, lz4_fatbin());
  ASSERT_EQ(info.entries.size(), 1u);
  EXPECT_TRUE(info.entries[0].compressed);
  EXPECT_EQ(info.symbols.at(0).lowered_name, "saxpy");
}

TEST(Fatbin, Header) {
  const Bytes image = zstd_fatbin();
  EXPECT_NE(after<uint32_t>(image, 0, 0x466243b1).find("BA55ED50"), std::string::npos);
  EXPECT_NE(after<uint16_t>(image, 4, 2).find("version 1"), std::string::npos);
  EXPECT_NE(after<uint16_t>(image, 6, 8).find("too small"), std::string::npos);
  EXPECT_NE(after<uint16_t>(image, 6, 0xffff).find("inside"), std::string::npos);
  EXPECT_NE(after<uint64_t>(image, 8, 0).find("no entries"), std::string::npos);
  EXPECT_NE(after<uint64_t>(image, 8, UINT64_MAX).find("inside"), std::string::npos);
  EXPECT_NE(after<uint64_t>(image, 8, image.size() - 15).find("inside"), std::string::npos);
}

TEST(Fatbin, Entries) {
  const Bytes image = zstd_fatbin();
  const auto refused = [&](uint64_t offset, auto value, const char* part) {
    const std::string message = after(image, ENTRY + offset, value);
    EXPECT_NE(message.find(part), std::string::npos) << offset << " " << message;
  };
  refused(4, uint32_t{32}, "too small");
  refused(4, uint32_t{0xfffffff0}, "inside");
  refused(8, uint64_t{0}, "empty");
  refused(8, UINT64_MAX, "inside");
  refused(8, uint64_t{8}, "does not fit");
  refused(16, uint32_t{0}, "does not fit");
  refused(16, uint32_t{0xffffffff}, "does not fit");
  refused(16, uint32_t{700}, "does not fit");
  refused(16, read_at<uint32_t>(image, ENTRY + 16) - 1, "decompressed");
  refused(20, uint32_t{0xfffffff0}, "too early");
  refused(28, uint32_t{0}, "no architecture");
  refused(28, uint32_t{100}, "another architecture");
  refused(36, uint32_t{100}, "inside");
  refused(40, uint64_t{0x11}, "unknown way");
  refused(56, uint64_t{0}, "too large");
  refused(56, UINT64_MAX, "too large");
  refused(56, uint64_t{1} << 30, "decompressed");
  refused(56, uint64_t{1000}, "decompressed");
  refused(0, uint16_t{1}, "");
}

TEST(Fatbin, AnUnknownKindOfEntryIsListedAndNotRead) {
  const ImageInfo info = inspect(CodeType::FATBIN, changed_at<uint16_t>(zstd_fatbin(), ENTRY, 64));
  EXPECT_EQ(info.entries[0].kind, 64);
  EXPECT_STREQ(code_type_name(info.entries[0].type), "unknown");
  EXPECT_EQ(info.entries.size(), 3u);
}

TEST(Fatbin, SuffixesComeFromTheFlags) {
  const Bytes image = zstd_fatbin();
  const auto flags = read_at<uint64_t>(image, ENTRY + 40);
  const auto arch = [&](uint64_t bit) {
    return inspect(CodeType::FATBIN, changed_at(image, ENTRY + 40, flags | bit))
        .entries[0]
        .arch.text();
  };
  EXPECT_EQ(arch(0x100000), "sm_90a");
  EXPECT_EQ(arch(0x200000), "sm_90f");
}

TEST(Fatbin, AContainedImageIsCheckedLikeAnyOther) {
  // An uncompressed entry made of a CUBIN with a damaged section table.
  const Bytes good = load_image("saxpy_sm80.cubin");
  const auto fatbin_of = [](const Bytes& cubin) {
    Bytes image(80);
    image = changed_at<uint32_t>(image, 0, 0xba55ed50);
    image = changed_at<uint32_t>(image, 4, 0x00100001);
    image = changed_at<uint64_t>(image, 8, 64 + cubin.size());
    image = changed_at<uint16_t>(image, 16, 2);
    image = changed_at<uint32_t>(image, 20, 64);
    image = changed_at<uint64_t>(image, 24, cubin.size());
    image = changed_at<uint32_t>(image, 44, 80);
    image.insert(image.end(), cubin.begin(), cubin.end());
    return image;
  };
  EXPECT_EQ(refusal(CodeType::FATBIN, fatbin_of(good)), "");
  EXPECT_IMAGE_REFUSED("section", CodeType::FATBIN,
                       fatbin_of(changed_at<uint64_t>(good, 40, 1 << 20)));
}

TEST(Fatbin, WhatFollowsTheEnd) {
  Bytes image = lz4_fatbin();
  image.resize(image.size() + 8);
  EXPECT_EQ(refusal(CodeType::FATBIN, image), "");
  image.back() = std::byte{1};
  EXPECT_IMAGE_REFUSED("belong to nothing", CodeType::FATBIN, image);
}

TEST(Fatbin, EveryTruncationIsRefusedAndNoFlipCrashes) {
  EXPECT_EQ(accepted_truncations(CodeType::FATBIN, zstd_fatbin()), 0u);
  EXPECT_EQ(accepted_truncations(CodeType::FATBIN, lz4_fatbin()), 0u);
  for (const Bytes& image : {zstd_fatbin(), lz4_fatbin()}) {
    for (uint64_t bit = 0; bit < image.size() * 8; ++bit) {
      Bytes changed = image;
      changed[bit / 8] ^= std::byte{1} << (bit % 8);
      refusal(CodeType::FATBIN, changed);
    }
    shake(CodeType::FATBIN, image, 2, 2000);
  }
}

TEST(Lz4, OnlyWholeBlocksOfTheRightSize) {
  EXPECT_FALSE(unlz4({}, 0));
  const Bytes literal = bytes_of(std::string("\x50hello"));
  ASSERT_TRUE(unlz4(literal, 5));
  EXPECT_EQ(*unlz4(literal, 5), bytes_of("hello"));
  EXPECT_FALSE(unlz4(literal, 4));
  EXPECT_FALSE(unlz4(literal, 6));
  EXPECT_FALSE(unlz4(literal, uint64_t{1} << 40));
}

}  // namespace
}  // namespace cucore::image
