// SPDX-License-Identifier: Apache-2.0
// Lists of strings on their way to the library, which takes arrays of C strings.
#pragma once

#include <string>
#include <vector>

namespace cucore::cli {

// Pointers into the strings that they were made from.
inline std::vector<const char*> pointers(const std::vector<std::string>& strings) {
  std::vector<const char*> result;
  result.reserve(strings.size());
  for (const std::string& string : strings) result.push_back(string.c_str());
  return result;
}

// NULL, which is the default of every option, for what was not given.
inline const char* or_null(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

}  // namespace cucore::cli
