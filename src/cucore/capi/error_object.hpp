// SPDX-License-Identifier: Apache-2.0
// The object behind a cucore_error, and the error that is used if memory is exhausted.
#pragma once

#include <cucore.h>

#include <mutex>
#include <vector>

#include "core/compile/diagnostics.hpp"
#include "support/error.hpp"
#include "support/handle.hpp"

struct cucore_error : cucore::HandleHead {};

namespace cucore::capi {

class ErrorObject final : public Object {
 public:
  explicit ErrorObject(Error error) : error(std::move(error)) {}
  const Error error;

  // Parsed from the log at the first call.
  const std::vector<core::Diagnostic>& diagnostics() const {
    std::call_once(once_, [this] { diagnostics_ = core::parse_diagnostics(error.log()); });
    return diagnostics_;
  }

 private:
  ~ErrorObject() override = default;
  mutable std::once_flag once_;
  mutable std::vector<core::Diagnostic> diagnostics_;
};

extern HandlePool error_pool;

cucore_error* make_error(Error error);

// Returns null for a handle that is not a live error object: NULL, dead and foreign handles,
// out_of_memory_error.
const ErrorObject* error_object(const cucore_error* error) noexcept;

// Returned if memory is exhausted: always present, never counted.
extern cucore_error out_of_memory_error;
inline constexpr const char* OUT_OF_MEMORY_TEXT = "out of host memory";

}  // namespace cucore::capi
