// SPDX-License-Identifier: Apache-2.0
#include "guard.hpp"

namespace second {
namespace {

struct Reporter {
  using Handle = cucore_error;
  static constexpr const char* LIBRARY = "libsecond";

  static cucore_error* create(const cucore::Error& error) {
    cucore_error_options options = CUCORE_ERROR_OPTIONS_INIT;
    options.origin = "second";
    options.log = error.log().c_str();
    if (const auto* failed = dynamic_cast<const CallFailed*>(&error))
      options.cause = failed->cause();
    return cucore_error_create(static_cast<cucore_status>(error.status()), error.what(), &options);
  }
  static cucore_error* out_of_memory() noexcept {
    return cucore_error_create(CUCORE_ERROR_OUT_OF_MEMORY, "out of host memory", nullptr);
  }
};

}  // namespace

cucore_status report(cucore_error** error) noexcept {
  return static_cast<cucore_status>(cucore::report_exception<Reporter>(error));
}

}  // namespace second
