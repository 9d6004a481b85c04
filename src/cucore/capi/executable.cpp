// SPDX-License-Identifier: Apache-2.0
#include "core/graph/executable.hpp"

#include <cstddef>

#include "capi/observed.hpp"

using namespace cucore::capi;
namespace core = cucore::core;

namespace {

constexpr size_t FIRST_EXECUTABLE_OPTIONS =
    offsetof(cucore_executable_options, upload) + sizeof(const cucore_stream*);

core::ExecutableOptions read(const cucore_executable_options* given) {
  if (!given) return {};
  const auto options =
      cucore::read_options(given, FIRST_EXECUTABLE_OPTIONS, "cucore_executable_options");
  core::ExecutableOptions out;
  out.free_on_launch =
      require_flag(options.free_on_launch, "cucore_executable_options.free_on_launch");
  out.device_launch =
      require_flag(options.device_launch, "cucore_executable_options.device_launch");
  out.node_priority =
      require_flag(options.node_priority, "cucore_executable_options.node_priority");
  require_zero(options.reserved, "cucore_executable_options.reserved");
  if (options.upload) out.upload = &use(options.upload, "cucore_executable_options.upload");
  return out;
}

[[gnu::cold, gnu::noinline]] void launch_graph_observed(core::Executable& executable,
                                                        core::Stream& stream) {
  core::observe(
      {.kind = CUCORE_OPERATION_GRAPH_LAUNCH, .stream = &stream, .executable = &executable},
      [&](core::Operation&) { executable.launch(stream); });
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_executable_create(const cucore_graph* graph,
                                                  const cucore_executable_options* options,
                                                  cucore_executable** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Graph& of = use(graph, "graph");
    const core::ExecutableOptions how = read(options);
    require(out, "out");
    *out = wrap(core::Executable::create(of, how));
  });
}

CUCORE_API cucore_executable* cucore_executable_retain(const cucore_executable* executable) {
  return retain(executable);
}

CUCORE_API void cucore_executable_release(cucore_executable* executable) { release(executable); }

CUCORE_API cucore_status cucore_executable_device(const cucore_executable* executable,
                                                  cucore_device** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Executable& self = use(executable, "executable");
    require(out, "out");
    *out = wrap(self.device());
  });
}

CUCORE_API cucore_status cucore_executable_launch(const cucore_executable* executable,
                                                  const cucore_stream* stream,
                                                  cucore_error** error) {
  return guard(error, [&] {
    core::Executable& self = use(executable, "executable");
    core::Stream& order = use(stream, "stream");
    if (is_observed(CUCORE_OPERATION_GRAPH_LAUNCH)) [[unlikely]]
      return launch_graph_observed(self, order);
    self.launch(order);
  });
}

CUCORE_API cucore_status cucore_executable_upload(const cucore_executable* executable,
                                                  const cucore_stream* stream,
                                                  cucore_error** error) {
  return guard(error, [&] { use(executable, "executable").upload(use(stream, "stream")); });
}

CUCORE_API void* cucore_executable_native(const cucore_executable* executable) {
  const auto* self = peek(executable);
  return self ? self->hand_out() : nullptr;
}

}  // extern "C"
