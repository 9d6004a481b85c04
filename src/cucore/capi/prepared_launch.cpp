// SPDX-License-Identifier: Apache-2.0
#include "core/load/prepared_launch.hpp"

#include "capi/guard.hpp"
#include "capi/launch_handles.hpp"
#include "capi/launch_options.hpp"
#include "core/observe/observed_kinds.hpp"

using namespace cucore::capi;
namespace core = cucore::core;

extern "C" {

CUCORE_API cucore_status cucore_prepared_launch_create(const cucore_kernel* kernel,
                                                       const cucore_stream* stream,
                                                       const cucore_launch_options* options,
                                                       const cucore_argument* arguments,
                                                       size_t count, cucore_prepared_launch** out,
                                                       cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    auto of = share(kernel, "kernel");
    cucore::Ref<core::Stream> order(&order_of(stream));
    const LaunchOptions how(options);
    require_array(arguments, count, "arguments");
    require(out, "out");
    *out = wrap(cucore::make<core::PreparedLaunch>(std::move(of), std::move(order), how.get(),
                                                   arguments, count, LAUNCH_HANDLES));
  });
}

CUCORE_API cucore_prepared_launch* cucore_prepared_launch_retain(
    const cucore_prepared_launch* prepared) {
  return retain(prepared);
}

CUCORE_API void cucore_prepared_launch_release(cucore_prepared_launch* prepared) {
  release(prepared);
}

CUCORE_API cucore_status cucore_prepared_launch_update(cucore_prepared_launch* prepared,
                                                       size_t index,
                                                       const cucore_argument* argument,
                                                       cucore_error** error) {
  return guard(error, [&] {
    core::PreparedLaunch& self = use(prepared, "prepared");
    require(argument, "argument");
    self.update(index, *argument, BUFFER_HANDLES);
  });
}

CUCORE_API cucore_status cucore_prepared_launch_run(const cucore_prepared_launch* prepared,
                                                    cucore_error** error) {
  return guard(error, [&] {
    const core::PreparedLaunch& self = use(prepared, "prepared");
    if (core::is_observed(CUCORE_OPERATION_LAUNCH)) [[unlikely]]
      return self.run_observed();
    self.run();
  });
}

}  // extern "C"
