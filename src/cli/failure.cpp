// Turns an error of the library into the command's exception.
#include "failure.hpp"

#include <fmt/format.h>

#include <string_view>

namespace cucore::cli {
namespace {

std::string describe(const cucore_error* error) {
  const std::string_view native = cucore_error_native_name(error);
  std::string status = cucore_status_name(cucore_error_status(error));
  if (native.empty()) return status;
  return fmt::format("{}; {}: {} ({})", status, cucore_error_origin(error), native,
                     cucore_error_native_code(error));
}

}  // namespace

Failure::Failure(cucore_error* error)
    : std::runtime_error(cucore_error_message(error)),
      exit_code_(kFailed),
      status_(cucore_error_status(error)),
      detail_(describe(error)),
      log_(cucore_error_log(error)) {
  cucore_error_release(error);
}

}  // namespace cucore::cli
