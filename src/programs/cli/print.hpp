// SPDX-License-Identifier: Apache-2.0
// All output of the command: strings are escaped, and a failed write does not end the process.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "escape.hpp"

namespace cucore::cli {

// A string of several lines, which stay separate lines.
struct Text {
  std::string_view text;
};

// A string that is written without escapes: colours, and text that is already escaped.
struct Raw {
  std::string_view bytes;
};

template <class T>
auto printable(const T& value) {
  if constexpr (std::is_same_v<T, Raw>)
    return std::string(value.bytes);
  else if constexpr (std::is_same_v<T, Text>)
    return escaped(value.text, Layout::TEXT);
  else if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return escaped(std::string_view(value));
  else
    return value;
}

template <class T>
using Printable = decltype(printable(std::declval<const T&>()));

// Writes to the standard output. A failure is reported by flush_output().
void write_output(std::string_view bytes);
// Writes to stderr if possible.
void write_error(std::string_view bytes) noexcept;

// Must be called first. Opens a closed standard stream so that its use fails; otherwise the next
// file would take its number. A file that exceeds its size limit causes a write error and does not
// end the process.
void prepare_streams();

// Flushes the output; throws a failure if any write since the start has failed.
void flush_output();

// Prints to the standard output; strings among the values are escaped to one line each.
template <class... Values>
void print(fmt::format_string<Printable<Values>...> format, const Values&... values) {
  write_output(fmt::format(format, printable(values)...));
}

// Prints to stderr in the same way; a failed write is ignored.
template <class... Values>
void print_error(fmt::format_string<Printable<Values>...> format, const Values&... values) {
  write_error(fmt::format(format, printable(values)...));
}

}  // namespace cucore::cli
