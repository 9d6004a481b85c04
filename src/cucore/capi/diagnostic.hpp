// SPDX-License-Identifier: Apache-2.0
// Writes diagnostics for a C caller, from an error's log or from object code.
#pragma once

#include <cstddef>
#include <vector>

#include "capi/guard.hpp"
#include "core/compile/diagnostics.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::capi {

inline constexpr size_t FIRST_DIAGNOSTIC =
    offsetof(cucore_diagnostic_info, text) + sizeof(const char*);

static_assert(CUCORE_SEVERITY_NOTE == static_cast<int>(core::Severity::NOTE));
static_assert(CUCORE_SEVERITY_WARNING == static_cast<int>(core::Severity::WARNING));
static_assert(CUCORE_SEVERITY_ERROR == static_cast<int>(core::Severity::ERROR));
static_assert(CUCORE_SEVERITY_FATAL == static_cast<int>(core::Severity::FATAL));

// The strings belong to `all`.
inline void write_diagnostic(const std::vector<core::Diagnostic>& all, size_t index,
                             cucore_diagnostic_info* out) {
  if (index >= all.size())
    throw Error(Status::INVALID_ARGUMENT,
                concat("index is ", index, "; the log has ", counted(all.size(), "diagnostic")));
  const core::Diagnostic& one = all[index];
  const cucore_diagnostic_info info{.struct_size = 0,
                                    .severity = static_cast<cucore_severity>(one.severity),
                                    .line = one.line,
                                    .column = one.column,
                                    .reserved = 0,
                                    .file = one.file.c_str(),
                                    .text = one.text.c_str()};
  write_info(out, info, FIRST_DIAGNOSTIC, "cucore_diagnostic_info");
}

}  // namespace cucore::capi
