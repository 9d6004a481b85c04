// SPDX-License-Identifier: Apache-2.0
// Nodes that allocate and free memory.
#pragma once

#include <vector>

#include "core/graph/node_work.hpp"
#include "core/objects/graph_memory.hpp"

namespace cucore::core {

// The driver sets, removes and copies no such node.
class MemoryWork : public NodeWork {
 public:
  CUresult set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                        const NodeWork* before) const override;
  CUresult set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                             CUgraphNode node) const override;
  NodeFacts facts() const override;

  const Ref<GraphMemory>& memory() const { return memory_; }

 protected:
  MemoryWork(NodeKind kind, Ref<GraphMemory> memory) : NodeWork(kind), memory_(std::move(memory)) {}

 private:
  const Ref<GraphMemory> memory_;
};

class AllocationWork final : public MemoryWork {
 public:
  // The peers may access the memory too. The buffer receives the address.
  AllocationWork(Ref<Buffer> buffer, std::vector<CUdevice> peers);
  // Of a node that a capture has added.
  explicit AllocationWork(Ref<GraphMemory> memory)
      : MemoryWork(NodeKind::ALLOCATION, std::move(memory)) {}
  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;

 private:
  mutable Ref<Buffer> buffer_;  // until it has its address
  const std::vector<CUdevice> peers_;
};

// Returns a buffer without an address for an AllocationWork. Throws INVALID_ARGUMENT for no bytes,
// and UNSUPPORTED if the device has no pools.
Ref<Buffer> new_graph_buffer(const Ref<Context>& context, size_t size);

class FreeWork final : public MemoryWork {
 public:
  // Throws INVALID_ARGUMENT unless a node of a graph allocates the memory of the buffer.
  explicit FreeWork(Ref<const Buffer> buffer);
  // Of a node that a capture has added.
  explicit FreeWork(Ref<GraphMemory> memory) : MemoryWork(NodeKind::FREE, std::move(memory)) {}
  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;
  void require_usable() const override;

 private:
  const Ref<const Buffer> buffer_;
};

// Returns the work of a node that a capture or other code has added, or null if the library does
// not have the memory.
Ref<const NodeWork> read_memory_work(const driver::CudaTable& cu, CUgraphNode node, NodeKind kind);

// Returns the memory that a node allocates or frees, or null.
const MemoryWork* memory_work_of(const NodeWork* work);

}  // namespace cucore::core
