// SPDX-License-Identifier: Apache-2.0
#include "core/observe/observer.hpp"

#include <cstddef>

#include "capi/observed.hpp"
#include "core/observe/launch_tallies.hpp"
#include "support/concat.hpp"

using namespace cucore::capi;
using cucore::Error;
using cucore::Status;
namespace core = cucore::core;

namespace {

constexpr size_t FIRST_OBSERVER_OPTIONS =
    offsetof(cucore_observer_options, destroy) + sizeof(cucore_destroy_fn);
constexpr uint32_t ALL_KINDS = 2 * CUCORE_OPERATION_SYNCHRONIZE - 1;

core::ObserverCallbacks read(const cucore_observer_options* given) {
  const auto options =
      cucore::read_options(given, FIRST_OBSERVER_OPTIONS, "cucore_observer_options");
  if (options.kinds & ~ALL_KINDS)
    throw Error(Status::INVALID_ARGUMENT,
                cucore::concat("cucore_observer_options.kinds is ", options.kinds,
                               "; expected bits of cucore_operation_kind, at most ", ALL_KINDS));
  require_zero(static_cast<int32_t>(options.reserved), "cucore_observer_options.reserved");
  if (!options.begin && !options.end)
    throw Error(Status::INVALID_ARGUMENT,
                "cucore_observer_options.begin and cucore_observer_options.end are NULL; set one");
  return {options.kinds ? options.kinds : ALL_KINDS, options.begin, options.end, options.user_data,
          options.destroy};
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_observer_create(const cucore_observer_options* options,
                                                cucore_observer** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::ObserverCallbacks callbacks = read(options);
    require(out, "out");
    const auto observer = core::Observer::create();
    *out = wrap(observer);  // before the first call of the observer
    observe_released_buffers();
    observer->activate(callbacks, OPERATION_HANDLES);
  });
}

CUCORE_API cucore_observer* cucore_observer_retain(const cucore_observer* observer) {
  return retain(observer);
}

CUCORE_API int32_t cucore_operation_tally(const cucore_operation* operation,
                                          cucore_launch_tally* tally) {
  return operation && tally && core::set_tally(*operation, *tally);
}

CUCORE_API void cucore_observer_release(cucore_observer* observer) { release(observer); }

}  // extern "C"
