// SPDX-License-Identifier: Apache-2.0
#include "core/compile/suggestion.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "support/text.hpp"

namespace cucore::core {
namespace {

constexpr size_t MOST_LISTED = 16;
constexpr size_t LONGEST_COMPARED = 256;  // the table below grows with the product of the lengths

// Levenshtein's distance: letters to insert, delete or exchange.
size_t distance(std::string_view a, std::string_view b) {
  a = a.substr(0, LONGEST_COMPARED);
  b = b.substr(0, LONGEST_COMPARED);
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t exchanged = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({exchanged, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string list_names(std::vector<std::string> names, std::string_view nearest_to) {
  if (names.empty()) return "there are none";
  std::ranges::stable_sort(names, {},
                           [&](const std::string& name) { return distance(name, nearest_to); });
  std::string list = names.size() == 1 ? "there is " : "there are ";
  const size_t shown = std::min(names.size(), MOST_LISTED);
  for (size_t i = 0; i < shown; ++i) list += (i ? ", " : "") + names[i];
  if (names.size() > shown) list += text(" and ", names.size() - shown, " more");
  return list;
}

}  // namespace cucore::core
