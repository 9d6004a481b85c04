// The one barrier between C++ and a C caller: no exception passes, every failure becomes a status
// and an error object, every output is 0 until the call has succeeded.
#pragma once

#include <cucore.h>

#include <span>
#include <string>
#include <vector>

#include "capi/handles.hpp"
#include "support/options.hpp"

namespace cucore::capi {

// Turns the exception in flight into a status and, where wanted, an error object. Cannot fail.
cucore_status report(cucore_error** error) noexcept;

template <class Body>
cucore_status guard(cucore_error** error, Body&& body) noexcept {
  if (error) *error = nullptr;
  try {
    body();
    return CUCORE_OK;
  } catch (...) {
    return report(error);
  }
}

// Outputs first: whatever fails later, they say nothing.
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

// A toggle with the library's own default.
bool require_toggle(cucore_toggle value, bool by_default, const char* field);

}  // namespace cucore::capi
