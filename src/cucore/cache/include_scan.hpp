// SPDX-License-Identifier: Apache-2.0
// Finds the headers that a text may include, without a preprocessor. The result has more headers
// than a compile uses, but never fewer. Names made by macros are not found; their presence is
// reported.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cucore::cache {

struct IncludeName {
  std::string name;
  bool quoted = false;    // "name": searched first in the folder of the including file
  bool is_next = false;   // #include_next
  bool is_probe = false;  // __has_include
  friend bool operator==(const IncludeName&, const IncludeName&) = default;
};

struct IncludeScan {
  std::vector<IncludeName> names;
  bool has_computed = false;  // #include MACRO
  bool has_time = false;      // __TIME__, __DATE__, __TIMESTAMP__
  bool has_embed = false;     // #embed, which reads files that a trace does not name
};

IncludeScan scan_includes(std::string_view text);

}  // namespace cucore::cache
