// SPDX-License-Identifier: Apache-2.0
// Reads option structs of callers built against older and newer headers, and fills output structs
// for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "support/error.hpp"

namespace cucore {

namespace detail {

// All structs of the library are far smaller; a larger struct_size is uninitialised memory.
inline constexpr size_t MAX_STRUCT_SIZE = size_t{1} << 16;

size_t checked_struct_size(const void* options, size_t first_release, const char* type_name);
void check_unknown_tail(const void* options, size_t known, size_t given, const char* type_name);

}  // namespace detail

// Copies the caller's struct. Fields that the caller's header lacks are 0, and bytes unknown to
// this library must be 0. NULL means all defaults.
template <class T>
T read_options(const T* given, size_t first_release, const char* type_name) {
  static_assert(std::is_trivially_copyable_v<T>);
  T options{};
  options.struct_size = sizeof(T);
  if (!given) return options;
  const size_t size = detail::checked_struct_size(given, first_release, type_name);
  detail::check_unknown_tail(given, sizeof(T), size, type_name);
  std::memcpy(static_cast<void*>(&options), given, std::min(size, sizeof(T)));
  options.struct_size = sizeof(T);
  return options;
}

// Writes the part of the struct that the caller's header contains.
template <class T>
void write_info(T* out, T value, size_t first_release, const char* type_name) {
  const size_t size = detail::checked_struct_size(out, first_release, type_name);
  value.struct_size = size;
  std::memcpy(static_cast<void*>(out), &value, std::min(size, sizeof(T)));
}

// Zeroes an output struct, except for its size, after a failure, so that a caller cannot read old
// values.
template <class T>
void clear_info(T* out, size_t first_release) noexcept {
  size_t size = 0;
  std::memcpy(&size, out, sizeof size);
  if (size < first_release || size > detail::MAX_STRUCT_SIZE) return;
  std::memset(reinterpret_cast<char*>(out) + sizeof size, 0,
              std::min(size, sizeof(T)) - sizeof size);
}

}  // namespace cucore
