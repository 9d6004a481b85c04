// SPDX-License-Identifier: Apache-2.0
// The exact build of a loaded library: two builds of one version may generate different code.
#pragma once

#include <string>

namespace cucore::driver {

// Returns the build id of the library that contains this function, in hexadecimal; without one, the
// size and the time of its file. Returns "" if neither is available.
std::string library_build(const void* function);

template <class Result, class... Arguments>
std::string library_build(Result (*function)(Arguments...)) {
  return library_build(reinterpret_cast<const void*>(function));
}

}  // namespace cucore::driver
