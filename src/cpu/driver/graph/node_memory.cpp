// SPDX-License-Identifier: Apache-2.0
// Allocation and free nodes. Children and bodies get none, because their launches have no place for
// what they would leave allocated.
#include "cpu/driver/allocations.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/graph/graph_memory.hpp"
#include "cpu/driver/process.hpp"

namespace cucore::cpu {
namespace {

bool frees(const Graph& graph, const GraphMemory& memory) {
  bool found = false;
  each_graph(graph, [&](const Graph& g) {
    for (const auto& [number, node] : g.nodes())
      if (auto* free = std::get_if<std::shared_ptr<const FreeParams>>(&node->params))
        found |= (*free)->memory.get() == &memory;
  });
  return found;
}

}  // namespace

NodeParams make_alloc(Graph& graph, const Context& context, CUDA_MEM_ALLOC_NODE_PARAMS& given) {
  given.dptr = 0;
  const CUmemPoolProps& pool = given.poolProps;
  require(pool.allocType == CU_MEM_ALLOCATION_TYPE_PINNED && given.bytesize > 0);
  require(pool.location.type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_NOT_SUPPORTED);
  require(pool.handleTypes == CU_MEM_HANDLE_TYPE_NONE && graph.owner() == nullptr);
  const auto devices = Process::get().devices().size();
  require(given.accessDescCount <= devices && (given.accessDescs || given.accessDescCount == 0));
  Device& device = find_device(pool.location.id);
  auto made = std::make_shared<AllocParams>();
  made->access.assign(given.accessDescs, given.accessDescs + given.accessDescCount);
  for (const CUmemAccessDesc& access : made->access) {
    require(access.location.type == CU_MEM_LOCATION_TYPE_DEVICE);
    require(access.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    find_device(access.location.id).add_pool_peer(device.ordinal());
  }
  made->memory = GraphMemory::make(context, device, given.bytesize);
  made->memory->owner = &graph.root();
  given.dptr = made->memory->address();
  made->given = given;
  made->given.accessDescs = made->access.data();
  return std::shared_ptr<const AllocParams>(std::move(made));
}

NodeParams make_free(Graph& graph, uint64_t address) {
  auto memory = graph_memory_of(Allocations::instance().find_start(address));
  require(memory != nullptr && graph.owner() == nullptr);
  const bool inside = memory->owner == &graph.root();
  require(!memory->freed_inside && !(inside && memory->freed_outside));
  require(!frees(graph.root(), *memory));
  return std::make_shared<const FreeParams>(FreeParams{std::move(memory)});
}

}  // namespace cucore::cpu
