// SPDX-License-Identifier: Apache-2.0
// Fat binaries assembled here byte by byte: every compression, the choice of an entry, hostile
// bytes.
#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <random>

#include "cpu/driver/fatbin.hpp"

namespace cucore::cpu {
namespace {

enum class Packing { raw, zstd, lz4 };

template <typename T>
void put(std::string& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::string pack(const std::string& text, Packing packing) {
  if (packing == Packing::raw) return text;
  std::string packed(text.size() * 2 + 100, '\0');
  size_t size = packing == Packing::zstd
                    ? ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3)
                    : static_cast<size_t>(LZ4_compress_default(
                          text.data(), packed.data(), int(text.size()), int(packed.size())));
  packed.resize(size);
  return packed;
}

std::string entry(const std::string& text, unsigned target, Packing packing, uint16_t kind = 1) {
  std::string payload = pack(text, packing);
  size_t exact = payload.size();
  payload.resize((exact + 7) / 8 * 8);
  std::string header(64, '\0');
  put<uint16_t>(header, 0, kind);
  put<uint16_t>(header, 2, 0x101);
  put<uint32_t>(header, 4, 64);
  put<uint64_t>(header, 8, payload.size());
  put<uint32_t>(header, 16, packing == Packing::raw ? 0 : uint32_t(exact));
  put<uint32_t>(header, 28, target);
  put<uint64_t>(header, 40,
                packing == Packing::zstd  ? 0x8011
                : packing == Packing::lz4 ? 0x2011
                                          : 0x11);
  put<uint64_t>(header, 56, packing == Packing::raw ? 0 : text.size());
  return header + payload;
}

std::string fatbin(const std::string& entries) {
  std::string header(16, '\0');
  put<uint32_t>(header, 0, FATBIN_MAGIC);
  put<uint16_t>(header, 4, 1);
  put<uint16_t>(header, 6, 16);
  put<uint64_t>(header, 8, entries.size());
  return header + entries;
}

FatbinResult extract(const std::string& image, unsigned target = 90) {
  return extract_ptx(image.data(), image.size(), target);
}

const std::string TEXT = "\n\n.version 8.0\n.target sm_90\n" + std::string(500, ' ') + "// end\n";

class Packings : public testing::TestWithParam<Packing> {};

TEST_P(Packings, GiveTheTextBack) {
  FatbinResult result = extract(fatbin(entry(TEXT + std::string(5, '\0'), 90, GetParam())));
  EXPECT_EQ(result.status, FatbinStatus::OK) << result.message;
  EXPECT_EQ(result.ptx, TEXT);
  EXPECT_EQ(result.target, 90u);
}

// Every prefix is an error; every changed byte has a result without a crash.
TEST_P(Packings, SurviveCutsAndChanges) {
  std::string image = fatbin(entry(TEXT, 75, GetParam()) + entry(TEXT, 90, GetParam()));
  for (size_t size = 0; size < image.size(); ++size)
    EXPECT_EQ(extract(image.substr(0, size)).status, FatbinStatus::MALFORMED) << size;
  std::mt19937 random(3);
  for (size_t at = 0; at < image.size(); ++at) {
    std::string changed = image;
    changed[at] = static_cast<char>(changed[at] ^ (1u << random() % 8));
    FatbinResult result = extract(changed);
    EXPECT_TRUE(result.status == FatbinStatus::OK || !result.message.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Packings, testing::Values(Packing::raw, Packing::zstd, Packing::lz4));

TEST(Fatbin, TakesTheHighestTargetTheDeviceCanRun) {
  std::string image =
      fatbin(entry(".version 75", 75, Packing::raw) + entry("binary", 90, Packing::raw, 2) +
             entry(".version 80", 80, Packing::raw) + entry(".version 100", 100, Packing::raw));
  EXPECT_EQ(extract(image, 90).ptx, ".version 80");
  EXPECT_EQ(extract(image, 100).ptx, ".version 100");
  EXPECT_EQ(extract(image, 75).target, 75u);
  FatbinResult none = extract(image, 70);
  EXPECT_EQ(none.status, FatbinStatus::NO_PTX);
  EXPECT_NE(none.message.find("75"), std::string::npos);
}

TEST(Fatbin, SaysWhenThereIsNoPtx) {
  FatbinResult result = extract(fatbin(entry("binary", 90, Packing::raw, 2)));
  EXPECT_EQ(result.status, FatbinStatus::NO_PTX);
  EXPECT_NE(result.message.find("no PTX"), std::string::npos);
  EXPECT_EQ(extract(fatbin("")).status, FatbinStatus::NO_PTX);
}

TEST(Fatbin, RefusesSizesThatDoNotFit) {
  std::string good = fatbin(entry(TEXT, 90, Packing::zstd));
  struct Change {
    size_t at;
    uint64_t value;
    FatbinStatus status;
  };
  for (const Change& change : {Change{8, UINT64_MAX, FatbinStatus::MALFORMED},
                               Change{16 + 8, UINT64_MAX - 63, FatbinStatus::MALFORMED},
                               Change{16 + 56, uint64_t{1} << 60, FatbinStatus::UNSUPPORTED},
                               Change{16 + 56, 3, FatbinStatus::UNSUPPORTED},
                               Change{16 + 56, 0, FatbinStatus::UNSUPPORTED}}) {
    std::string bad = good;
    put<uint64_t>(bad, change.at, change.value);
    EXPECT_EQ(extract(bad).status, change.status) << change.at << " " << change.value;
  }
  std::string short_header = good;
  put<uint32_t>(short_header, 16 + 4, 8);
  EXPECT_EQ(extract(short_header).status, FatbinStatus::MALFORMED);
  std::string no_header = good;
  put<uint16_t>(no_header, 6, 3);
  EXPECT_EQ(extract(no_header).status, FatbinStatus::MALFORMED);
  EXPECT_EQ(extract_ptx(nullptr, 0, 90).status, FatbinStatus::MALFORMED);
}

TEST(Fatbin, TellsItsSize) {
  std::string image = fatbin(entry(TEXT, 90, Packing::zstd));
  EXPECT_EQ(fatbin_size(image.data()), image.size());
  std::string other(16, 'x');
  EXPECT_FALSE(fatbin_size(other.data()).has_value());
  put<uint64_t>(image, 8, UINT64_MAX);
  EXPECT_FALSE(fatbin_size(image.data()).has_value());
}

TEST(Fatbin, TellsTextFromBytes) {
  EXPECT_TRUE(looks_like_ptx(".version 8.0"));
  EXPECT_TRUE(looks_like_ptx("//\n// x\n/* .y */\n\n\t.version 8.0"));
  EXPECT_FALSE(looks_like_ptx(""));
  EXPECT_FALSE(looks_like_ptx("   "));
  EXPECT_FALSE(looks_like_ptx("/* .version"));
  EXPECT_FALSE(looks_like_ptx("// .version"));
  EXPECT_FALSE(
      looks_like_ptx("\x7f"
                     "ELF"));
}

}  // namespace
}  // namespace cucore::cpu
