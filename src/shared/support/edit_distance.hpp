// SPDX-License-Identifier: Apache-2.0
// Compares names, to suggest the intended one for a name that is mistyped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace cucore {

// Returns Levenshtein's distance: the number of letters to insert, delete or exchange. It compares
// the first 256 letters, because the time grows with the product of the lengths.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  constexpr std::size_t LONGEST_COMPARED = 256;
  a = a.substr(0, LONGEST_COMPARED);
  b = b.substr(0, LONGEST_COMPARED);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t exchanged = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({exchanged, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// Returns true if one name may be the other, mistyped: at most a third of the letters differ.
inline bool is_similar(std::string_view a, std::string_view b) {
  return edit_distance(a, b) * 3 <= std::max(a.size(), b.size());
}

}  // namespace cucore
