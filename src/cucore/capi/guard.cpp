// SPDX-License-Identifier: Apache-2.0
#include "capi/guard.hpp"

#include "capi/error_object.hpp"

namespace cucore::capi {
namespace {

struct Reporter {
  using Handle = cucore_error;
  static constexpr const char* LIBRARY = "libcucore";
  static cucore_error* create(Error error) { return make_error(std::move(error)); }
  static cucore_error* out_of_memory() noexcept { return &out_of_memory_error; }
};

static_assert(CUCORE_OK == static_cast<int>(Status::OK));
#define STATUS(name, number) static_assert(CUCORE_ERROR_##name == number);
#include "support/status.inc"
#undef STATUS

static_assert(CUCORE_TOGGLE_DEFAULT == 0 && CUCORE_TOGGLE_ON == 1 && CUCORE_TOGGLE_OFF == 2,
              "require_toggle() has the numbers");

}  // namespace

cucore_status report(cucore_error** error) noexcept {
  return static_cast<cucore_status>(report_exception<Reporter>(error));
}

}  // namespace cucore::capi
