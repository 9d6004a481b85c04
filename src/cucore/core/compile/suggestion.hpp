// SPDX-License-Identifier: Apache-2.0
// Suggestions for a mistyped name: the existing names, the most similar first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cucore::core {

// Returns "it contains saxpy, scale, and 12 more", or a text for an empty list.
std::string list_names(std::vector<std::string> names, std::string_view nearest_to);

}  // namespace cucore::core
