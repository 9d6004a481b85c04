// SPDX-License-Identifier: Apache-2.0
// Files that settings name, and that must not damage any other file.
#pragma once

#include <string>
#include <string_view>

namespace cucore::cpu {

// Opens a new file, or an own regular one that begins with `first_words`, to append to it. Returns
// -1 for anything else, such as a link.
int open_own_file(const std::string& path, std::string_view first_words);

}  // namespace cucore::cpu
