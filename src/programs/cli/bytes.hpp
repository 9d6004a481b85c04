// SPDX-License-Identifier: Apache-2.0
// Reading numbers out of bytes, inside their bounds.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "failure.hpp"

namespace cucore::cli {

// The part of the bytes at an offset; what does not lie inside is a failure.
inline std::string_view slice(std::string_view bytes, std::size_t offset, std::size_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    throw failed(fmt::format("the bytes end too early: {} at offset {}", size, offset),
                 CUCORE_ERROR_INVALID_CODE);
  return bytes.substr(offset, size);
}

// A number of little endian bytes, as every machine that CUDA runs on has it.
template <class T>
T number(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, slice(bytes, offset, sizeof value).data(), sizeof value);
  return value;
}

}  // namespace cucore::cli
