// SPDX-License-Identifier: Apache-2.0
// Which headers a text may include, read without a preprocessor: more than a compile uses, never
// less, but for names that macros make; that there are such is told.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cucore::cache {

struct IncludeName {
  std::string name;
  bool quoted = false;    // "name": looked for beside the file that says it, first
  bool is_next = false;   // #include_next
  bool is_probe = false;  // __has_include
  friend bool operator==(const IncludeName&, const IncludeName&) = default;
};

struct IncludeScan {
  std::vector<IncludeName> names;
  bool has_computed = false;  // #include MACRO
  bool has_time = false;      // __TIME__, __DATE__, __TIMESTAMP__
  bool has_embed = false;     // #embed, which reads files that no trace names
};

IncludeScan scan_includes(std::string_view text);

}  // namespace cucore::cache
