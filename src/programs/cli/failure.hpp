// SPDX-License-Identifier: Apache-2.0
// The failures of the command: one exception, and functions that throw it.
#pragma once

#include <cucore.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "json.hpp"
#include "memory_reserve.hpp"

namespace cucore::cli {

// The exit codes of the command, the same for every subcommand.
enum ExitCode { DONE = 0, FAILED = 1, USAGE = 2, SIGNATURE = 3 };

// One message of a compiler or linker.
struct Diagnostic {
  cucore_severity severity;
  std::int32_t line;    // from 1; 0: not reported
  std::int32_t column;  // from 1; 0: not reported
  std::string file;
  std::string text;
};

// A failure with everything that the user should see.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode exit_code, cucore_status status, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code), status_(status) {}

  // Takes over the library's error and releases it.
  explicit Failure(cucore_error* error);

  // Returns the same failure with a prefix: the file that it concerns.
  Failure about(const std::string& what) const;

  // Returns the same failure with more fields for JSON.
  Failure with(const Json& details) const;

  // Returns whether the command detected it, not the library.
  bool is_own() const { return is_own_; }
  ExitCode exit_code() const { return exit_code_; }
  cucore_status status() const { return status_; }
  // Returns the owner of native_code(): "cuda", "nvrtc"; "cucore" for a failure of the command
  // itself.
  const std::string& origin() const { return origin_; }
  std::int32_t native_code() const { return native_code_; }
  const std::string& native_name() const { return native_name_; }
  // The compiler's whole output, and the diagnostics parsed from it.
  const std::string& log() const { return log_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  const Json& details() const { return details_; }

 private:
  Failure(const Failure& other, const std::string& message);

  bool is_own_ = true;
  ExitCode exit_code_;
  cucore_status status_;
  std::string origin_ = "cucore";
  std::int32_t native_code_ = 0;
  std::string native_name_;
  std::string log_;
  std::vector<Diagnostic> diagnostics_;
  Json details_ = Json::object();
};

// Makes a failure for a wrong call: the message shows the correct form.
inline Failure usage(const std::string& message) {
  return {USAGE, CUCORE_ERROR_INVALID_ARGUMENT, message};
}

// Makes a failure for a correct call that cannot be done.
inline Failure failed(const std::string& message,
                      cucore_status status = CUCORE_ERROR_INVALID_ARGUMENT) {
  return {FAILED, status, message};
}

// Calls a function of the library whose last parameter is the error, and throws the error.
template <class Function, class... Arguments>
void call(Function function, Arguments... arguments) {
  require_memory();
  cucore_error* error = nullptr;
  if (function(arguments..., &error) != CUCORE_OK) throw Failure(error);
}

// Returns the diagnostics of an error or of object code, through the two functions that list them.
template <class Owner, class Count, class At>
std::vector<Diagnostic> read_diagnostics(const Owner* owner, Count count, At at) {
  std::vector<Diagnostic> all;
  for (std::size_t i = 0; i < count(owner); ++i) {
    cucore_diagnostic_info info = CUCORE_DIAGNOSTIC_INFO_INIT;
    if (at(owner, i, &info, nullptr) == CUCORE_OK)
      all.push_back({info.severity, info.line, info.column, info.file, info.text});
  }
  return all;
}

}  // namespace cucore::cli
