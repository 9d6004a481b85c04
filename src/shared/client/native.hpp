// SPDX-License-Identifier: Apache-2.0
// For libraries that are built on cucore.h: its handles with owners, and calls whose failures are
// exceptions.
#pragma once

#include <cucore.h>

#include <string>
#include <utility>

#include "support/error.hpp"

namespace cucore::client {

// A failure of a call of libcucore, with the action attempted here. Takes over the reference.
class CallFailed final : public Error {
 public:
  CallFailed(cucore_status status, std::string attempt, cucore_error* cause)
      : Error(static_cast<Status>(status), std::move(attempt)), cause_(cause) {}
  CallFailed(const CallFailed& other) : Error(other), cause_(cucore_error_retain(other.cause_)) {}
  CallFailed& operator=(const CallFailed&) = delete;
  ~CallFailed() override { cucore_error_release(cause_); }

  const cucore_error* cause() const noexcept { return cause_; }

 private:
  cucore_error* const cause_;
};

template <class Function, class... Arguments>
void call(const char* attempt, Function&& function, Arguments&&... arguments) {
  cucore_error* error = nullptr;
  const cucore_status status = function(std::forward<Arguments>(arguments)..., &error);
  if (status != CUCORE_OK) throw CallFailed(status, attempt, error);
}

// One reference to an object of libcucore.
template <class Handle, auto RETAIN, auto RELEASE>
class Native {
 public:
  Native() = default;
  static Native adopt(Handle* handle) {
    Native native;
    native.handle_ = handle;
    return native;
  }
  static Native share(const Handle* handle) { return adopt(handle ? RETAIN(handle) : nullptr); }
  Native(const Native& other) : handle_(other.handle_ ? RETAIN(other.handle_) : nullptr) {}
  Native(Native&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Native& operator=(Native other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Native() { RELEASE(handle_); }

  Handle* get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  Handle* handle_ = nullptr;
};

// Makes an object with a function whose last parameters are the output and the error.
template <class Owner, class Function, class... Arguments>
Owner created(const char* attempt, Function&& function, Arguments&&... arguments) {
  decltype(std::declval<Owner>().get()) handle = nullptr;
  call(attempt, std::forward<Function>(function), std::forward<Arguments>(arguments)..., &handle);
  return Owner::adopt(handle);
}

}  // namespace cucore::client
