// SPDX-License-Identifier: Apache-2.0
// The barrier of this library: its error objects, and the checks of arguments for function bodies.
#pragma once

#include <cucore.h>

#include <utility>

#include "capi/handles.hpp"
#include "support/guard.hpp"
#include "support/options.hpp"

namespace cucore::capi {

using cucore::clear;
using cucore::require;
using cucore::require_array;
using cucore::require_flag;
using cucore::require_strings;
using cucore::require_toggle;
using cucore::require_zero;

// Converts the exception in flight to a status and an optional error object. Cannot fail.
cucore_status report(cucore_error** error) noexcept;

template <class Body>
cucore_status guard(cucore_error** error, Body&& body) noexcept {
  return guard_with<report>(error, std::forward<Body>(body));
}

}  // namespace cucore::capi
