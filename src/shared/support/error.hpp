// SPDX-License-Identifier: Apache-2.0
// The only exception of the library: the failure, its reason, and the action to take.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace cucore {

enum class Status : int32_t {
  OK = 0,
#define STATUS(name, number) name = number,
#include "support/status.inc"
#undef STATUS
};

// The component that returned the failure, if it was not this library.
struct Origin {
  const char* library = "cucore";  // "cuda", "nvrtc", "nvjitlink", "nvvm"
  int32_t code = 0;
  std::string name;  // "CUDA_ERROR_INVALID_PTX"
};

class Error : public std::exception {
 public:
  Error(Status status, std::string message, std::string log = {}, Origin origin = {})
      : status_(status),
        message_(std::move(message)),
        log_(std::move(log)),
        origin_(std::move(origin)) {}

  const char* what() const noexcept override { return message_.c_str(); }
  Status status() const noexcept { return status_; }
  const std::string& message() const noexcept { return message_; }
  const std::string& log() const noexcept { return log_; }
  const Origin& origin() const noexcept { return origin_; }

 private:
  Status status_;
  std::string message_;
  std::string log_;
  Origin origin_;
};

}  // namespace cucore
