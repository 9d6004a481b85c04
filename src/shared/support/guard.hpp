// SPDX-License-Identifier: Apache-2.0
// The barrier between C++ and a C caller: it converts every exception to a status and an error
// object. Each library defines once how its error objects are created.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "support/error.hpp"

namespace cucore {

namespace detail {

// Returns the error for an exception that is not an Error: a fault of the library itself.
Error fault_inside(const char* library, const char* why);

}  // namespace detail

// Converts the exception in flight to a status and an optional error object. Cannot fail. Reporter
// has Handle, LIBRARY ("libcucore"), create(Error), and out_of_memory(), which must not throw.
template <class Reporter>
Status report_exception(typename Reporter::Handle** out) noexcept {
  try {
    try {
      throw;
    } catch (const Error& error) {
      if (out) *out = Reporter::create(error);
      return error.status();
    } catch (const std::bad_alloc&) {
      if (out) *out = Reporter::out_of_memory();
      return Status::OUT_OF_MEMORY;
    } catch (const std::exception& error) {
      if (out) *out = Reporter::create(detail::fault_inside(Reporter::LIBRARY, error.what()));
      return Status::INTERNAL;
    } catch (...) {
      if (out) *out = Reporter::create(detail::fault_inside(Reporter::LIBRARY, ""));
      return Status::INTERNAL;
    }
  } catch (...) {
    // The memory for an error object is exhausted.
    if (out) *out = Reporter::out_of_memory();
    return Status::OUT_OF_MEMORY;
  }
}

// Runs the body of an exported function. REPORT converts an exception to a status.
template <auto REPORT, class Handle, class Body>
auto guard_with(Handle** error, Body&& body) noexcept -> decltype(REPORT(error)) {
  if (error) *error = nullptr;
  try {
    body();
    return decltype(REPORT(error)){};
  } catch (...) {
    return REPORT(error);
  }
}

}  // namespace cucore
