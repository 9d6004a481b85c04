// SPDX-License-Identifier: Apache-2.0
// Reads numbers from bytes, inside their bounds.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "failure.hpp"

namespace cucore::cli {

// Returns the part of the bytes at an offset; fails if it is not inside.
inline std::string_view slice(std::string_view bytes, std::size_t offset, std::size_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    throw failed(fmt::format("the bytes end too early: {} at offset {}", size, offset),
                 Status::invalid_code);
  return bytes.substr(offset, size);
}

// Reads a little-endian number; all machines that CUDA supports are little-endian.
template <class T>
T number(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, slice(bytes, offset, sizeof value).data(), sizeof value);
  return value;
}

}  // namespace cucore::cli
