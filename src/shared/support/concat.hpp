// SPDX-License-Identifier: Apache-2.0
// Builds messages from parts: concat("device ", 3, " has ", name).
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>

namespace cucore {
namespace detail {

inline void append(std::string& out, std::string_view part) { out += part; }
inline void append(std::string& out, char part) { out += part; }

template <class Number>
requires(std::is_arithmetic_v<Number> &&
         !std::is_same_v<Number, char>) void append(std::string& out, Number part) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, part).ptr);
}

}  // namespace detail

template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

}  // namespace cucore
