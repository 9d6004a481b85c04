// SPDX-License-Identifier: Apache-2.0
// The failures of the command: the library's errors and the command's own, with an exit code.
#pragma once

#include <cucore/error.hpp>
#include <string>

#include "json.hpp"

namespace cucore::cli {

// The exit codes of the command, the same for every subcommand.
enum ExitCode { DONE = 0, FAILED = 1, USAGE = 2, SIGNATURE = 3, CHECKS = 4 };

// An error with everything else that the user should see.
class Failure : public Error {
 public:
  Failure(ExitCode exit_code, Status status, const std::string& message)
      : Error(status, message), exit_code_(exit_code) {}

  explicit Failure(const Error& error)
      : Error(error), exit_code_(error.status() == Status::signature ? SIGNATURE : FAILED) {}

  // Returns the same failure with a prefix: the file that it concerns.
  Failure about(const std::string& file) const;

  // Returns the same failure with more fields for JSON.
  Failure with(const Json& details) const;

  const char* what() const noexcept override { return text_.empty() ? message() : text_.c_str(); }

  // Returns whether the command detected it, not the library.
  bool is_own() const { return !get(); }
  ExitCode exit_code() const { return exit_code_; }
  const Json& details() const { return details_; }

 private:
  ExitCode exit_code_;
  std::string text_;  // the message with its prefix; "": the message alone
  Json details_ = Json::object();
};

// Makes a failure for a wrong call: the message shows the correct form.
inline Failure usage(const std::string& message) {
  return {USAGE, Status::invalid_argument, message};
}

// Makes a failure for a correct call that cannot be done.
inline Failure failed(const std::string& message, Status status = Status::invalid_argument) {
  return {FAILED, status, message};
}

}  // namespace cucore::cli
