// How the command reports that something went wrong: one exception, and calls that throw it.
#pragma once

#include <cucore.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace cucore::cli {

/// What the command returns to the shell; the same numbers for every subcommand.
enum ExitCode { kDone = 0, kFailed = 1, kUsage = 2 };

/// A failure with everything that the user is to see.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code) {}

  /// Takes what the library says, and releases it.
  explicit Failure(cucore_error* error);

  ExitCode exit_code() const { return exit_code_; }
  cucore_status status() const { return status_; }
  const std::string& detail() const { return detail_; }
  const std::string& log() const { return log_; }

 private:
  ExitCode exit_code_;
  cucore_status status_ = CUCORE_OK;
  std::string detail_;  ///< the status, and the code of the driver or the compiler
  std::string log_;     ///< the compiler's whole output
};

/// The call itself is wrong: the message says how it should be.
inline Failure usage(const std::string& message) { return {kUsage, message}; }

/// The call is right, but it cannot be done.
inline Failure failed(const std::string& message) { return {kFailed, message}; }

/// Calls a function of the library, whose last parameter is the error, and throws what it reports.
template <class Function, class... Arguments>
void call(Function function, Arguments... arguments) {
  cucore_error* error = nullptr;
  if (function(arguments..., &error) != CUCORE_OK) throw Failure(error);
}

}  // namespace cucore::cli
