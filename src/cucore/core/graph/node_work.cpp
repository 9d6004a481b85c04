// SPDX-License-Identifier: Apache-2.0
#include "core/graph/node_work.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/graph/temporary_graph.hpp"
#include "core/objects/context_scope.hpp"
#include "driver/graph_edges.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {

using driver::check;

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
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return NodeKind::CONDITIONAL;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return NodeKind::ALLOCATION;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return NodeKind::FREE;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return NodeKind::VALUE;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
      return NodeKind::SEMAPHORE_SIGNAL;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
      return NodeKind::SEMAPHORE_WAIT;
    default:
      return NodeKind::UNKNOWN;
  }
}

std::string NodeWork::obstacle(const NodeWork&) const { return {}; }

CUgraphNode EmptyWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                              std::span<const CUgraphNode> after) const {
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddEmptyNode(&node, graph, after.data(), after.size()), "add an empty node");
  return node;
}

void require_some(size_t size, const char* verb) {
  if (size == 0)
    throw Error(Status::INVALID_ARGUMENT, concat("size is 0; expected at least 1 byte for a node "
                                                 "that ",
                                                 verb, "; leave the node out"));
}

namespace {

std::string check_and_open(CopyNode node, const CopyPart& to, const CopyPart& from, size_t size) {
  to.buffer->check_copy(to.offset, *from.buffer, from.offset, size);
  require_some(size, "copies");
  return open_pools(node, *to.buffer, *from.buffer);
}

}  // namespace

CopyWork::CopyWork(CopyNode node, CopyPart destination, CopyPart source, size_t size)
    : NodeWork(NodeKind::COPY),
      destination_(std::move(destination)),
      source_(std::move(source)),
      size_(size),
      refusal_(check_and_open(node, destination_, source_, size)) {}

void CopyWork::require_usable() const {
  destination_.buffer->require_usable();
  source_.buffer->require_usable();
}

// The driver finds the kinds of memory and the devices by the addresses, which are unified.
CUDA_MEMCPY3D CopyWork::native() const {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = source_.buffer->address() + source_.offset;
  copy.dstDevice = destination_.buffer->address() + destination_.offset;
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = size_;
  copy.srcHeight = copy.dstHeight = copy.Height = copy.Depth = 1;
  return copy;
}

CUgraphNode CopyWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                             std::span<const CUgraphNode> after) const {
  const CUDA_MEMCPY3D copy = native();
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddMemcpyNode(&node, graph, after.data(), after.size(), &copy, context()), [&] {
    return concat("add a node that copies ", counted(size_, "byte"), " from ",
                  source_.buffer->device().label(), " to ", destination_.buffer->device().label());
  });
  return node;
}

// An address of device memory is the same under both kinds.
CUresult keep_memory_types(const driver::CudaTable& cu, CUgraphNode node, CUDA_MEMCPY3D& copy) {
  CUDA_MEMCPY3D now{};
  const CUresult result = cu.cuGraphMemcpyNodeGetParams(node, &now);
  if (result != CUDA_SUCCESS) return result;
  const auto keep = [](CUmemorytype had, CUmemorytype& type) {
    if (had == CU_MEMORYTYPE_DEVICE && type == CU_MEMORYTYPE_UNIFIED) type = had;
  };
  keep(now.srcMemoryType, copy.srcMemoryType);
  keep(now.dstMemoryType, copy.dstMemoryType);
  return CUDA_SUCCESS;
}

CUresult set_copy_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                                CUgraphNode node, const CUDA_MEMCPY3D& copy, CUcontext destination,
                                CUcontext source) {
  const CUresult result = cu.cuGraphExecMemcpyNodeSetParams(executable, node, &copy, destination);
  if (result != CUDA_ERROR_INVALID_VALUE || source == destination) return result;
  return cu.cuGraphExecMemcpyNodeSetParams(executable, node, &copy, source);
}

CUresult CopyWork::set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                                const NodeWork*) const {
  CUDA_MEMCPY3D copy = native();
  const CUresult result = keep_memory_types(cu, node, copy);
  return result == CUDA_SUCCESS ? cu.cuGraphMemcpyNodeSetParams(node, &copy) : result;
}

CUresult CopyWork::set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                                     CUgraphNode node) const {
  CUDA_MEMCPY3D copy = native();
  const CUresult result = keep_memory_types(cu, node, copy);
  if (result != CUDA_SUCCESS) return result;
  return set_copy_in_executable(cu, executable, node, copy, context(),
                                source_.buffer->context()->native());
}

NodeFacts CopyWork::facts() const {
  NodeFacts facts;
  facts.destination = destination_.buffer->address() + destination_.offset;
  facts.source = source_.buffer->address() + source_.offset;
  facts.size = size_;
  facts.box.extent = {size_, 1, 1};
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

}  // namespace

// The driver repeats at most 4 bytes. The halves of 8 bytes are the two columns of a child graph.
bool FillWork::is_wide() const {
  return pattern_size_ == sizeof pattern_ &&
         static_cast<uint32_t>(pattern_) != static_cast<uint32_t>(pattern_ >> 32);
}

CUDA_MEMSET_NODE_PARAMS FillWork::narrow() const {
  const size_t element = std::min(pattern_size_, sizeof(uint32_t));
  return {address(),       0, static_cast<uint32_t>(pattern_), static_cast<unsigned>(element),
          size_ / element, 1};
}

CUDA_MEMSET_NODE_PARAMS FillWork::column(unsigned index) const {
  constexpr size_t PITCH = sizeof pattern_, HALF = PITCH / 2;
  const auto value = static_cast<uint32_t>(pattern_ >> (32 * index));
  return {address() + index * HALF, PITCH, value, HALF, 1, size_ / PITCH};
}

void FillWork::add_columns(const driver::CudaTable& cu, CUgraph graph) const {
  for (unsigned index = 0; index < 2; ++index) {
    CUgraphNode node = nullptr;
    check(add_fill(cu, graph, {}, column(index), *buffer_->context(), &node),
          "add a node that fills");
  }
}

CUgraphNode FillWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                             std::span<const CUgraphNode> after) const {
  const auto describe = [&] {
    return concat("add a node that fills ", counted(size_, "byte"), " of a buffer on ",
                  buffer_->device().label());
  };
  CUgraphNode node = nullptr;
  if (!is_wide()) {
    check(add_fill(cu, graph, after, narrow(), *buffer_->context(), &node), describe);
    return node;
  }
  const TemporaryGraph columns(cu);
  add_columns(cu, columns.native());
  check(cu.cuGraphAddChildGraphNode(&node, graph, after.data(), after.size(), columns.native()),
        describe);
  return node;
}

CUresult FillWork::set_columns(const driver::CudaTable& cu, CUgraphNode node) const {
  CUgraph columns = nullptr;
  CUresult result = cu.cuGraphChildGraphNodeGetGraph(node, &columns);
  if (result != CUDA_SUCCESS) return result;
  unsigned index = 0;
  for (const CUgraphNode native : driver::nodes_of(cu, columns)) {
    const CUDA_MEMSET_NODE_PARAMS fill = column(index++);
    result = cu.cuGraphMemsetNodeSetParams(native, &fill);
    if (result != CUDA_SUCCESS) break;
  }
  return result;
}

CUresult FillWork::set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                                const NodeWork*) const {
  if (is_wide()) return set_columns(cu, node);
  const CUDA_MEMSET_NODE_PARAMS fill = narrow();
  return cu.cuGraphMemsetNodeSetParams(node, &fill);
}

CUresult FillWork::set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                                     CUgraphNode node) const {
  if (is_wide()) {
    const TemporaryGraph columns(cu);
    add_columns(cu, columns.native());
    return cu.cuGraphExecChildGraphNodeSetParams(executable, node, columns.native());
  }
  const CUDA_MEMSET_NODE_PARAMS fill = narrow();
  return cu.cuGraphExecMemsetNodeSetParams(executable, node, &fill, buffer_->context()->native());
}

std::string FillWork::obstacle(const NodeWork& before) const {
  if (is_wide() == static_cast<const FillWork&>(before).is_wide()) return {};
  return "patterns of 8 bytes whose halves differ need another node than other patterns";
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

CUresult HostWork::set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                                const NodeWork*) const {
  const CUDA_HOST_NODE_PARAMS host{function_, data_.data()};
  return cu.cuGraphHostNodeSetParams(node, &host);
}

CUresult HostWork::set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                                     CUgraphNode node) const {
  const CUDA_HOST_NODE_PARAMS host{function_, data_.data()};
  return cu.cuGraphExecHostNodeSetParams(executable, node, &host);
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

CUresult EventWork::set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                                 const NodeWork*) const {
  return kind() == NodeKind::RECORD ? cu.cuGraphEventRecordNodeSetEvent(node, event_->native())
                                    : cu.cuGraphEventWaitNodeSetEvent(node, event_->native());
}

CUresult EventWork::set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                                      CUgraphNode node) const {
  const CUevent event = event_->native();
  return kind() == NodeKind::RECORD ? cu.cuGraphExecEventRecordNodeSetEvent(executable, node, event)
                                    : cu.cuGraphExecEventWaitNodeSetEvent(executable, node, event);
}

NodeFacts EventWork::facts() const {
  NodeFacts facts;
  facts.event = event_.get();
  return facts;
}

// No function sets an empty node.
CUresult EmptyWork::set_in_graph(const driver::CudaTable&, CUgraphNode, const NodeWork*) const {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult EmptyWork::set_in_executable(const driver::CudaTable&, CUgraphExec, CUgraphNode) const {
  return CUDA_ERROR_NOT_SUPPORTED;
}
}  // namespace cucore::core
