// SPDX-License-Identifier: Apache-2.0
// Counts with their nouns, for messages: "1 byte", "2 bytes".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cucore {

// `plural` is for nouns that need more than an s.
inline std::string counted(uint64_t count, std::string_view noun, std::string_view plural = {}) {
  std::string text = std::to_string(count) + ' ';
  if (count == 1) return text += noun;
  return plural.empty() ? (text += noun) += 's' : text += plural;
}

}  // namespace cucore
