// SPDX-License-Identifier: Apache-2.0
// The parameters of nodes of graphs: one type per kind of node. Values are immutable and shared, so
// that clones and executables copy a pointer.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "cpu/driver/context.hpp"
#include "cpu/driver/copy.hpp"
#include "cpu/driver/cuda_api.hpp"
#include "cpu/driver/event.hpp"
#include "cpu/driver/external_semaphore.hpp"
#include "cpu/driver/library.hpp"

namespace cucore::cpu {

class Graph;
class GraphMemory;

using NodeAttributes = std::map<CUlaunchAttributeID, CUlaunchAttributeValue>;

struct KernelParams {
  std::shared_ptr<Function> function;
  // As the caller gave them, with the arrays that this object owns.
  CUDA_KERNEL_NODE_PARAMS_v2 given{};
  std::vector<std::byte> packed;
  std::vector<void*> pointers;  // into `packed`, one per parameter
  size_t packed_size = 0;
  void* extra[5] = {};
  NodeAttributes attributes;
};

struct CopyParams {
  CUDA_MEMCPY3D given{};
  std::shared_ptr<Context> context;
};

struct FillParams {
  CUDA_MEMSET_NODE_PARAMS_v2 given{};
  std::shared_ptr<Context> context;
};

struct HostParams {
  CUhostFn function = nullptr;
  void* data = nullptr;
};

struct ChildParams {
  std::shared_ptr<Graph> graph;
  CUgraphChildGraphNodeOwnership ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE;
};

struct EmptyParams {};

struct WaitParams {
  std::shared_ptr<Event> event;
};

struct RecordParams {
  std::shared_ptr<Event> event;
};

struct SignalParams {
  SemaphoreSignals list;
};

struct SemaphoreWaitParams {
  SemaphoreWaits list;
};

struct AllocParams {
  std::shared_ptr<GraphMemory> memory;
  CUDA_MEM_ALLOC_NODE_PARAMS given{};
  std::vector<CUmemAccessDesc> access;
};

struct FreeParams {
  std::shared_ptr<GraphMemory> memory;
};

struct MemOpParams {
  std::shared_ptr<Context> context;
  std::vector<CUstreamBatchMemOpParams> operations;
  unsigned flags = 0;
};

struct ConditionalParams {
  CUDA_CONDITIONAL_NODE_PARAMS given{};  // phGraph_out points to `handles`
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<CUgraph> handles;
};

// In the order of CUgraphNodeType.
using NodeParams =
    std::variant<std::shared_ptr<const KernelParams>, std::shared_ptr<const CopyParams>,
                 std::shared_ptr<const FillParams>, std::shared_ptr<const HostParams>,
                 std::shared_ptr<const ChildParams>, std::shared_ptr<const EmptyParams>,
                 std::shared_ptr<const WaitParams>, std::shared_ptr<const RecordParams>,
                 std::shared_ptr<const SignalParams>, std::shared_ptr<const SemaphoreWaitParams>,
                 std::shared_ptr<const AllocParams>, std::shared_ptr<const FreeParams>,
                 std::shared_ptr<const MemOpParams>, std::shared_ptr<const ConditionalParams>>;

inline CUgraphNodeType type_of(const NodeParams& params) {
  return static_cast<CUgraphNodeType>(params.index());
}

// Returns the parameters of one kind; throws INVALID_VALUE if the node has another kind.
template <class T>
const T& params_as(const NodeParams& params) {
  auto* found = std::get_if<std::shared_ptr<const T>>(&params);
  require(found != nullptr);
  return **found;
}

// The structures of cuda.h are checked here, so that a launch cannot fail for them.
NodeParams make_kernel(const CUDA_KERNEL_NODE_PARAMS_v2& given, NodeAttributes attributes);
NodeParams make_kernel(const CUDA_KERNEL_NODE_PARAMS_v1& given, NodeAttributes attributes);
NodeParams make_copy(const CUDA_MEMCPY3D* given, CUcontext context);
NodeParams make_copy(const DescribedCopy& copy, const std::shared_ptr<Context>& context);
NodeParams make_fill(const CUDA_MEMSET_NODE_PARAMS_v2& given);
NodeParams make_fill(const CUDA_MEMSET_NODE_PARAMS* given, CUcontext context);
NodeParams make_host(CUhostFn function, void* data);
NodeParams make_wait(CUevent event);
NodeParams make_record(CUevent event);
NodeParams make_memop(const std::shared_ptr<Context>& context, unsigned count,
                      const CUstreamBatchMemOpParams* operations, unsigned flags);
inline NodeParams make_signals(SemaphoreSignals list) {
  return std::make_shared<const SignalParams>(SignalParams{std::move(list)});
}
inline NodeParams make_waits(SemaphoreWaits list) {
  return std::make_shared<const SemaphoreWaitParams>(SemaphoreWaitParams{std::move(list)});
}
inline NodeParams make_empty() { return std::make_shared<const EmptyParams>(); }

// Returns the kernel with other attributes; checks them.
NodeParams with_attributes(const KernelParams& kernel, NodeAttributes attributes);
void check_node_attribute(CUlaunchAttributeID id, const CUlaunchAttributeValue& value);

// The context of a node that was given as a handle: the current one for a null handle.
std::shared_ptr<Context> context_of_node(CUcontext handle);

}  // namespace cucore::cpu
