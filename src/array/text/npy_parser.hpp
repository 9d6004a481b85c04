// SPDX-License-Identifier: Apache-2.0
// The dictionary in the header of a .npy file: a literal of Python with three keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "array/model/dims.hpp"

namespace cucore::array {

struct NpyDictionary {
  std::string descr = {};  // "<f4"
  bool fortran_order = false;
  Dims shape = {};
};
// Throws INVALID_ARGUMENT, SHAPE or DTYPE.
NpyDictionary parse_npy_dictionary(std::string_view text);

}  // namespace cucore::array
