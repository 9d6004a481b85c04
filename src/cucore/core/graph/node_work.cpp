// SPDX-License-Identifier: Apache-2.0
#include "core/graph/node_work.hpp"

#include <cstring>
#include <utility>

#include "core/objects/context_scope.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {

using driver::check;

const char* name_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::KERNEL:
      return "kernel";
    case NodeKind::COPY:
      return "copy";
    case NodeKind::FILL:
      return "fill";
    case NodeKind::HOST:
      return "host function";
    case NodeKind::RECORD:
      return "record of an event";
    case NodeKind::WAIT:
      return "wait for an event";
    case NodeKind::EMPTY:
      return "empty";
    case NodeKind::CHILD:
      return "child graph";
    case NodeKind::UNKNOWN:
      break;
  }
  return "of another kind";
}

NodeKind kind_of(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return NodeKind::KERNEL;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return NodeKind::COPY;
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return NodeKind::FILL;
    case CU_GRAPH_NODE_TYPE_HOST:
      return NodeKind::HOST;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return NodeKind::CHILD;
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return NodeKind::EMPTY;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return NodeKind::WAIT;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return NodeKind::RECORD;
    default:
      return NodeKind::UNKNOWN;
  }
}

CUgraphNode EmptyWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                              std::span<const CUgraphNode> after) const {
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddEmptyNode(&node, graph, after.data(), after.size()), "add an empty node");
  return node;
}

namespace {

void require_some(size_t size, const char* verb) {
  if (size == 0)
    throw Error(Status::INVALID_ARGUMENT, concat("size is 0; expected at least 1 byte for a node "
                                                 "that ",
                                                 verb, "; leave the node out"));
}

}  // namespace

CopyWork::CopyWork(CopyPart destination, CopyPart source, size_t size)
    : NodeWork(NodeKind::COPY),
      destination_(std::move(destination)),
      source_(std::move(source)),
      size_(size) {
  destination_.buffer->check_copy(destination_.offset, *source_.buffer, source_.offset, size);
  require_some(size, "copies");
}

void CopyWork::require_usable() const {
  destination_.buffer->require_usable();
  source_.buffer->require_usable();
}

// The driver finds the kinds of memory and the devices by the addresses, which are unified.
CUgraphNode CopyWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                             std::span<const CUgraphNode> after) const {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = source_.buffer->address() + source_.offset;
  copy.dstDevice = destination_.buffer->address() + destination_.offset;
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = size_;
  copy.srcHeight = copy.dstHeight = copy.Height = copy.Depth = 1;
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddMemcpyNode(&node, graph, after.data(), after.size(), &copy,
                                destination_.buffer->context()->native()),
        [&] {
          return concat("add a node that copies ", counted(size_, "byte"), " from ",
                        source_.buffer->device().label(), " to ",
                        destination_.buffer->device().label());
        });
  return node;
}

NodeFacts CopyWork::facts() const {
  NodeFacts facts;
  facts.destination = destination_.buffer->address() + destination_.offset;
  facts.source = source_.buffer->address() + source_.offset;
  facts.size = size_;
  return facts;
}

FillWork::FillWork(Ref<const Buffer> buffer, size_t offset, size_t size, const void* pattern,
                   size_t pattern_size)
    : NodeWork(NodeKind::FILL),
      buffer_(std::move(buffer)),
      offset_(offset),
      size_(size),
      pattern_size_(pattern_size) {
  buffer_->check_fill(offset, size, pattern_size);
  require_some(size, "fills");
  std::memcpy(&pattern_, pattern, pattern_size);  // little endian, as all hosts of CUDA are
}

namespace {

CUresult add_fill(const driver::CudaTable& cu, CUgraph graph, std::span<const CUgraphNode> after,
                  const CUDA_MEMSET_NODE_PARAMS& fill, const Context& context, CUgraphNode* node) {
  return cu.cuGraphAddMemsetNode(node, graph, after.data(), after.size(), &fill, context.native());
}

// A graph that only this thread has.
class TemporaryGraph {
 public:
  explicit TemporaryGraph(const driver::CudaTable& cu) : cu_(cu) {
    check(cu.cuGraphCreate(&native_, 0), "create a graph");
  }
  ~TemporaryGraph() { driver::check_release(cu_.cuGraphDestroy(native_), "destroy a graph"); }
  TemporaryGraph(const TemporaryGraph&) = delete;
  TemporaryGraph& operator=(const TemporaryGraph&) = delete;

  CUgraph native() const { return native_; }

 private:
  const driver::CudaTable& cu_;
  CUgraph native_ = nullptr;
};

}  // namespace

// The driver repeats at most 4 bytes. The halves of 8 bytes are the two columns of a child graph.
CUgraphNode FillWork::add_wide(const driver::CudaTable& cu, CUgraph graph,
                               std::span<const CUgraphNode> after) const {
  constexpr size_t PITCH = sizeof pattern_, HALF = PITCH / 2;
  const TemporaryGraph columns(cu);
  for (size_t column = 0; column < 2; ++column) {
    const auto value = static_cast<uint32_t>(pattern_ >> (32 * column));
    const CUDA_MEMSET_NODE_PARAMS fill{
        address() + column * HALF, PITCH, value, HALF, 1, size_ / PITCH};
    CUgraphNode node = nullptr;
    check(add_fill(cu, columns.native(), {}, fill, *buffer_->context(), &node),
          "add a node that fills");
  }
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddChildGraphNode(&node, graph, after.data(), after.size(), columns.native()),
        "add a node that fills");
  return node;
}

CUgraphNode FillWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                             std::span<const CUgraphNode> after) const {
  const bool is_wide = pattern_size_ == sizeof pattern_;
  const auto low = static_cast<uint32_t>(pattern_), high = static_cast<uint32_t>(pattern_ >> 32);
  if (is_wide && low != high) return add_wide(cu, graph, after);
  const auto element = static_cast<uint32_t>(is_wide ? sizeof low : pattern_size_);
  const CUDA_MEMSET_NODE_PARAMS fill{address(), 0, low, element, size_ / element, 1};
  CUgraphNode node = nullptr;
  check(add_fill(cu, graph, after, fill, *buffer_->context(), &node), [&] {
    return concat("add a node that fills ", counted(size_, "byte"), " of a buffer on ",
                  buffer_->device().label());
  });
  return node;
}

NodeFacts FillWork::facts() const {
  NodeFacts facts;
  facts.destination = address();
  facts.size = size_;
  facts.pattern = pattern_;
  facts.pattern_size = pattern_size_;
  return facts;
}

CUgraphNode HostWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                             std::span<const CUgraphNode> after) const {
  const CUDA_HOST_NODE_PARAMS host{function_, data_.data()};
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddHostNode(&node, graph, after.data(), after.size(), &host),
        "add a node that calls a host function");
  return node;
}

EventWork::EventWork(NodeKind kind, Ref<const Event> event)
    : NodeWork(kind), event_(std::move(event)) {
  event_->require_usable();
  event_->note_in_graph();
}

CUgraphNode EventWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                              std::span<const CUgraphNode> after) const {
  CUgraphNode node = nullptr;
  if (kind() == NodeKind::RECORD)
    check(cu.cuGraphAddEventRecordNode(&node, graph, after.data(), after.size(), event_->native()),
          "add a node that records an event");
  else
    check(cu.cuGraphAddEventWaitNode(&node, graph, after.data(), after.size(), event_->native()),
          "add a node that waits for an event");
  return node;
}

NodeFacts EventWork::facts() const {
  NodeFacts facts;
  facts.event = event_.get();
  return facts;
}

CUgraphNode ChildWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                              std::span<const CUgraphNode> after) const {
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddChildGraphNode(&node, graph, after.data(), after.size(), child_),
        "add a child graph");
  return node;
}

}  // namespace cucore::core
