// SPDX-License-Identifier: Apache-2.0
// Trims text.
#pragma once

#include <cstddef>
#include <string_view>

namespace cucore::cli {

// Returns the text without white space at its ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view SPACE = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(SPACE);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(SPACE) - first + 1);
}

}  // namespace cucore::cli
