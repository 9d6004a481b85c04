// SPDX-License-Identifier: Apache-2.0
// The errors of a library that is built on cucore.h. They are those of libcucore, so that every
// function on errors accepts them.
#pragma once

#include <cucore.h>

#include "client/native.hpp"
#include "support/guard.hpp"

namespace cucore::client {

// For guard_with(). LIBRARY is "libcucore-array", ORIGIN is "cucore-array".
template <const char* NAME, const char* ORIGIN>
struct Reporter {
  using Handle = cucore_error;
  static constexpr const char* LIBRARY = NAME;

  static cucore_error* create(const Error& error) {
    cucore_error_options options = CUCORE_ERROR_OPTIONS_INIT;
    options.origin = ORIGIN;
    options.log = error.log().c_str();
    if (const auto* failed = dynamic_cast<const CallFailed*>(&error))
      options.cause = failed->cause();
    return cucore_error_create(static_cast<cucore_status>(error.status()), error.what(), &options);
  }
  static cucore_error* out_of_memory() noexcept {
    return cucore_error_create(CUCORE_ERROR_OUT_OF_MEMORY, "out of host memory", nullptr);
  }
};

// Converts the exception in flight. Without memory for the error object, the status is that of the
// error that libcucore returned instead.
template <const char* NAME, const char* ORIGIN>
cucore_status report(cucore_error** error) noexcept {
  const Status status = report_exception<Reporter<NAME, ORIGIN>>(error);
  return error ? cucore_error_status(*error) : static_cast<cucore_status>(status);
}

}  // namespace cucore::client
