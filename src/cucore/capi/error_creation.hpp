// SPDX-License-Identifier: Apache-2.0
// Errors that other libraries make through this one.
#pragma once

#include <cucore.h>

namespace cucore::capi {

// With the meaning of cucore_error_create(): never null.
cucore_error* create_error(cucore_status status, const char* message,
                           const cucore_error_options* options) noexcept;

}  // namespace cucore::capi
