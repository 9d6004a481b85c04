// SPDX-License-Identifier: Apache-2.0
// Checks of a C caller's arguments, each with the message that names the argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cucore {

struct HandleHead;

[[noreturn]] void throw_null(const char* argument);

// `type` is the name that the head should have, "cucore_stream".
[[noreturn]] void throw_dead(const char* argument, const char* type, const HandleHead* head);

// Outputs first: if a call fails later, they are 0.
template <class... T>
void clear(T*... outputs) noexcept {
  ((outputs ? static_cast<void>(*outputs = T{}) : static_cast<void>(0)), ...);
}

template <class T>
T* require(T* pointer, const char* argument) {
  if (!pointer) [[unlikely]]
    throw_null(argument);
  return pointer;
}

// Bytes and arrays: NULL only with a count of 0.
template <class T>
std::span<const T> require_array(const T* data, size_t count, const char* argument) {
  if (count != 0) require(data, argument);
  return {data, count};
}

std::vector<std::string> require_strings(const char* const* strings, size_t count,
                                         const char* argument);

// 0 or 1 of an options field.
bool require_flag(int32_t value, const char* field);

// A field that has no meaning yet.
void require_zero(int32_t value, const char* field);

// A cucore_toggle with the library's own default.
bool require_toggle(int32_t value, bool by_default, const char* field);

}  // namespace cucore
