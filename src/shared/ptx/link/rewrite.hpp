// SPDX-License-Identifier: Apache-2.0
// Copies parts of a PTX text with other names for some symbols and other numbers for source files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace cucore::ptx::link {

struct Changes {
  std::unordered_map<std::string_view, std::string> names;
  std::unordered_map<uint32_t, uint32_t> files;  // of `.loc`
};

enum class Part {
  DECLARATION,  // a word may be a name wherever it stands
  BODY,         // the first word of a statement is an instruction
};

// Replaces whole words outside comments and strings. Names of a body that hide a symbol change with
// it, which keeps their meaning, because the new names occur nowhere else.
void copy_changed(std::string_view text, Part part, const Changes& changes, std::string& out);

// Returns the largest number n of a word "...$n" in the text; new names have larger ones.
uint64_t largest_suffix(std::string_view text);

// Returns the names of register ranges: "%r" of `.reg .b32 %r<8>`.
std::unordered_set<std::string_view> range_names(std::string_view text);
// Returns true if a word may be a register of a range, or a special register.
bool may_be_register(std::string_view word, const std::unordered_set<std::string_view>& ranges);

}  // namespace cucore::ptx::link
