// SPDX-License-Identifier: Apache-2.0
// Names of architectures, text that is repaired, kinds that are guessed.
#include "container/text.hpp"
#include "container_testing.hpp"
#include "image/arch.hpp"

namespace cucore::container {
namespace {

using namespace testing;

TEST(ArchNames, ParseAndText) {
  for (const char* text : {"sm_90", "sm_90a", "sm_100f", "compute_75", "compute_120a", "sm_999"}) {
    const auto arch = Arch::parse(text);
    ASSERT_TRUE(arch) << text;
    EXPECT_EQ(arch->text(), text);
  }
  EXPECT_EQ(Arch::parse("90")->text(), "sm_90");
  EXPECT_EQ(Arch().text(), "");
}

TEST(ArchNames, WhatIsNone) {
  for (const char* text : {"", "sm_", "compute_", "sm_9", "sm_1000", "sm_90b", "sm_90aa", "sm_90 ",
                           " sm_90", "sm_-90", "sm_+90", "sm_090", "sm_9x", "SM_90",
                           "sm_compute_90", "compute_sm_90", "sm_99999999999999999999", "a"})
    EXPECT_FALSE(Arch::parse(text)) << text;
}

TEST(ArchNames, HowFarTheyReach) {
  const auto runs = [](const char* arch, uint16_t device) {
    return Arch::parse(arch)->runs_on(device);
  };
  EXPECT_TRUE(runs("sm_80", 86));
  EXPECT_FALSE(runs("sm_86", 80));
  EXPECT_FALSE(runs("sm_80", 90));
  EXPECT_TRUE(runs("compute_80", 90));
  EXPECT_FALSE(runs("compute_90", 89));
  EXPECT_TRUE(runs("sm_90a", 90));
  EXPECT_FALSE(runs("compute_90a", 100));
  EXPECT_TRUE(runs("sm_100f", 103));
  EXPECT_FALSE(runs("compute_100f", 110));
  EXPECT_FALSE(runs("sm_103f", 100));
  EXPECT_FALSE(Arch().runs_on(90));
}

TEST(Text, BadUtf8IsFoundWhereItIs) {
  EXPECT_EQ(find_bad_utf8("plain"), std::string_view::npos);
  EXPECT_EQ(find_bad_utf8("é€𝄞\U0010FFFF"), std::string_view::npos);
  for (const std::string_view bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc3", "\xe2\x82", "\xf0\x9d\x84"})
    EXPECT_EQ(find_bad_utf8("ab" + std::string(bad)), 2u);
}

TEST(Text, Clean) {
  using namespace std::string_literals;
  EXPECT_EQ(clean_text("warning: gr\xf6\xdf\x65\0\0"s), "warning: gr\uFFFD\uFFFDe");
  EXPECT_EQ(clean_text("a\0b"s), "a\uFFFDb");
  EXPECT_EQ(clean_text("größe"), "größe");
  EXPECT_EQ(clean_text("\0\0"s), "");
}

TEST(GuessType, ByTheFirstBytes) {
  const auto guess = [](std::string_view text) { return guess_type(bytes_of(text)); };
  EXPECT_EQ(guess(ptx_text()), CodeType::PTX);
  EXPECT_EQ(guess("/* a */ // b\n\t.version 9.0"), CodeType::PTX);
  EXPECT_EQ(guess("!<arch>\n"), CodeType::LIBRARY);
  EXPECT_EQ(guess_type(write(ptx_code())), CodeType::BUNDLE);
  EXPECT_FALSE(guess(""));
  EXPECT_FALSE(guess("/* no end"));
  EXPECT_FALSE(guess("int main() {}"));
}

TEST(MergeExpressions, NamesMeetSymbols) {
  std::vector<Symbol> symbols = ptx_code().symbols;
  const NamedExpression names[] = {
      {"scale<int>", "scale"}, {"scale<(int)4>", "scale"}, {"scale<int>", "scale"}, {"other", "x"}};
  symbols = merge_expressions(std::move(symbols), names);
  ASSERT_EQ(symbols.size(), 3u);
  EXPECT_EQ(symbols[0].expression, "scale<int>");
  EXPECT_EQ(symbols[1].expression, "scale<(int)4>");
  EXPECT_EQ(symbols[1].parameters->size(), 3u);
  EXPECT_EQ(symbols[2].lowered_name, "x");
  EXPECT_FALSE(symbols[2].parameters);
}

}  // namespace
}  // namespace cucore::container
