// SPDX-License-Identifier: Apache-2.0
// All that the command prints: strings are escaped, and output that cannot be written is no crash.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "escape.hpp"

namespace cucore::cli {

// A string of several lines, which stay lines.
struct Text {
  std::string_view text;
};

// A string that is written as it is: colours, and what has been escaped already.
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
// Writes to stderr, if that is possible.
void write_error(std::string_view bytes) noexcept;

// Called first: a closed standard stream is opened so that using it fails, else the next file
// would take its place. A file that grows too large is an error of the write, not the end of the
// process.
void prepare_streams();

// Writes what is buffered; throws a failure if anything could not be written since the start.
void flush_output();

// Prints to the standard output; strings among the values are escaped, one line each.
template <class... Values>
void print(fmt::format_string<Printable<Values>...> format, const Values&... values) {
  write_output(fmt::format(format, printable(values)...));
}

// Prints to stderr in the same way; a failure to write is ignored.
template <class... Values>
void print_error(fmt::format_string<Printable<Values>...> format, const Values&... values) {
  write_error(fmt::format(format, printable(values)...));
}

}  // namespace cucore::cli
