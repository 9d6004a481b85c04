// SPDX-License-Identifier: Apache-2.0
#include "core/load/launch.hpp"

#include "capi/guard.hpp"
#include "capi/launch_handles.hpp"
#include "capi/launch_options.hpp"
#include "capi/observed.hpp"
#include "core/observe/launch_tallies.hpp"

using namespace cucore::capi;
namespace core = cucore::core;

void LaunchOptions::throw_missing() {
  throw cucore::Error(cucore::Status::INVALID_ARGUMENT,
                      "options must not be NULL: a launch needs grid[0] and block[0]");
}

namespace {

// Runs a launch as an observed operation. Observers get the handles of the caller. Returns without
// a call of an observer if no memory is left for the handle of the device.
template <class Act>
void observe_launch(cucore_operation& operation, const core::Stream& stream, Act&& act) {
  core::ObserverCalls calls;
  if (!calls.are_needed()) return act();
  const bool is_described = core::is_described([&] {
    operation.device = device_handle(stream.device());
    operation.captured = stream.is_capturing();
  });
  if (!is_described) return act();
  calls.begin_launch(operation, stream.device());
  core::run_observed(act, [&](cucore::Status status) {
    operation.status = static_cast<cucore_status>(status);
    calls.end(operation);
  });
}

cucore_operation launch_operation(const cucore_kernel* kernel, const cucore_stream* stream,
                                  const cucore_launch_options& options) {
  cucore_operation operation = CUCORE_OPERATION_INIT;
  operation.kind = CUCORE_OPERATION_LAUNCH;
  operation.stream = stream;
  operation.kernel = kernel;
  operation.launch = &options;
  return operation;
}

[[gnu::noinline]] void launch_observed(const cucore_kernel* kernel, const cucore_stream* stream,
                                       const cucore_launch_options& options,
                                       const cucore_argument* arguments, size_t count) {
  cucore_operation operation = launch_operation(kernel, stream, options);
  operation.arguments = arguments;
  operation.argument_count = count;
  const core::Stream& order = use(stream, "stream");
  observe_launch(operation, order, [&] {
    core::launch(use(kernel, "kernel"), order, options, arguments, count, LAUNCH_HANDLES);
  });
}

[[gnu::noinline]] void launch_packed_observed(const cucore_kernel* kernel,
                                              const cucore_stream* stream,
                                              const cucore_launch_options& options,
                                              const void* arguments, size_t size) {
  cucore_operation operation = launch_operation(kernel, stream, options);
  operation.packed = arguments;
  operation.packed_size = size;
  const core::Stream& order = use(stream, "stream");
  observe_launch(operation, order, [&] {
    core::launch_packed(use(kernel, "kernel"), order, options, arguments, size, LAUNCH_HANDLES);
  });
}

// Counts a launch in the tally that its observer has set, if there is one.
[[gnu::always_inline]] inline core::CountedLaunch count_launch(
    const cucore_kernel* kernel, const cucore_stream* stream, const core::Stream& order,
    const cucore_launch_options& options) {
  const core::TalliedLaunch* tallied =
      core::tallied_launch(kernel, stream, order.device(), options);
  bool is_captured = false;
  if (tallied && order.may_be_captured()) [[unlikely]]
    if (!core::is_described([&] { is_captured = order.is_capturing(); })) tallied = nullptr;
  return {tallied, options, is_captured};
}

// Runs a launch that has been counted.
template <class Act>
void run_counted(const core::CountedLaunch& counted, Act&& act) {
  core::run_observed(act, [&](cucore::Status status) {
    if (status != cucore::Status{}) counted.fail();
  });
}

// Most observed launches are only counted.
[[gnu::noinline]] void count_or_observe(const cucore_kernel* kernel, const cucore_stream* stream,
                                        const core::Stream& order,
                                        const cucore_launch_options& options,
                                        const cucore_argument* arguments, size_t count) {
  const core::CountedLaunch counted = count_launch(kernel, stream, order, options);
  if (!counted) [[unlikely]]
    return launch_observed(kernel, stream, options, arguments, count);
  run_counted(counted, [&] {
    core::launch(use(kernel, "kernel"), order, options, arguments, count, LAUNCH_HANDLES);
  });
}

// A function of its own, so that usual launches have no part of its frame.
[[gnu::cold, gnu::noinline]] void launch_unusual(const cucore_kernel* kernel,
                                                 const cucore_stream* stream,
                                                 const cucore_launch_options* options,
                                                 const cucore_argument* arguments, size_t count) {
  const core::Kernel& self = use(kernel, "kernel");
  const core::Stream& order = order_of(stream);
  const LaunchOptions how(options);
  require_array(arguments, count, "arguments");
  if (is_observed(CUCORE_OPERATION_LAUNCH)) [[unlikely]]
    return count_or_observe(kernel, stream, order, how.get(), arguments, count);
  core::launch(self, order, how.get(), arguments, count, LAUNCH_HANDLES);
}

[[gnu::noinline]] void count_or_observe_packed(const cucore_kernel* kernel,
                                               const cucore_stream* stream,
                                               const core::Stream& order,
                                               const cucore_launch_options& options,
                                               const void* arguments, size_t size) {
  const core::CountedLaunch counted = count_launch(kernel, stream, order, options);
  if (!counted) [[unlikely]]
    return launch_packed_observed(kernel, stream, options, arguments, size);
  run_counted(counted, [&] {
    core::launch_packed(use(kernel, "kernel"), order, options, arguments, size, LAUNCH_HANDLES);
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
    const core::Kernel* const self = peek(kernel);
    const core::Stream* const order = peek(stream);
    if (!self || !order || !LaunchOptions::are_current(options) || (count != 0 && !arguments))
        [[unlikely]]
      return launch_unusual(kernel, stream, options, arguments, count);
    if (is_observed(CUCORE_OPERATION_LAUNCH)) [[unlikely]]
      return count_or_observe(kernel, stream, *order, *options, arguments, count);
    core::launch(*self, *order, *options, arguments, count, LAUNCH_HANDLES);
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
      return count_or_observe_packed(kernel, stream, order, how.get(), arguments, size);
    core::launch_packed(self, order, how.get(), arguments, size, LAUNCH_HANDLES);
  });
}

}  // extern "C"
