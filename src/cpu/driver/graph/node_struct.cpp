// SPDX-License-Identifier: Apache-2.0
// Converts CUgraphNodeParams; child and conditional nodes.
#include "cpu/driver/graph/node_struct.hpp"

#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/graph/graph_memory.hpp"

namespace cucore::cpu {
namespace {

CUDA_KERNEL_NODE_PARAMS_v2 kernel_of(const CUDA_KERNEL_NODE_PARAMS_v3& k) {
  return {k.func,      k.gridDimX,       k.gridDimY,     k.gridDimZ, k.blockDimX, k.blockDimY,
          k.blockDimZ, k.sharedMemBytes, k.kernelParams, k.extra,    k.kern,      k.ctx};
}

NodeParams copy_of(const CUDA_MEMCPY_NODE_PARAMS& c) {
  require(c.flags == 0 && c.reserved == 0);
  return make_copy(&c.copyParams, c.copyCtx);
}

NodeParams memop_of(const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2& m) {
  return make_memop(context_of_node(m.ctx), m.count, m.paramArray, m.flags);
}

bool contains(const Graph& whole, const Graph& part) {
  bool found = false;
  each_graph(whole, [&](const Graph& g) { found |= &g == &part; });
  return found;
}

// Memory of a moved graph belongs to its new root.
void move_memory(const Graph& child, const Graph& root) {
  each_graph(child, [&](const Graph& g) {
    for (const auto& [number, node] : g.nodes())
      if (auto* alloc = std::get_if<std::shared_ptr<const AllocParams>>(&node->params))
        (*alloc)->memory->owner = &root;
  });
}

}  // namespace

void check_reserved(const CUgraphNodeParams* given) {
  require(given != nullptr && given->reserved2 == 0);
  for (int word : given->reserved0) require(word == 0);
}

NodeParams make_child(const Graph& graph, CUgraph handle,
                      CUgraphChildGraphNodeOwnership ownership) {
  auto child = find_graph(handle);
  require(child->captures == 0);
  if (ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE) {
    require(!child->owner() && !contains(*child, graph));
    require(!child->has_conditions(), CUDA_ERROR_NOT_SUPPORTED);
  } else {
    require(ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE);
    child = child->clone();
  }
  return std::make_shared<const ChildParams>(ChildParams{std::move(child), ownership});
}

NodeParams make_conditional(Graph& graph, CUDA_CONDITIONAL_NODE_PARAMS& given) {
  auto& conditions = graph.conditions();
  auto found = conditions.find(given.handle);
  require(found != conditions.end() && found->second.node == nullptr);
  const unsigned most = given.type == CU_GRAPH_COND_TYPE_WHILE ? 1
                        : given.type == CU_GRAPH_COND_TYPE_IF  ? 2
                                                               : 1 << 16;
  require(given.type >= CU_GRAPH_COND_TYPE_IF && given.type <= CU_GRAPH_COND_TYPE_SWITCH);
  require(given.size >= 1 && given.size <= most);
  auto context = context_of_node(given.ctx);
  auto made = std::make_shared<ConditionalParams>();
  for (unsigned i = 0; i < given.size; ++i) {
    made->bodies.push_back(Graph::make());
    made->handles.push_back(handle_of<CUgraph>(*made->bodies.back()));
  }
  given.phGraph_out = made->handles.data();
  made->given = given;
  made->given.ctx = handle_of<CUcontext>(*context);
  return std::shared_ptr<const ConditionalParams>(std::move(made));
}

void adopt(Graph& graph, GraphNode& node) {
  const NodeParams& params = node.params;
  if (auto* conditional = std::get_if<std::shared_ptr<const ConditionalParams>>(&params))
    graph.conditions()[(*conditional)->given.handle].node = &node;
  if (auto* child = std::get_if<std::shared_ptr<const ChildParams>>(&params))
    move_memory(*(*child)->graph, graph.root());
  if (auto* free = std::get_if<std::shared_ptr<const FreeParams>>(&params)) {
    GraphMemory& memory = *(*free)->memory;
    (memory.owner == &graph.root() ? memory.freed_inside : memory.freed_outside) = true;
  }
}

NodeParams make_any(Graph& graph, CUgraphNodeParams& given) {
  check_reserved(&given);
  switch (given.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return make_kernel(kernel_of(given.kernel), {});
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return make_child(graph, given.graph.graph, given.graph.ownership);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return make_empty();
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
      CUDA_MEM_ALLOC_NODE_PARAMS alloc{given.alloc.poolProps, given.alloc.accessDescs,
                                       given.alloc.accessDescCount, given.alloc.bytesize, 0};
      NodeParams made = make_alloc(graph, *current_context(), alloc);
      given.alloc.dptr = alloc.dptr;
      return made;
    }
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return make_free(graph, given.free.dptr);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return make_conditional(graph, given.conditional);
    default:
      return make_replacement(make_empty(), given);
  }
}

NodeParams make_replacement(const NodeParams& now, const CUgraphNodeParams& given) {
  check_reserved(&given);
  switch (given.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return make_kernel(kernel_of(given.kernel), params_as<KernelParams>(now).attributes);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return copy_of(given.memcpy);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return make_fill(given.memset);
    case CU_GRAPH_NODE_TYPE_HOST:
      return make_host(given.host.fn, given.host.userData);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return make_wait(given.eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return make_record(given.eventRecord.event);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return memop_of(given.memOp);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL: {
      const auto& s = given.extSemSignal;
      return make_signals(semaphore_list(s.extSemArray, s.paramsArray, s.numExtSems));
    }
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT: {
      const auto& w = given.extSemWait;
      return make_waits(semaphore_list(w.extSemArray, w.paramsArray, w.numExtSems));
    }
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
}

}  // namespace cucore::cpu
