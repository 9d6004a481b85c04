// SPDX-License-Identifier: Apache-2.0
// Converts counts to text, and trims text.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace cucore::cli {

// Returns the text without white space at its ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view SPACE = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(SPACE);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(SPACE) - first + 1);
}

// Returns "1 file", "2 files"; `plural` is for nouns that need more than an s.
inline std::string counted(std::uint64_t count, std::string_view noun,
                           std::string_view plural = {}) {
  if (count == 1) return fmt::format("1 {}", noun);
  return plural.empty() ? fmt::format("{} {}s", count, noun) : fmt::format("{} {}", count, plural);
}

}  // namespace cucore::cli
