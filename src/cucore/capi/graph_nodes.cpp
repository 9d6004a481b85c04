// SPDX-License-Identifier: Apache-2.0
// Adds nodes to graphs.
#include <utility>

#include "capi/buffer_handles.hpp"
#include "capi/graph_arguments.hpp"
#include "capi/launch_options.hpp"
#include "core/graph/kernel_work.hpp"

using namespace cucore::capi;
namespace core = cucore::core;

extern "C" {

CUCORE_API cucore_status cucore_graph_add_kernel(cucore_graph* graph, const cucore_node* after,
                                                 size_t after_count, const cucore_kernel* kernel,
                                                 const cucore_launch_options* options,
                                                 const cucore_argument* arguments, size_t count,
                                                 cucore_node* out, cucore_error** error) {
  return guard(error, [&] {
    NewNode node(out);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    auto of = share(kernel, "kernel");
    const LaunchOptions how(options);
    require_array(arguments, count, "arguments");
    node.require();
    self.require_usable();
    core::KernelChange launch{std::move(of), &how.get(), arguments, count};
    node.set(self.add(before, cucore::make<core::KernelWork>(*self.context(), std::move(launch),
                                                             BUFFER_HANDLES)));
  });
}

CUCORE_API cucore_status cucore_graph_add_copy(cucore_graph* graph, const cucore_node* after,
                                               size_t after_count, cucore_buffer* destination,
                                               size_t destination_offset,
                                               const cucore_buffer* source, size_t source_offset,
                                               size_t size, cucore_node* out,
                                               cucore_error** error) {
  return guard(error, [&] {
    NewNode node(out);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    core::CopyPart to{share(destination, "destination"), destination_offset};
    core::CopyPart from{share(source, "source"), source_offset};
    node.require();
    node.set(self.add(before, cucore::make<core::CopyWork>(std::move(to), std::move(from), size)));
  });
}

CUCORE_API cucore_status cucore_graph_add_fill(cucore_graph* graph, const cucore_node* after,
                                               size_t after_count, cucore_buffer* buffer,
                                               size_t offset, size_t size, const void* pattern,
                                               size_t pattern_size, cucore_node* out,
                                               cucore_error** error) {
  return guard(error, [&] {
    NewNode node(out);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    auto of = share(buffer, "buffer");
    require(pattern, "pattern");
    node.require();
    node.set(self.add(
        before, cucore::make<core::FillWork>(std::move(of), offset, size, pattern, pattern_size)));
  });
}

CUCORE_API cucore_status cucore_graph_add_host(cucore_graph* graph, const cucore_node* after,
                                               size_t after_count, cucore_host_fn fn,
                                               void* user_data, cucore_destroy_fn destroy,
                                               cucore_node* out, cucore_error** error) {
  return guard(error, [&] {
    core::UserData data(user_data, destroy);  // ends with the call unless a node keeps it
    NewNode node(out);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    require(fn, "fn");
    node.require();
    node.set(self.add(before, cucore::make<core::HostWork>(fn, std::move(data))));
  });
}

CUCORE_API cucore_status cucore_graph_add_record(cucore_graph* graph, const cucore_node* after,
                                                 size_t after_count, cucore_event* event,
                                                 cucore_node* out, cucore_error** error) {
  return guard(error, [&] {
    NewNode node(out);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    auto of = share(event, "event");
    node.require();
    node.set(
        self.add(before, cucore::make<core::EventWork>(core::NodeKind::RECORD, std::move(of))));
  });
}

CUCORE_API cucore_status cucore_graph_add_wait(cucore_graph* graph, const cucore_node* after,
                                               size_t after_count, const cucore_event* event,
                                               cucore_node* out, cucore_error** error) {
  return guard(error, [&] {
    NewNode node(out);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    auto of = share(event, "event");
    node.require();
    node.set(self.add(before, cucore::make<core::EventWork>(core::NodeKind::WAIT, std::move(of))));
  });
}

CUCORE_API cucore_status cucore_graph_add_empty(cucore_graph* graph, const cucore_node* after,
                                                size_t after_count, cucore_node* out,
                                                cucore_error** error) {
  return guard(error, [&] {
    NewNode node(out);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    node.require();
    node.set(self.add(before, cucore::make<core::EmptyWork>()));
  });
}

CUCORE_API cucore_status cucore_graph_add_child(cucore_graph* graph, const cucore_node* after,
                                                size_t after_count, const cucore_graph* child,
                                                cucore_node* out, cucore_error** error) {
  return guard(error, [&] {
    NewNode node(out);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    const core::Graph& other = use(child, "child");
    node.require();
    node.set(self.add_child(before, other));
  });
}

}  // extern "C"
