// SPDX-License-Identifier: Apache-2.0
// Text from files, arguments and libraries, made harmless for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace cucore::cli {

// LINE: the text stays within its line. TEXT: line feeds and tabs stay as they are.
enum class Layout { LINE, TEXT };

// Replaces what could forge a line, steer a terminal or reorder text by its escape: control
// characters, invisible characters, and bytes that are not UTF-8. Other characters stay.
std::string escaped(std::string_view text, Layout layout = Layout::LINE);

}  // namespace cucore::cli
