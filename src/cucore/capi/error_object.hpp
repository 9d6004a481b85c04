// SPDX-License-Identifier: Apache-2.0
// The object behind a cucore_error, and the one that is there when memory for another is not.
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

  // Of the log, read at the first question.
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

// Null for what is not a live error of its own: NULL, dead and foreign handles,
// out_of_memory_error.
const ErrorObject* error_object(const cucore_error* error) noexcept;

// Given out when there is no memory for another: always there, never counted.
extern cucore_error out_of_memory_error;
inline constexpr const char* OUT_OF_MEMORY_TEXT = "out of host memory";

}  // namespace cucore::capi
