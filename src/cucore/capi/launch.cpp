// SPDX-License-Identifier: Apache-2.0
#include "core/load/launch.hpp"

#include "capi/guard.hpp"
#include "capi/launch_handles.hpp"
#include "capi/launch_options.hpp"
#include "capi/observed.hpp"

using namespace cucore::capi;
namespace core = cucore::core;

void LaunchOptions::throw_missing() {
  throw cucore::Error(cucore::Status::INVALID_ARGUMENT,
                      "options must not be NULL: a launch needs grid[0] and block[0]");
}

namespace {

[[gnu::cold, gnu::noinline]] void launch_observed(const core::Kernel& kernel,
                                                  const core::Stream& stream,
                                                  const cucore_launch_options& options,
                                                  const cucore_argument* arguments, size_t count) {
  core::observe({.kind = CUCORE_OPERATION_LAUNCH,
                 .stream = &stream,
                 .kernel = &kernel,
                 .launch = &options,
                 .arguments = arguments,
                 .argument_count = count},
                [&](core::Operation&) {
                  core::launch(kernel, stream, options, arguments, count, LAUNCH_HANDLES);
                });
}

[[gnu::cold, gnu::noinline]] void launch_packed_observed(const core::Kernel& kernel,
                                                         const core::Stream& stream,
                                                         const cucore_launch_options& options,
                                                         const void* arguments, size_t size) {
  core::observe({.kind = CUCORE_OPERATION_LAUNCH,
                 .stream = &stream,
                 .kernel = &kernel,
                 .launch = &options,
                 .packed = arguments,
                 .packed_size = size},
                [&](core::Operation&) {
                  core::launch_packed(kernel, stream, options, arguments, size, LAUNCH_HANDLES);
                });
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_kernel_launch(const cucore_kernel* kernel,
                                              const cucore_stream* stream,
                                              const cucore_launch_options* options,
                                              const cucore_argument* arguments, size_t count,
                                              cucore_error** error) {
  return guard(error, [&] {
    const core::Kernel& self = use(kernel, "kernel");
    const core::Stream& order = order_of(stream);
    const LaunchOptions how(options);
    require_array(arguments, count, "arguments");
    if (is_observed(CUCORE_OPERATION_LAUNCH)) [[unlikely]]
      return launch_observed(self, order, how.get(), arguments, count);
    core::launch(self, order, how.get(), arguments, count, LAUNCH_HANDLES);
  });
}

CUCORE_API cucore_status cucore_kernel_launch_packed(const cucore_kernel* kernel,
                                                     const cucore_stream* stream,
                                                     const cucore_launch_options* options,
                                                     const void* arguments, size_t size,
                                                     cucore_error** error) {
  return guard(error, [&] {
    const core::Kernel& self = use(kernel, "kernel");
    const core::Stream& order = order_of(stream);
    const LaunchOptions how(options);
    if (size != 0) require(arguments, "arguments");
    if (is_observed(CUCORE_OPERATION_LAUNCH)) [[unlikely]]
      return launch_packed_observed(self, order, how.get(), arguments, size);
    core::launch_packed(self, order, how.get(), arguments, size, LAUNCH_HANDLES);
  });
}

}  // extern "C"
