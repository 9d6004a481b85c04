// SPDX-License-Identifier: Apache-2.0
// The array library, which this command does not need: what cucore info prints about it.
#pragma once

#include <cstdint>
#include <string>

namespace cucore::cli {

struct ArrayLibrary {
  bool available = false;
  std::string path, version, reason;  // the reason of a missing one
};

ArrayLibrary find_array_library();

// How many kernels of arrays the default cache holds; 0 if it cannot be opened.
std::uint64_t count_array_kernels();

}  // namespace cucore::cli
