// SPDX-License-Identifier: Apache-2.0
// The width of a terminal, and text that fits it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cucore::cli {

// Returns the columns of the terminal behind a stream; 0 if it is not a terminal.
std::size_t terminal_columns(int stream);

// Returns the columns for help and lists on the standard output; a pipe has 80.
std::size_t output_columns();

// Continues a line of `used` columns with the text, in lines of at most `width` columns. The text
// begins at column `indent`, on the next line if the used columns leave no gap of two.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t used, std::size_t width);

}  // namespace cucore::cli
