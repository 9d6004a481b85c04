// SPDX-License-Identifier: Apache-2.0
// Messages of the library speak of C functions and C structs; a user of another language reads the
// names that he types. tools/spellings.py makes each language's table, which its wrapper holds.
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
