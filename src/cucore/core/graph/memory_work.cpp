// SPDX-License-Identifier: Apache-2.0
#include "core/graph/memory_work.hpp"

#include <utility>

#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {

using driver::check;

CUresult MemoryWork::set_in_graph(const driver::CudaTable&, CUgraphNode, const NodeWork*) const {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult MemoryWork::set_in_executable(const driver::CudaTable&, CUgraphExec, CUgraphNode) const {
  return CUDA_ERROR_NOT_SUPPORTED;
}

NodeFacts MemoryWork::facts() const {
  NodeFacts facts;
  facts.destination = memory_->address();
  facts.size = memory_->size();
  return facts;
}

Ref<Buffer> new_graph_buffer(const Ref<Context>& context, size_t size) {
  require_pools(context->device());
  require_some(size, "allocates");
  return Buffer::from_graph(make<GraphMemory>(context, size));
}

AllocationWork::AllocationWork(Ref<Buffer> buffer, std::vector<CUdevice> peers)
    : MemoryWork(NodeKind::ALLOCATION, buffer->graph_memory()),
      buffer_(std::move(buffer)),
      peers_(std::move(peers)) {}

namespace {

CUmemLocation on_device(CUdevice device) {
  CUmemLocation location{};
  location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device;
  return location;
}

}  // namespace

CUgraphNode AllocationWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                                   std::span<const CUgraphNode> after) const {
  const Device& device = memory()->context()->device();
  std::vector<CUmemAccessDesc> access;
  access.reserve(peers_.size());
  for (const CUdevice peer : peers_)
    access.push_back({on_device(peer), CU_MEM_ACCESS_FLAGS_PROT_READWRITE});
  CUDA_MEM_ALLOC_NODE_PARAMS allocation{};
  allocation.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  allocation.poolProps.location = on_device(device.native());
  allocation.accessDescs = access.data();
  allocation.accessDescCount = access.size();
  allocation.bytesize = memory()->size();
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddMemAllocNode(&node, graph, after.data(), after.size(), &allocation), [&] {
    return concat("add a node that allocates ", counted(memory()->size(), "byte"), " on ",
                  device.label());
  });
  std::exchange(buffer_, nullptr)->set_graph_address(allocation.dptr);
  return node;
}

namespace {

Ref<GraphMemory> require_graph_memory(const Buffer& buffer) {
  if (Ref<GraphMemory> memory = buffer.graph_memory()) return memory;
  throw Error(
      Status::INVALID_ARGUMENT,
      "no node of a graph allocates the memory of the buffer; expected a buffer that a graph "
      "or a capture has created");
}

}  // namespace

FreeWork::FreeWork(Ref<const Buffer> buffer)
    : MemoryWork(NodeKind::FREE, require_graph_memory(*buffer)), buffer_(std::move(buffer)) {}

void FreeWork::require_usable() const {
  if (buffer_) buffer_->require_usable();
}

CUgraphNode FreeWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                             std::span<const CUgraphNode> after) const {
  CUgraphNode node = nullptr;
  const CUresult result =
      cu.cuGraphAddMemFreeNode(&node, graph, after.data(), after.size(), memory()->address());
  if (result == CUDA_ERROR_INVALID_VALUE)
    throw Error(Status::INVALID_ARGUMENT,
                "the driver accepts no node that frees the buffer: the graph that allocates it has "
                "one, or is gone, or the graph belongs to a node",
                {}, {"cuda", CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"});
  check(result, "add a node that frees memory");
  return node;
}

Ref<const NodeWork> read_memory_work(const driver::CudaTable& cu, CUgraphNode node, NodeKind kind) {
  CUdeviceptr address = 0;
  if (kind == NodeKind::FREE) {
    check(cu.cuGraphMemFreeNodeGetParams(node, &address), "query a node that frees memory");
  } else {
    CUDA_MEM_ALLOC_NODE_PARAMS allocation{};
    check(cu.cuGraphMemAllocNodeGetParams(node, &allocation), "query a node that allocates memory");
    address = allocation.dptr;
  }
  Ref<GraphMemory> memory = GraphMemory::find(address);
  if (!memory) return nullptr;
  if (kind == NodeKind::FREE) return make<FreeWork>(std::move(memory));
  return make<AllocationWork>(std::move(memory));
}

const MemoryWork* memory_work_of(const NodeWork* work) {
  return work && is_memory(work->kind()) ? static_cast<const MemoryWork*>(work) : nullptr;
}

}  // namespace cucore::core
