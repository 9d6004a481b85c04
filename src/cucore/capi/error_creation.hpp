// SPDX-License-Identifier: Apache-2.0
// Errors that other libraries create through this one.
#pragma once

#include <cucore.h>

namespace cucore::capi {

// Implements cucore_error_create(); never returns null.
cucore_error* create_error(cucore_status status, const char* message,
                           const cucore_error_options* options) noexcept;

}  // namespace cucore::capi
