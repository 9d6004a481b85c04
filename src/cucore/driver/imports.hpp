// SPDX-License-Identifier: Apache-2.0
// Replaces functions that one loaded library imports: what the library calls changes, what the rest
// of the process calls does not.
#pragma once

#include <cstddef>
#include <span>

namespace cucore::driver {

struct Import {
  const char* name;   // of a function, "signal"
  void* replacement;  // with the same signature
};

// Lets the calls of the library go to the replacements; names that the library does not import are
// left out. May be repeated, also while other threads are inside the library. Returns how many
// imports lead to their replacement now.
size_t replace_imports(void* library, std::span<const Import> imports) noexcept;

}  // namespace cucore::driver
