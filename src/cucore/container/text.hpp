// SPDX-License-Identifier: Apache-2.0
// Text in a container: UTF-8 without NUL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cucore::container {

// Returns the offset of the first byte that is not UTF-8 (no overlong forms, no surrogates); npos
// if all are.
size_t find_bad_utf8(std::string_view text);

// Converts text from a compiler or a user's source to valid text. Zeros at the end are cut; other
// zeros and bytes that are not UTF-8 become U+FFFD.
std::string clean_text(std::string_view text);
std::vector<std::string> clean_texts(const std::vector<std::string>& texts);

}  // namespace cucore::container
