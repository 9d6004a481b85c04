// SPDX-License-Identifier: Apache-2.0
// The recent results of this process, for compiles without a cache.
#pragma once

#include "service/cached_compile.hpp"

namespace cucore::service {

// Returns a copy of the result that this process has for the same inputs, or compiles. A copy loads
// and unloads by itself, so the memory never holds code in the driver.
Ref<const core::ObjectCode> compile_or_reuse(const CompileRequest& request);

}  // namespace cucore::service
