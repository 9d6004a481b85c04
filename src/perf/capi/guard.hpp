// SPDX-License-Identifier: Apache-2.0
// The barrier of this library.
#pragma once

#include <cucore_perf.h>

#include <utility>

#include "support/guard.hpp"

namespace cucore::perf {

cucore_status report(cucore_error** error) noexcept;

template <class Body>
cucore_status guard(cucore_error** error, Body&& body) noexcept {
  return guard_with<report>(error, std::forward<Body>(body));
}

}  // namespace cucore::perf
