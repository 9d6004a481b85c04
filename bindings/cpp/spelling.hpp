// SPDX-License-Identifier: Apache-2.0
// Messages of the library contain C functions and C structs. Users of another language read its own
// names. The script tools/spellings.py makes each language's table, which its wrapper contains.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cucore::bind {

struct Spelling {
  const char* in_c;
  const char* here;  // a function ends with "()"
};

// Sorted by the name in C.
extern const Spelling SPELLINGS[];
extern const size_t SPELLING_COUNT;

std::string respell(std::string_view message);

}  // namespace cucore::bind
