// SPDX-License-Identifier: Apache-2.0
// Joins strings with a separator.
#pragma once

#include <string>
#include <string_view>

namespace cucore {

// Returns "a, b" for "a" and "b" with the separator ", ".
template <class Strings>
std::string join(const Strings& strings, std::string_view separator) {
  std::string out;
  for (const auto& each : strings) {
    if (!out.empty()) out += separator;
    out += each;
  }
  return out;
}

}  // namespace cucore
