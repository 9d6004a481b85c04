// SPDX-License-Identifier: Apache-2.0
// Makes text from files, arguments and libraries safe for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace cucore::cli {

// LINE: the text stays within its line. TEXT: line feeds and tabs stay unchanged.
enum class Layout { LINE, TEXT };

// Escapes characters that could forge a line, control a terminal or reorder text: control
// characters, invisible characters, and bytes that are not UTF-8. Other characters stay.
std::string escaped(std::string_view text, Layout layout = Layout::LINE);

}  // namespace cucore::cli
