// SPDX-License-Identifier: Apache-2.0
// Converts lists of strings to arrays of C strings, and counts to text.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cucore::cli {

// Returns pointers into the strings.
inline std::vector<const char*> pointers(const std::vector<std::string>& strings) {
  std::vector<const char*> result;
  result.reserve(strings.size());
  for (const std::string& string : strings) result.push_back(string.c_str());
  return result;
}

// Returns NULL, the default of every option, for an empty text.
inline const char* or_null(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

// Returns "1 file", "2 files"; `plural` is for nouns that need more than an s.
inline std::string counted(std::uint64_t count, std::string_view noun,
                           std::string_view plural = {}) {
  if (count == 1) return fmt::format("1 {}", noun);
  return plural.empty() ? fmt::format("{} {}s", count, noun) : fmt::format("{} {}", count, plural);
}

}  // namespace cucore::cli
