// SPDX-License-Identifier: Apache-2.0
// Converts lists of strings to arrays of C strings.
#pragma once

#include <string>
#include <vector>

namespace cucore::cli {

// Returns pointers into the strings.
inline std::vector<const char*> pointers(const std::vector<std::string>& strings) {
  std::vector<const char*> result;
  result.reserve(strings.size());
  for (const std::string& string : strings) result.push_back(string.c_str());
  return result;
}

// Returns NULL, the default of every option, for an empty text.
inline const char* or_null(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

}  // namespace cucore::cli
