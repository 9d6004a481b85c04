// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "capi/graph_arguments.hpp"
#include "capi/number_list.hpp"
#include "support/concat.hpp"

using namespace cucore::capi;
namespace core = cucore::core;
using cucore::concat;
using cucore::Error;
using cucore::Status;

namespace {

constexpr size_t FIRST_NODE_INFO = offsetof(cucore_node_info, native) + sizeof(void*);

#define SAME(name) static_assert(CUCORE_NODE_KIND_##name == static_cast<int>(core::NodeKind::name))
SAME(UNKNOWN);
SAME(KERNEL);
SAME(COPY);
SAME(FILL);
SAME(HOST);
SAME(RECORD);
SAME(WAIT);
SAME(EMPTY);
SAME(CHILD);
SAME(CONDITIONAL);
SAME(ALLOCATION);
SAME(FREE);
SAME(VALUE);
#undef SAME

cucore_node_info to_c(const core::NodeState& node) {
  const core::NodeFacts& facts = node.facts;
  cucore_node_info info = CUCORE_NODE_INFO_INIT;
  info.kind = static_cast<cucore_node_kind>(node.kind);
  info.label = node.label;
  info.kernel = facts.kernel;
  std::ranges::copy(facts.grid, info.grid);
  std::ranges::copy(facts.block, info.block);
  std::ranges::copy(facts.cluster, info.cluster);
  info.dynamic_shared = facts.dynamic_shared;
  info.destination = facts.destination;
  info.source = facts.source;
  info.size = facts.size;
  info.pattern = facts.pattern;
  info.pattern_size = facts.pattern_size;
  info.dependency_count = node.before;
  info.dependent_count = node.after;
  info.event = facts.event ? facts.event->native() : facts.native_event;
  info.native = node.native;
  info.condition = facts.condition;
  info.tools_id = node.tools_id;
  info.comparison = facts.comparison;
  info.width = facts.box.extent.width;
  info.height = facts.box.extent.height;
  info.depth = facts.box.extent.depth;
  info.destination_row_bytes = facts.box.to_row_bytes;
  info.destination_slice_rows = facts.box.to_slice_rows;
  info.source_row_bytes = facts.box.from_row_bytes;
  info.source_slice_rows = facts.box.from_slice_rows;
  return info;
}

void write(const std::string& text, char* buffer, size_t capacity, size_t* size) {
  *size = text.size();
  if (!buffer) return;
  if (capacity < text.size())
    throw Error(Status::BUFFER_TOO_SMALL,
                concat("capacity is ", capacity, " bytes; expected at least ", text.size()));
  std::memcpy(buffer, text.data(), text.size());
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_graph_create(const cucore_device* device, cucore_graph** out,
                                             cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& on = use(device, "device");
    require(out, "out");
    *out = wrap(core::Graph::create(on));
  });
}

CUCORE_API cucore_status cucore_graph_clone(const cucore_graph* graph, cucore_graph** out,
                                            cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Graph& self = use(graph, "graph");
    require(out, "out");
    *out = wrap(self.clone());
  });
}

CUCORE_API cucore_graph* cucore_graph_retain(const cucore_graph* graph) { return retain(graph); }

CUCORE_API void cucore_graph_release(cucore_graph* graph) { release(graph); }

CUCORE_API cucore_status cucore_graph_device(const cucore_graph* graph, cucore_device** out,
                                             cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Graph& self = use(graph, "graph");
    require(out, "out");
    *out = wrap(self.device());
  });
}

CUCORE_API cucore_status cucore_graph_add_edge(cucore_graph* graph, cucore_node from,
                                               cucore_node to, int32_t programmatic,
                                               cucore_error** error) {
  return guard(error, [&] {
    core::Graph& self = use(graph, "graph");
    self.add_edge(from, to, require_flag(programmatic, "programmatic"));
  });
}

CUCORE_API cucore_status cucore_graph_remove_edge(cucore_graph* graph, cucore_node from,
                                                  cucore_node to, cucore_error** error) {
  return guard(error, [&] { use(graph, "graph").remove_edge(from, to); });
}

CUCORE_API cucore_status cucore_graph_remove_node(cucore_graph* graph, cucore_node node,
                                                  cucore_error** error) {
  return guard(error, [&] { use(graph, "graph").remove(node); });
}

CUCORE_API cucore_status cucore_graph_set_label(cucore_graph* graph, cucore_node node,
                                                const char* label, cucore_error** error) {
  return guard(error, [&] {
    core::Graph& self = use(graph, "graph");
    self.set_label(node, require(label, "label"));
  });
}

CUCORE_API cucore_status cucore_graph_hold(cucore_graph* graph, void* user_data,
                                           cucore_destroy_fn destroy, cucore_error** error) {
  return guard(error, [&] {
    core::UserData data(user_data, destroy);  // ends with the call unless the graph keeps it
    use(graph, "graph").hold(cucore::make<core::HeldData>(std::move(data)));
  });
}

CUCORE_API size_t cucore_graph_node_count(const cucore_graph* graph) {
  size_t count = 0;
  if (const auto* self = peek(graph)) guard(nullptr, [&] { count = self->node_count(); });
  return count;
}

CUCORE_API cucore_status cucore_graph_node_at(const cucore_graph* graph, size_t index,
                                              cucore_node* out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Graph& self = use(graph, "graph");
    require(out, "out");
    *out = self.node_at(index);
  });
}

CUCORE_API cucore_status cucore_graph_node_query(const cucore_graph* graph, cucore_node node,
                                                 cucore_node_info* out, cucore_error** error) {
  return guard(error, [&] {
    cucore::clear_info(require(out, "out"), FIRST_NODE_INFO);
    const core::NodeState state = use(graph, "graph").query(node);
    cucore::write_info(out, to_c(state), FIRST_NODE_INFO, "cucore_node_info");
  });
}

CUCORE_API cucore_status cucore_graph_node_event(const cucore_graph* graph, cucore_node node,
                                                 cucore_event** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Graph& self = use(graph, "graph");
    require(out, "out");
    const core::NodeState state = self.query(node);
    if (!state.facts.event)
      throw Error(Status::INVALID_ARGUMENT,
                  concat("node ", node,
                         " has no event; expected a node that records an event or waits for one"));
    *out = wrap(*state.facts.event);
  });
}

CUCORE_API cucore_status cucore_graph_node_semaphore(const cucore_graph* graph, cucore_node node,
                                                     cucore_external** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Graph& self = use(graph, "graph");
    require(out, "out");
    const core::NodeState state = self.query(node);
    if (!state.facts.semaphore)
      throw Error(Status::INVALID_ARGUMENT,
                  concat("node ", node,
                         " has no semaphore; expected a node that signals a semaphore or waits for "
                         "it"));
    *out = wrap(*state.facts.semaphore);
  });
}

CUCORE_API cucore_status cucore_graph_dependencies(const cucore_graph* graph, cucore_node node,
                                                   cucore_node* nodes, size_t capacity,
                                                   size_t* count, cucore_error** error) {
  return guard(error, [&] {
    clear(count);
    const core::Graph& self = use(graph, "graph");
    require_array(nodes, capacity, "nodes");
    require(count, "count");
    write_numbers(self.dependencies(node), nodes, capacity, count);
  });
}

CUCORE_API cucore_status cucore_graph_dependents(const cucore_graph* graph, cucore_node node,
                                                 cucore_node* nodes, size_t capacity, size_t* count,
                                                 cucore_error** error) {
  return guard(error, [&] {
    clear(count);
    const core::Graph& self = use(graph, "graph");
    require_array(nodes, capacity, "nodes");
    require(count, "count");
    write_numbers(self.dependents(node), nodes, capacity, count);
  });
}

CUCORE_API cucore_status cucore_graph_dot(const cucore_graph* graph, uint32_t details, char* buffer,
                                          size_t capacity, size_t* size, cucore_error** error) {
  return guard(error, [&] {
    clear(size);
    const core::Graph& self = use(graph, "graph");
    require_array(buffer, capacity, "buffer");
    require(size, "size");
    write(self.dot(details), buffer, capacity, size);
  });
}

CUCORE_API void* cucore_graph_native(const cucore_graph* graph) {
  const auto* self = peek(graph);
  return self ? self->hand_out() : nullptr;
}

}  // extern "C"
