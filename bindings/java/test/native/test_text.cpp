// SPDX-License-Identifier: Apache-2.0
// Texts between C and Java: invalid UTF-8 or UTF-16 must not reach the other side.
#include "text.hpp"

#include <gtest/gtest.h>

namespace {

using cucore::java::utf16_of;
using cucore::java::utf8_of;

TEST(Text, goes_both_ways) {
  const std::pair<const char*, std::u16string> pairs[] = {{"", u""},
                                                          {"plain", u"plain"},
                                                          {"\xC3\xA9", u"\u00E9"},
                                                          {"\xE6\xBC\xA2", u"\u6F22"},
                                                          {"\xF0\x9F\x98\x80", u"\U0001F600"},
                                                          {"\xF4\x8F\xBF\xBF", u"\U0010FFFF"},
                                                          {"\xEE\x80\x80", u"\uE000"}};
  for (const auto& [utf8, utf16] : pairs) {
    EXPECT_EQ(utf16_of(utf8), utf16);
    EXPECT_EQ(utf8_of(utf16), utf8);
  }
}

TEST(Text, replaces_what_is_no_utf8) {
  const std::pair<std::string, std::u16string> pairs[] = {
      {"\x80", u"\uFFFD"},                                // a follower alone
      {"a\xC3", u"a\uFFFD"},                              // cut
      {"\xC0\xAF", u"\uFFFD\uFFFD"},                      // longer than needed
      {"\xE0\x80\x80", u"\uFFFD\uFFFD\uFFFD"},            //
      {"\xED\xA0\x80", u"\uFFFD\uFFFD\uFFFD"},            // half of a pair
      {"\xF4\x90\x80\x80", u"\uFFFD\uFFFD\uFFFD\uFFFD"},  // beyond the last
      {"\xFF"
       "b",
       u"\uFFFD"
       u"b"},
      {"\xE6\xBC"
       "c",
       u"\uFFFD\uFFFD"
       u"c"}};
  for (const auto& [utf8, utf16] : pairs) EXPECT_EQ(utf16_of(utf8), utf16);
}

TEST(Text, replaces_halves_of_pairs) {
  EXPECT_EQ(utf8_of(std::u16string{0xD83D}), "\xEF\xBF\xBD");
  EXPECT_EQ(utf8_of(std::u16string{0xDE00, u'x'}), "\xEF\xBF\xBDx");
  EXPECT_EQ(utf8_of(std::u16string{0xD83D, u'x'}), "\xEF\xBF\xBDx");
  EXPECT_EQ(utf8_of(std::u16string{0xD83D, 0xD83D, 0xDE00}), "\xEF\xBF\xBD\xF0\x9F\x98\x80");
}

TEST(Text, finds_halves_of_pairs) {
  using cucore::java::find_lone_surrogate;
  const std::pair<std::u16string, size_t> rows[] = {{u"", std::u16string::npos},
                                                    {u"a\uFFFD\U0001F600", std::u16string::npos},
                                                    {std::u16string{u'a', 0xD83D}, 1},
                                                    {std::u16string{0xDE00, u'x'}, 0},
                                                    {std::u16string{u'a', u'b', 0xD83D, u'x'}, 2},
                                                    {std::u16string{0xD83D, 0xD83D, 0xDE00}, 0},
                                                    {std::u16string{0xD83D, 0xDE00, 0xDE00}, 2}};
  for (const auto& [text, at] : rows) EXPECT_EQ(find_lone_surrogate(text), at);
}

}  // namespace
