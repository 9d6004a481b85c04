// SPDX-License-Identifier: Apache-2.0
// Adding nodes, and reading and replacing what they do.
#include "cpu/driver/api.hpp"
#include "cpu/driver/graph/graph_memory.hpp"
#include "cpu/driver/graph/node_edit.hpp"

namespace cucore::cpu::api {
namespace {

using node_edit::add;
using node_edit::get;
using node_edit::set;

}  // namespace

CUresult cuGraphAddNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph,
                           const CUgraphNode* dependencies, const CUgraphEdgeData* dependencyData,
                           size_t numDependencies, CUgraphNodeParams* nodeParams) {
  require(nodeParams != nullptr);
  return add(phGraphNode, hGraph, dependencies, dependencyData, numDependencies,
             [&](Graph& graph) { return make_any(graph, *nodeParams); });
}
CUresult cuGraphAddNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                        size_t numDependencies, CUgraphNodeParams* nodeParams) {
  return api::cuGraphAddNode_v2(phGraphNode, hGraph, dependencies, nullptr, numDependencies,
                                nodeParams);
}

CUresult cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams* nodeParams) {
  check_reserved(nodeParams);
  GraphLock lock;
  auto node = find_node(hNode);
  require(nodeParams->type == node->type());
  const bool child = node->type() == CU_GRAPH_NODE_TYPE_GRAPH;
  node->graph().set(
      *node, child ? make_child(node->graph(), nodeParams->graph.graph, nodeParams->graph.ownership)
                   : make_replacement(node->params, *nodeParams));
  adopt(node->graph(), *node);
  return CUDA_SUCCESS;
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph,
                                 const CUgraphNode* dependencies, size_t numDependencies,
                                 const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  require(nodeParams != nullptr);
  return add(phGraphNode, hGraph, dependencies, numDependencies,
             [&](Graph&) { return make_kernel(*nodeParams, {}); });
}
CUresult cuGraphAddKernelNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  require(nodeParams != nullptr);
  return add(phGraphNode, hGraph, dependencies, numDependencies,
             [&](Graph&) { return make_kernel(*nodeParams, {}); });
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return get<KernelParams>(hNode, nodeParams, [&](auto& kernel) { *nodeParams = kernel.given; });
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return get<KernelParams>(hNode, nodeParams, [&](const KernelParams& kernel) {
    const auto& g = kernel.given;
    *nodeParams = {g.func,      g.gridDimX,  g.gridDimY,       g.gridDimZ,     g.blockDimX,
                   g.blockDimY, g.blockDimZ, g.sharedMemBytes, g.kernelParams, g.extra};
  });
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode,
                                       const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  require(nodeParams != nullptr);
  return set<KernelParams>(
      hNode, [&](const auto& now) { return make_kernel(*nodeParams, now.attributes); });
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode,
                                    const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  require(nodeParams != nullptr);
  return set<KernelParams>(
      hNode, [&](const auto& now) { return make_kernel(*nodeParams, now.attributes); });
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                       CUkernelNodeAttrValue* value_out) {
  return get<KernelParams>(hNode, value_out, [&](const KernelParams& kernel) {
    check_node_attribute(attr, {});
    auto found = kernel.attributes.find(attr);
    *value_out = found == kernel.attributes.end() ? CUlaunchAttributeValue{} : found->second;
  });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                       const CUkernelNodeAttrValue* value) {
  require(value != nullptr);
  check_node_attribute(attr, *value);
  return set<KernelParams>(hNode, [&](const KernelParams& now) {
    NodeAttributes attributes = now.attributes;
    attributes[attr] = *value;
    return with_attributes(now, std::move(attributes));
  });
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
  GraphLock lock;
  auto to = find_node(dst), from = find_node(src);
  const auto& source = params_as<KernelParams>(from->params);
  const auto& target = params_as<KernelParams>(to->params);
  require(&source.function->module().context() == &target.function->module().context());
  to->graph().set(*to, with_attributes(target, source.attributes));
  return CUDA_SUCCESS;
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_MEMCPY3D* copyParams, CUcontext ctx) {
  return add(phGraphNode, hGraph, dependencies, numDependencies,
             [&](Graph&) { return make_copy(copyParams, ctx); });
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D* nodeParams) {
  return get<CopyParams>(hNode, nodeParams, [&](auto& copy) { *nodeParams = copy.given; });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D* nodeParams) {
  return set<CopyParams>(hNode, [&](const CopyParams& now) {
    return make_copy(nodeParams, handle_of<CUcontext>(*now.context));
  });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx) {
  return add(phGraphNode, hGraph, dependencies, numDependencies,
             [&](Graph&) { return make_fill(memsetParams, ctx); });
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return get<FillParams>(hNode, nodeParams, [&](const FillParams& fill) {
    const auto& g = fill.given;
    *nodeParams = {g.dst, g.pitch, g.value, g.elementSize, g.width, g.height};
  });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return set<FillParams>(
      hNode, [&](const FillParams& now) { return make_fill(nodeParams, now.given.ctx); });
}

CUresult cuGraphAddHostNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                            const CUgraphNode* dependencies, size_t numDependencies,
                            const CUDA_HOST_NODE_PARAMS* nodeParams) {
  require(nodeParams != nullptr);
  return add(phGraphNode, hGraph, dependencies, numDependencies,
             [&](Graph&) { return make_host(nodeParams->fn, nodeParams->userData); });
}
CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS* nodeParams) {
  return get<HostParams>(hNode, nodeParams, [&](auto& host) {
    *nodeParams = {host.function, host.data};
  });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS* nodeParams) {
  require(nodeParams != nullptr);
  return set<HostParams>(hNode,
                         [&](auto&) { return make_host(nodeParams->fn, nodeParams->userData); });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                  const CUgraphNode* dependencies, size_t numDependencies,
                                  CUgraph childGraph) {
  return add(phGraphNode, hGraph, dependencies, numDependencies, [&](Graph& graph) {
    return make_child(graph, childGraph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE);
  });
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph* phGraph) {
  return get<ChildParams>(hNode, phGraph,
                          [&](auto& child) { *phGraph = handle_of<CUgraph>(*child.graph); });
}

CUresult cuGraphAddEmptyNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                             const CUgraphNode* dependencies, size_t numDependencies) {
  return add(phGraphNode, hGraph, dependencies, numDependencies,
             [](Graph&) { return make_empty(); });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                   const CUgraphNode* dependencies, size_t numDependencies,
                                   CUevent event) {
  return add(phGraphNode, hGraph, dependencies, numDependencies,
             [&](Graph&) { return make_record(event); });
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return get<RecordParams>(hNode, event_out,
                           [&](auto& record) { *event_out = handle_of<CUevent>(*record.event); });
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return set<RecordParams>(hNode, [&](auto&) { return make_record(event); });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                 const CUgraphNode* dependencies, size_t numDependencies,
                                 CUevent event) {
  return add(phGraphNode, hGraph, dependencies, numDependencies,
             [&](Graph&) { return make_wait(event); });
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return get<WaitParams>(hNode, event_out,
                         [&](auto& wait) { *event_out = handle_of<CUevent>(*wait.event); });
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return set<WaitParams>(hNode, [&](auto&) { return make_wait(event); });
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                const CUgraphNode* dependencies, size_t numDependencies,
                                CUDA_MEM_ALLOC_NODE_PARAMS* nodeParams) {
  require(nodeParams != nullptr);
  return add(phGraphNode, hGraph, dependencies, numDependencies,
             [&](Graph& graph) { return make_alloc(graph, *current_context(), *nodeParams); });
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS* params_out) {
  return get<AllocParams>(hNode, params_out, [&](auto& alloc) { *params_out = alloc.given; });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                               const CUgraphNode* dependencies, size_t numDependencies,
                               CUdeviceptr dptr) {
  return add(phGraphNode, hGraph, dependencies, numDependencies,
             [&](Graph& graph) { return make_free(graph, dptr); });
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr* dptr_out) {
  return get<FreeParams>(hNode, dptr_out, [&](auto& f) { *dptr_out = f.memory->address(); });
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                  const CUgraphNode* dependencies, size_t numDependencies,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  require(nodeParams != nullptr);
  return add(phGraphNode, hGraph, dependencies, numDependencies, [&](Graph&) {
    return make_memop(context_of_node(nodeParams->ctx), nodeParams->count, nodeParams->paramArray,
                      nodeParams->flags);
  });
}
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode,
                                        CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams_out) {
  return get<MemOpParams>(hNode, nodeParams_out, [&](const MemOpParams& m) {
    *nodeParams_out = {handle_of<CUcontext>(*m.context), static_cast<unsigned>(m.operations.size()),
                       const_cast<CUstreamBatchMemOpParams*>(m.operations.data()), m.flags};
  });
}
CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode,
                                        const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  require(nodeParams != nullptr);
  return set<MemOpParams>(hNode, [&](auto&) {
    return make_memop(context_of_node(nodeParams->ctx), nodeParams->count, nodeParams->paramArray,
                      nodeParams->flags);
  });
}

}  // namespace cucore::cpu::api
