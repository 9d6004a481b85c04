// SPDX-License-Identifier: Apache-2.0
// Converts an error of the library to the command's exception.
#include "failure.hpp"

namespace cucore::cli {

Failure::Failure(cucore_error* error)
    : std::runtime_error(cucore_error_message(error)),
      is_own_(false),
      exit_code_(cucore_error_status(error) == CUCORE_ERROR_SIGNATURE ? SIGNATURE : FAILED),
      status_(cucore_error_status(error)),
      origin_(cucore_error_origin(error)),
      native_code_(cucore_error_native_code(error)),
      native_name_(cucore_error_native_name(error)),
      log_(cucore_error_log(error)),
      diagnostics_(
          read_diagnostics(error, cucore_error_diagnostic_count, cucore_error_diagnostic_at)) {
  cucore_error_release(error);
}

Failure::Failure(const Failure& other, const std::string& message)
    : std::runtime_error(message),
      is_own_(other.is_own_),
      exit_code_(other.exit_code_),
      status_(other.status_),
      origin_(other.origin_),
      native_code_(other.native_code_),
      native_name_(other.native_name_),
      log_(other.log_),
      diagnostics_(other.diagnostics_),
      details_(other.details_) {}

Failure Failure::about(const std::string& what) const {
  const std::string message = std::runtime_error::what();
  const bool said = message.find(what) != message.npos;
  return {*this, said ? message : what + ": " + message};
}

Failure Failure::with(const Json& details) const {
  Failure more = *this;
  more.details_.update(details);
  return more;
}

}  // namespace cucore::cli
