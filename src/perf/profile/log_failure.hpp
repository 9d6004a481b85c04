// SPDX-License-Identifier: Apache-2.0
// Failures that no call can return.
#pragma once

namespace cucore::perf {

// Writes "attempt: reason" to the receiver of the log. Returns false without one.
bool log_failure(const char* attempt, const char* reason) noexcept;

}  // namespace cucore::perf
