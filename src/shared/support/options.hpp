// SPDX-License-Identifier: Apache-2.0
// Reads option structs of callers built against older and newer headers, and fills theirs in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "support/error.hpp"

namespace cucore {

namespace detail {

// No struct of ours will ever be near this; a larger struct_size was never set.
inline constexpr size_t MAX_STRUCT_SIZE = size_t{1} << 16;

size_t checked_struct_size(const void* options, size_t first_release, const char* type_name);
void check_unknown_tail(const void* options, size_t known, size_t given, const char* type_name);

}  // namespace detail

// A full struct from what the caller gave: fields that his header did not have are 0, and bytes
// that this library does not know must be. NULL is all defaults.
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

// Fills in as much as the caller's header knows of.
template <class T>
void write_info(T* out, T value, size_t first_release, const char* type_name) {
  const size_t size = detail::checked_struct_size(out, first_release, type_name);
  value.struct_size = size;
  std::memcpy(static_cast<void*>(out), &value, std::min(size, sizeof(T)));
}

// An output struct after a failure: zero but for its size, so that nothing old is taken for new.
template <class T>
void clear_info(T* out, size_t first_release) noexcept {
  size_t size = 0;
  std::memcpy(&size, out, sizeof size);
  if (size < first_release || size > detail::MAX_STRUCT_SIZE) return;
  std::memset(reinterpret_cast<char*>(out) + sizeof size, 0,
              std::min(size, sizeof(T)) - sizeof size);
}

}  // namespace cucore
