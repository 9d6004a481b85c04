// SPDX-License-Identifier: Apache-2.0
// The barrier of this library. Its errors are libcucore's: every function on errors accepts them.
#pragma once

#include <cucore.h>

#include <string>
#include <utility>

#include "support/error.hpp"
#include "support/guard.hpp"

namespace second {

// A failure of a call of libcucore, with the action attempted here. Takes over the reference.
class CallFailed final : public cucore::Error {
 public:
  CallFailed(cucore_status status, std::string attempt, cucore_error* cause)
      : Error(static_cast<cucore::Status>(status), std::move(attempt)), cause_(cause) {}
  CallFailed(const CallFailed& other) : Error(other), cause_(cucore_error_retain(other.cause_)) {}
  CallFailed& operator=(const CallFailed&) = delete;
  ~CallFailed() override { cucore_error_release(cause_); }

  const cucore_error* cause() const noexcept { return cause_; }

 private:
  cucore_error* const cause_;
};

// Calls a function of cucore.h.
template <class Function, class... Arguments>
void call(const char* attempt, Function&& function, Arguments&&... arguments) {
  cucore_error* error = nullptr;
  const cucore_status status = function(std::forward<Arguments>(arguments)..., &error);
  if (status != CUCORE_OK) throw CallFailed(status, attempt, error);
}

cucore_status report(cucore_error** error) noexcept;

template <class Body>
cucore_status guard(cucore_error** error, Body&& body) noexcept {
  return cucore::guard_with<report>(error, std::forward<Body>(body));
}

}  // namespace second
