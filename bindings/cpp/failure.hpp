// SPDX-License-Identifier: Apache-2.0
// A private exception between the bodies of the .i files and the languages: a failed call of the C
// API. Each language has one handler that converts it to its own exception.
#pragma once

#include <cucore/error.hpp>
#include <memory>
#include <string>
#include <utility>

#include "spelling.hpp"

namespace cucore::bind {

class Failure {
 public:
  explicit Failure(Error error)
      : error_(std::move(error)),
        message_(std::make_shared<std::string>(respell(error_.message()))) {}
  Failure(cucore_status status, cucore_error* error) : Failure(Error(status, error)) {}
  Failure(cucore_status status, const std::string& message)
      : Failure(Error(static_cast<Status>(status), message)) {}

  cucore_status status() const { return static_cast<cucore_status>(error_.status()); }
  const char* message() const { return message_->c_str(); }
  const char* origin() const { return error_.origin().data(); }
  int native_code() const { return cucore_error_native_code(error_.get()); }
  const char* native_name() const { return cucore_error_native_name(error_.get()); }
  const char* log() const { return cucore_error_log(error_.get()); }

  // The diagnostics of the compiler or linker; strings live as long as this object.
  size_t diagnostic_count() const { return cucore_error_diagnostic_count(error_.get()); }
  cucore_diagnostic_info diagnostic(size_t index) const {
    cucore_diagnostic_info info = CUCORE_DIAGNOSTIC_INFO_INIT;
    cucore_error_diagnostic_at(error_.get(), index, &info, nullptr);
    return info;
  }

 private:
  Error error_;
  std::shared_ptr<std::string> message_;
};

// Calls a function of the C API, whose last parameter is the error, and throws if it fails.
template <class Function, class... Arguments>
inline void ok(Function* function, Arguments&&... arguments) {
  cucore_error* error = nullptr;
  const cucore_status status = function(std::forward<Arguments>(arguments)..., &error);
  if (status != CUCORE_OK) [[unlikely]]
    throw Failure(status, error);
}

// Does the same for a function whose last parameter but the error is its one result.
template <class Result, class Function, class... Arguments>
inline Result made(Function* function, Arguments&&... arguments) {
  Result result{};
  ok(function, std::forward<Arguments>(arguments)..., &result);
  return result;
}

// Returns the struct that a call fills.
template <class Info, class Function, class... Arguments>
inline Info info_of(Function* function, Arguments&&... arguments) {
  Info info{};
  info.struct_size = sizeof info;
  ok(function, std::forward<Arguments>(arguments)..., &info);
  return info;
}

// Two results of one call: a tuple, an array or a struct, depending on the language.
struct Pair {
  int64_t first;
  int64_t second;
};

template <class First, class Second, class Function, class... Arguments>
inline Pair pair_of(Function* function, Arguments&&... arguments) {
  First first{};
  Second second{};
  ok(function, std::forward<Arguments>(arguments)..., &first, &second);
  return {static_cast<int64_t>(first), static_cast<int64_t>(second)};
}

// Borrowed bytes; the language copies them before the call returns.
struct Bytes {
  const void* data;
  size_t size;
};

}  // namespace cucore::bind
