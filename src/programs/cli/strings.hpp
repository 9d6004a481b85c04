// SPDX-License-Identifier: Apache-2.0
// Converts counts to text.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace cucore::cli {

// Returns "1 file", "2 files"; `plural` is for nouns that need more than an s.
inline std::string counted(std::uint64_t count, std::string_view noun,
                           std::string_view plural = {}) {
  if (count == 1) return fmt::format("1 {}", noun);
  return plural.empty() ? fmt::format("{} {}s", count, noun) : fmt::format("{} {}", count, plural);
}

}  // namespace cucore::cli
