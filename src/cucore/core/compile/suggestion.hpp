// SPDX-License-Identifier: Apache-2.0
// What a user may have meant: the names that exist, the nearest in spelling first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cucore::core {

// "there are saxpy, scale, and 12 more"; "there are none".
std::string list_names(std::vector<std::string> names, std::string_view nearest_to);

}  // namespace cucore::core
