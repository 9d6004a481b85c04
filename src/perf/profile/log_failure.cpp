// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/log_failure.hpp"

#include <cucore.h>

#include <exception>

#include "support/concat.hpp"

namespace cucore::perf {

bool log_failure(const char* attempt, const char* reason) noexcept {
  if (!cucore_log_enabled(CUCORE_LOG_ERROR)) return false;
  try {
    cucore_log_write(CUCORE_LOG_ERROR, concat(attempt, ": ", reason).c_str());
  } catch (const std::exception&) {
    cucore_log_write(CUCORE_LOG_ERROR, attempt);
  }
  return true;
}

}  // namespace cucore::perf
