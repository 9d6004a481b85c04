// SPDX-License-Identifier: Apache-2.0
// Replaces functions that one loaded library imports: its calls change, those of the rest of the
// process do not.
#pragma once

#include <cstddef>
#include <span>

namespace cucore::driver {

struct Import {
  const char* name;   // of a function, "signal"
  void* replacement;  // with the same signature
};

// Redirects the calls of the library to the replacements; names that the library does not import
// are left out. May be repeated, also while other threads are inside the library. Returns the
// number of imports that now lead to their replacement.
size_t replace_imports(void* library, std::span<const Import> imports) noexcept;

}  // namespace cucore::driver
