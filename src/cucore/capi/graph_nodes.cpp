// SPDX-License-Identifier: Apache-2.0
// Adds nodes to graphs.
#include <algorithm>
#include <utility>
#include <vector>

#include "capi/boxes.hpp"
#include "capi/graph_arguments.hpp"
#include "capi/launch_handles.hpp"
#include "capi/launch_options.hpp"
#include "core/completion/host_call.hpp"
#include "core/graph/box_work.hpp"
#include "core/graph/kernel_work.hpp"
#include "core/graph/memory_work.hpp"
#include "core/graph/plain_launch.hpp"
#include "core/graph/semaphore_work.hpp"
#include "core/graph/value_work.hpp"
#include "support/concat.hpp"

using namespace cucore::capi;
namespace core = cucore::core;

namespace {

// The graphs of a new conditional node. Unless they are kept, the outputs are NULL again.
class NewBodies {
 public:
  NewBodies(cucore_graph** out, size_t count) noexcept : out_(out), count_(count) {
    for (size_t i = 0; i < count_; ++i) out_[i] = nullptr;
  }
  ~NewBodies() {
    while (made_ != 0) release(std::exchange(out_[--made_], nullptr));
  }
  NewBodies(const NewBodies&) = delete;
  NewBodies& operator=(const NewBodies&) = delete;

  void add(cucore_graph* graph) noexcept { out_[made_++] = graph; }
  void keep() noexcept { made_ = 0; }

 private:
  cucore_graph** const out_;
  const size_t count_;
  size_t made_ = 0;
};

// A new buffer with its handle, which ends unless it is kept: nothing can fail once the driver has
// added the node.
class NewBuffer {
 public:
  explicit NewBuffer(cucore::Ref<core::Buffer> object)
      : object_(std::move(object)), handle_(wrap(object_)) {}
  ~NewBuffer() { release(handle_); }
  NewBuffer(const NewBuffer&) = delete;
  NewBuffer& operator=(const NewBuffer&) = delete;

  const cucore::Ref<core::Buffer>& object() const { return object_; }
  cucore_buffer* keep() noexcept { return std::exchange(handle_, nullptr); }

 private:
  const cucore::Ref<core::Buffer> object_;
  cucore_buffer* handle_;
};

// The device itself may be among them.
std::vector<CUdevice> peers_of(const cucore_device* const* peers, size_t count,
                               const core::Device& device) {
  std::vector<CUdevice> others;
  for (const cucore_device* const handle : require_array(peers, count, "peers")) {
    const core::Device& peer = use(handle, "peers");
    const CUdevice other = peer.native();
    if (other == device.native() || std::ranges::find(others, other) != others.end()) continue;
    if (!peer.can_access_peer(device))
      throw cucore::Error(cucore::Status::INVALID_ARGUMENT,
                          cucore::concat("peers has ", peer.label(),
                                         ", which cannot access memory of ", device.label()));
    others.push_back(other);
  }
  return others;
}

// Its arguments are values, so that the usual case has them in no struct.
[[gnu::cold, gnu::noinline]] cucore_node add_kernel(core::Graph& graph,
                                                    std::span<const cucore_node> after,
                                                    const core::Kernel& kernel,
                                                    const cucore_launch_options* options,
                                                    const cucore_argument* arguments, size_t count,
                                                    const cucore_node* out) {
  const LaunchOptions how(options);
  const auto given = require_array(arguments, count, "arguments");
  require(out, "out");
  return graph.add_kernel(after, {kernel, how.get(), given}, LAUNCH_HANDLES);
}

}  // namespace

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
    const core::Kernel& of = use(kernel, "kernel");
    core::NodeNumber added = 0;
    if (LaunchOptions::are_current(options) && (arguments || count == 0) && out) [[likely]]
      added = self.try_add_next(before, of, *options, {arguments, count});
    if (added == 0) [[unlikely]]
      added = add_kernel(self, before, of, options, arguments, count, out);
    node.set(added);
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
    node.set(self.add(before, cucore::make<core::CopyWork>(core::CopyNode::NEW, std::move(to),
                                                           std::move(from), size)));
  });
}

CUCORE_API cucore_status cucore_graph_add_copy_box(cucore_graph* graph, const cucore_node* after,
                                                   size_t after_count,
                                                   const cucore_box* destination,
                                                   const cucore_box* source, size_t width,
                                                   size_t height, size_t depth, cucore_node* out,
                                                   cucore_error** error) {
  return guard(error, [&] {
    NewNode node(out);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    core::BoxCopy copy = box_copy(destination, source, {width, height, depth});
    node.require();
    node.set(self.add(before, cucore::make<core::BoxWork>(core::CopyNode::NEW, std::move(copy))));
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

CUCORE_API cucore_status cucore_graph_add_host_queued(cucore_graph* graph, const cucore_node* after,
                                                      size_t after_count, cucore_queue* queue,
                                                      uint64_t token, int32_t waits,
                                                      cucore_node* out, cucore_error** error) {
  return guard(error, [&] {
    NewNode node(out);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    auto to = share(queue, "queue");
    to->require_open();
    const bool is_awaited = require_flag(waits, "waits");
    node.require();
    node.set(self.add(before, core::host_work(cucore::make<core::QueuedHostCall>(
                                  std::move(to), token, is_awaited))));
  });
}

CUCORE_API cucore_status cucore_graph_add_value(cucore_graph* graph, const cucore_node* after,
                                                size_t after_count, cucore_buffer* buffer,
                                                size_t offset, uint64_t value, size_t size,
                                                int32_t comparison, cucore_node* out,
                                                cucore_error** error) {
  return guard(error, [&] {
    NewNode node(out);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    auto of = share(buffer, "buffer");
    node.require();
    node.set(self.add(
        before, cucore::make<core::ValueWork>(std::move(of), offset, value, size, comparison)));
  });
}

CUCORE_API cucore_status cucore_graph_add_semaphore(cucore_graph* graph, const cucore_node* after,
                                                    size_t after_count,
                                                    const cucore_external* semaphore,
                                                    uint64_t value, int32_t signal,
                                                    cucore_node* out, cucore_error** error) {
  return guard(error, [&] {
    NewNode node(out);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    auto of = share(semaphore, "semaphore");
    const auto kind = require_flag(signal, "signal") ? core::NodeKind::SEMAPHORE_SIGNAL
                                                     : core::NodeKind::SEMAPHORE_WAIT;
    node.require();
    node.set(self.add(before, cucore::make<core::SemaphoreWork>(kind, std::move(of), value)));
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

CUCORE_API cucore_status cucore_graph_add_buffer(cucore_graph* graph, const cucore_node* after,
                                                 size_t after_count, size_t size,
                                                 const cucore_device* const* peers,
                                                 size_t peer_count, cucore_buffer** buffer,
                                                 cucore_node* out, cucore_error** error) {
  return guard(error, [&] {
    clear(buffer);
    NewNode node(out);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    std::vector<CUdevice> others = peers_of(peers, peer_count, self.device());
    require(buffer, "buffer");
    node.require();
    self.require_usable();
    NewBuffer made(core::new_graph_buffer(self.context(), size));
    node.set(self.add_memory(before,
                             cucore::make<core::AllocationWork>(made.object(), std::move(others))));
    *buffer = made.keep();
  });
}

CUCORE_API cucore_status cucore_graph_add_free(cucore_graph* graph, const cucore_node* after,
                                               size_t after_count, cucore_buffer* buffer,
                                               cucore_node* out, cucore_error** error) {
  return guard(error, [&] {
    NewNode node(out);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    auto of = share(buffer, "buffer");
    node.require();
    node.set(self.add_memory(before, cucore::make<core::FreeWork>(std::move(of))));
  });
}

CUCORE_API cucore_status cucore_graph_add_condition(cucore_graph* graph, uint32_t value,
                                                    int32_t reset_at_launch, uint64_t* condition,
                                                    cucore_error** error) {
  return guard(error, [&] {
    clear(condition);
    core::Graph& self = use(graph, "graph");
    const bool is_reset = require_flag(reset_at_launch, "reset_at_launch");
    require(condition, "condition");
    *condition = self.add_condition(value, is_reset);
  });
}

CUCORE_API cucore_status cucore_graph_add_conditional(cucore_graph* graph, const cucore_node* after,
                                                      size_t after_count, uint64_t condition,
                                                      cucore_conditional kind, size_t body_count,
                                                      cucore_graph** bodies, cucore_node* out,
                                                      cucore_error** error) {
  return guard(error, [&] {
    NewNode node(out);
    if (kind < CUCORE_CONDITIONAL_IF || kind > CUCORE_CONDITIONAL_SWITCH)
      throw cucore::Error(cucore::Status::INVALID_ARGUMENT,
                          cucore::concat("kind is ", static_cast<int>(kind),
                                         "; expected a cucore_conditional, 0 to 2"));
    // A wrong count must not decide how much of `bodies` is written.
    core::require_body_count(static_cast<core::ConditionalKind>(kind), body_count);
    require(bodies, "bodies");
    NewBodies made(bodies, body_count);
    core::Graph& self = use(graph, "graph");
    const auto before = after_of(after, after_count);
    node.require();
    node.set(self.add_conditional(before, condition, static_cast<core::ConditionalKind>(kind),
                                  body_count,
                                  [&](const core::Graph& body) { made.add(wrap(body)); }));
    made.keep();
  });
}

CUCORE_API cucore_status cucore_graph_child(const cucore_graph* graph, cucore_node node,
                                            size_t index, cucore_graph** out,
                                            cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Graph& self = use(graph, "graph");
    require(out, "out");
    *out = wrap(self.child(node, index));
  });
}

}  // extern "C"
