// SPDX-License-Identifier: Apache-2.0
// The header of .npy files, and elements in the order of their bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "array/model/dims.hpp"
#include "array/model/dtype.hpp"

namespace cucore::array {

// The bytes before the elements, equal to those of NumPy.
std::string npy_header(Dtype dtype, const Dims& shape);

struct NpyFile {
  Dtype dtype = Dtype::DEFAULT;
  bool big_endian = false;
  bool fortran_order = false;  // the first axis is consecutive
  Dims shape = {};
  std::span<const std::byte> elements = {};
};
// Throws INVALID_ARGUMENT, or DTYPE for elements of another type than those of arrays.
NpyFile read_npy(std::span<const std::byte> file);

// Whether the elements in the file are not those in memory.
bool needs_conversion(const NpyFile& file) noexcept;
// The elements in the order of bytes of this machine. Each bool is 0 or 1.
std::vector<std::byte> converted(const NpyFile& file);

}  // namespace cucore::array
