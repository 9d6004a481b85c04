// SPDX-License-Identifier: Apache-2.0
// What counts as text in a container: UTF-8 without NUL.
#pragma once

#include <string>
#include <string_view>

namespace cucore::container {

// Offset of the first byte that is not UTF-8 (no overlong forms, no surrogates); npos if none.
size_t find_bad_utf8(std::string_view text);

// Text that a compiler or a user's source gave, as a container can hold it: zeros at the end are
// cut, other zeros and bytes that are not UTF-8 become U+FFFD.
std::string clean_text(std::string_view text);

}  // namespace cucore::container
