// SPDX-License-Identifier: Apache-2.0
// Checks a C caller's arguments; each message names the argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cucore {

struct HandleHead;

[[noreturn, gnu::cold]] void throw_null(const char* argument);

// `type` is the expected name, "cucore_stream".
[[noreturn, gnu::cold]] void throw_dead(const char* argument, const char* type,
                                        const HandleHead* head);

// Runs first in a call: if the call fails later, its outputs are 0.
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

// Checks bytes and arrays: NULL requires a count of 0.
template <class T>
std::span<const T> require_array(const T* data, size_t count, const char* argument) {
  if (count != 0) require(data, argument);
  return {data, count};
}

std::vector<std::string> require_strings(const char* const* strings, size_t count,
                                         const char* argument);

// Checks an options field that must be 0 or 1.
bool require_flag(int32_t value, const char* field);

// Checks a reserved field.
void require_zero(int32_t value, const char* field);

// Resolves a cucore_toggle with the library's default.
bool require_toggle(int32_t value, bool by_default, const char* field);

}  // namespace cucore
