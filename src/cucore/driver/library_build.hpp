// SPDX-License-Identifier: Apache-2.0
// Which exact build of a library is loaded: two builds of one version may generate different code.
#pragma once

#include <string>

namespace cucore::driver {

// The build id that the linker wrote into the library that holds this function, in hexadecimal;
// where there is none, the size and the time of its file. "" if even that cannot be had.
std::string library_build(const void* function);

template <class Result, class... Arguments>
std::string library_build(Result (*function)(Arguments...)) {
  return library_build(reinterpret_cast<const void*>(function));
}

}  // namespace cucore::driver
