// SPDX-License-Identifier: Apache-2.0
// Changes nodes of graphs and of executables.
#include <optional>
#include <utility>

#include "capi/boxes.hpp"
#include "capi/guard.hpp"
#include "capi/launch_handles.hpp"
#include "capi/launch_options.hpp"
#include "core/graph/box_work.hpp"
#include "core/graph/executable.hpp"

using namespace cucore::capi;
namespace core = cucore::core;
using cucore::Ref;

namespace {

template <class Target>
void set_kernel(Target& target, cucore_node node, const cucore_kernel* kernel,
                const cucore_launch_options* options, const cucore_argument* arguments,
                size_t count) {
  core::KernelChange change;
  if (kernel) change.kernel = share(kernel, "kernel");
  std::optional<LaunchOptions> how;
  if (options) change.options = &how.emplace(options).get();
  require_array(arguments, count, "arguments");
  change.arguments = arguments;
  change.count = count;
  target.set_kernel(node, std::move(change), LAUNCH_HANDLES);
}

Ref<const core::NodeWork> copy_work(cucore_buffer* destination, size_t destination_offset,
                                    const cucore_buffer* source, size_t source_offset,
                                    size_t size) {
  core::CopyPart to{share(destination, "destination"), destination_offset};
  core::CopyPart from{share(source, "source"), source_offset};
  return cucore::make<core::CopyWork>(core::CopyNode::SET, std::move(to), std::move(from), size);
}

Ref<const core::NodeWork> box_work(const cucore_box* destination, const cucore_box* source,
                                   const core::BoxExtent& extent) {
  return cucore::make<core::BoxWork>(core::CopyNode::SET, box_copy(destination, source, extent));
}

Ref<const core::NodeWork> fill_work(cucore_buffer* buffer, size_t offset, size_t size,
                                    const void* pattern, size_t pattern_size) {
  auto of = share(buffer, "buffer");
  require(pattern, "pattern");
  return cucore::make<core::FillWork>(std::move(of), offset, size, pattern, pattern_size);
}

Ref<const core::NodeWork> host_work(cucore_host_fn fn, core::UserData data) {
  require(fn, "fn");
  return cucore::make<core::HostWork>(fn, std::move(data));
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_graph_set_kernel(cucore_graph* graph, cucore_node node,
                                                 const cucore_kernel* kernel,
                                                 const cucore_launch_options* options,
                                                 const cucore_argument* arguments, size_t count,
                                                 cucore_error** error) {
  return guard(error,
               [&] { set_kernel(use(graph, "graph"), node, kernel, options, arguments, count); });
}

CUCORE_API cucore_status cucore_graph_set_copy(cucore_graph* graph, cucore_node node,
                                               cucore_buffer* destination,
                                               size_t destination_offset,
                                               const cucore_buffer* source, size_t source_offset,
                                               size_t size, cucore_error** error) {
  return guard(error, [&] {
    core::Graph& self = use(graph, "graph");
    self.set(node, copy_work(destination, destination_offset, source, source_offset, size));
  });
}

CUCORE_API cucore_status cucore_graph_set_copy_box(cucore_graph* graph, cucore_node node,
                                                   const cucore_box* destination,
                                                   const cucore_box* source, size_t width,
                                                   size_t height, size_t depth,
                                                   cucore_error** error) {
  return guard(error, [&] {
    core::Graph& self = use(graph, "graph");
    self.set(node, box_work(destination, source, {width, height, depth}));
  });
}

CUCORE_API cucore_status cucore_graph_set_fill(cucore_graph* graph, cucore_node node,
                                               cucore_buffer* buffer, size_t offset, size_t size,
                                               const void* pattern, size_t pattern_size,
                                               cucore_error** error) {
  return guard(error, [&] {
    core::Graph& self = use(graph, "graph");
    self.set(node, fill_work(buffer, offset, size, pattern, pattern_size));
  });
}

CUCORE_API cucore_status cucore_graph_set_host(cucore_graph* graph, cucore_node node,
                                               cucore_host_fn fn, void* user_data,
                                               cucore_destroy_fn destroy, cucore_error** error) {
  return guard(error, [&] {
    core::UserData data(user_data, destroy);  // ends with the call unless a node keeps it
    core::Graph& self = use(graph, "graph");
    self.set(node, host_work(fn, std::move(data)));
  });
}

CUCORE_API cucore_status cucore_graph_set_event(cucore_graph* graph, cucore_node node,
                                                cucore_event* event, cucore_error** error) {
  return guard(error, [&] {
    core::Graph& self = use(graph, "graph");
    self.set_event(node, share(event, "event"));
  });
}

CUCORE_API cucore_status cucore_graph_set_semaphore(cucore_graph* graph, cucore_node node,
                                                    const cucore_external* semaphore,
                                                    uint64_t value, cucore_error** error) {
  return guard(error, [&] {
    core::Graph& self = use(graph, "graph");
    self.set_semaphore(node, share(semaphore, "semaphore"), value);
  });
}

CUCORE_API cucore_status cucore_graph_set_child(cucore_graph* graph, cucore_node node,
                                                const cucore_graph* child, cucore_error** error) {
  return guard(error, [&] {
    core::Graph& self = use(graph, "graph");
    self.set_child(node, use(child, "child"));
  });
}

CUCORE_API cucore_status cucore_executable_update(cucore_executable* executable,
                                                  const cucore_graph* graph, cucore_node* culprit,
                                                  cucore_error** error) {
  return guard(error, [&] {
    core::NodeNumber unused = 0;
    core::NodeNumber& node = culprit ? *culprit : unused;
    node = 0;
    core::Executable& self = use(executable, "executable");
    self.update(use(graph, "graph"), node);
  });
}

CUCORE_API cucore_status cucore_executable_set_kernel(cucore_executable* executable,
                                                      cucore_node node, const cucore_kernel* kernel,
                                                      const cucore_launch_options* options,
                                                      const cucore_argument* arguments,
                                                      size_t count, cucore_error** error) {
  return guard(error, [&] {
    set_kernel(use(executable, "executable"), node, kernel, options, arguments, count);
  });
}

CUCORE_API cucore_status cucore_executable_set_copy(cucore_executable* executable, cucore_node node,
                                                    cucore_buffer* destination,
                                                    size_t destination_offset,
                                                    const cucore_buffer* source,
                                                    size_t source_offset, size_t size,
                                                    cucore_error** error) {
  return guard(error, [&] {
    core::Executable& self = use(executable, "executable");
    self.set(node, copy_work(destination, destination_offset, source, source_offset, size));
  });
}

CUCORE_API cucore_status cucore_executable_set_copy_box(
    cucore_executable* executable, cucore_node node, const cucore_box* destination,
    const cucore_box* source, size_t width, size_t height, size_t depth, cucore_error** error) {
  return guard(error, [&] {
    core::Executable& self = use(executable, "executable");
    self.set(node, box_work(destination, source, {width, height, depth}));
  });
}

CUCORE_API cucore_status cucore_executable_set_fill(cucore_executable* executable, cucore_node node,
                                                    cucore_buffer* buffer, size_t offset,
                                                    size_t size, const void* pattern,
                                                    size_t pattern_size, cucore_error** error) {
  return guard(error, [&] {
    core::Executable& self = use(executable, "executable");
    self.set(node, fill_work(buffer, offset, size, pattern, pattern_size));
  });
}

CUCORE_API cucore_status cucore_executable_set_host(cucore_executable* executable, cucore_node node,
                                                    cucore_host_fn fn, void* user_data,
                                                    cucore_destroy_fn destroy,
                                                    cucore_error** error) {
  return guard(error, [&] {
    core::UserData data(user_data, destroy);  // ends with the call unless the executable keeps it
    core::Executable& self = use(executable, "executable");
    self.set(node, host_work(fn, std::move(data)));
  });
}

CUCORE_API cucore_status cucore_executable_set_event(cucore_executable* executable,
                                                     cucore_node node, cucore_event* event,
                                                     cucore_error** error) {
  return guard(error, [&] {
    core::Executable& self = use(executable, "executable");
    self.set_event(node, share(event, "event"));
  });
}

CUCORE_API cucore_status cucore_executable_set_semaphore(cucore_executable* executable,
                                                         cucore_node node,
                                                         const cucore_external* semaphore,
                                                         uint64_t value, cucore_error** error) {
  return guard(error, [&] {
    core::Executable& self = use(executable, "executable");
    self.set_semaphore(node, share(semaphore, "semaphore"), value);
  });
}

CUCORE_API cucore_status cucore_executable_set_child(cucore_executable* executable,
                                                     cucore_node node, const cucore_graph* child,
                                                     cucore_error** error) {
  return guard(error, [&] {
    core::Executable& self = use(executable, "executable");
    self.set_child(node, use(child, "child"));
  });
}

CUCORE_API cucore_status cucore_executable_set_enabled(cucore_executable* executable,
                                                       cucore_node node, int32_t enabled,
                                                       cucore_error** error) {
  return guard(error, [&] {
    core::Executable& self = use(executable, "executable");
    self.set_enabled(node, require_flag(enabled, "enabled"));
  });
}

CUCORE_API cucore_status cucore_executable_is_enabled(const cucore_executable* executable,
                                                      cucore_node node, int32_t* out,
                                                      cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Executable& self = use(executable, "executable");
    require(out, "out");
    *out = self.is_enabled(node);
  });
}

}  // extern "C"
