// SPDX-License-Identifier: Apache-2.0
#include "core/compile/suggestion.hpp"

#include <algorithm>

#include "support/concat.hpp"
#include "support/edit_distance.hpp"

namespace cucore::core {
namespace {

constexpr size_t MOST_LISTED = 16;

}  // namespace

std::string list_names(std::vector<std::string> names, std::string_view nearest_to) {
  if (names.empty()) return "it has none";
  std::ranges::stable_sort(
      names, {}, [&](const std::string& name) { return edit_distance(name, nearest_to); });
  std::string list = "it contains ";
  const size_t shown = std::min(names.size(), MOST_LISTED);
  for (size_t i = 0; i < shown; ++i) list += (i ? ", " : "") + names[i];
  if (names.size() > shown) list += concat(" and ", names.size() - shown, " more");
  return list;
}

}  // namespace cucore::core
