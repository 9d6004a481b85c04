// SPDX-License-Identifier: Apache-2.0
// Executables: instantiation, launches and updates.
#include "cpu/driver/api.hpp"
#include "cpu/driver/graph/node_edit.hpp"

namespace cucore::cpu::api {
namespace {

std::shared_ptr<GraphExecutable> find_executable(CUgraphExec handle) {
  return lookup<GraphExecutable>(handle, CUDA_ERROR_INVALID_VALUE);
}

InstantiateFault instantiate(CUgraphExec* out, CUgraph hGraph, cuuint64_t flags) {
  require(out != nullptr);
  GraphLock lock;
  InstantiateFault fault;
  auto made = GraphExecutable::make(*find_graph(hGraph), flags, fault);
  if (made) *out = new_handle<CUgraphExec>(made);
  return fault;
}

using node_edit::set;

UpdateFault update(CUgraphExec hGraphExec, CUgraph hGraph) {
  GraphLock lock;
  auto executable = find_executable(hGraphExec);
  auto graph = find_graph(hGraph);
  require(graph->owner() == nullptr);
  auto plan = compile(*graph);
  take_conditions(*plan, *graph);
  return executable->update(*plan);
}

}  // namespace

CUresult cuGraphInstantiateWithFlags(CUgraphExec* phGraphExec, CUgraph hGraph,
                                     unsigned long long flags) {
  require(!(flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD));  // needs a stream
  return instantiate(phGraphExec, hGraph, flags).code;
}

CUresult cuGraphInstantiate_v2(CUgraphExec* phGraphExec, CUgraph hGraph, CUgraphNode* phErrorNode,
                               char* logBuffer, size_t bufferSize) {
  if (logBuffer && bufferSize) logBuffer[0] = '\0';
  const InstantiateFault fault = instantiate(phGraphExec, hGraph, 0);
  if (phErrorNode) *phErrorNode = fault.node;
  return fault.code;
}
CUresult cuGraphInstantiate(CUgraphExec* phGraphExec, CUgraph hGraph, CUgraphNode* phErrorNode,
                            char* logBuffer, size_t bufferSize) {
  return api::cuGraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* phGraphExec, CUgraph hGraph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams) {
  require(instantiateParams != nullptr);
  auto& p = *instantiateParams;
  p.hErrNode_out = nullptr;
  p.result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  const bool uploads = p.flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
  auto stream = uploads ? find_stream(p.hUploadStream) : nullptr;
  const InstantiateFault fault = instantiate(phGraphExec, hGraph, p.flags);
  p.hErrNode_out = fault.node;
  p.result_out = fault.result;
  if (fault.code == CUDA_SUCCESS && stream) find_executable(*phGraphExec)->upload(*stream);
  return fault.code;
}

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t* flags) {
  require(flags != nullptr);
  *flags = find_executable(hGraphExec)->flags();
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec hGraphExec) {
  auto executable = find_executable(hGraphExec);
  require(Registry::instance().remove(ObjectKind::GRAPH_EXECUTABLE, executable->handle_bits()) !=
          nullptr);
  executable->end();
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream) {
  auto executable = find_executable(hGraphExec);
  auto stream = find_stream(hStream);
  refuse_capture(*stream);  // as an H100 does with driver 580
  executable->launch(*stream);
  return CUDA_SUCCESS;
}

CUresult cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream) {
  auto executable = find_executable(hGraphExec);
  auto stream = find_stream(hStream);
  refuse_capture(*stream);
  executable->upload(*stream);
  return CUDA_SUCCESS;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                              CUgraphExecUpdateResultInfo* resultInfo) {
  require(resultInfo != nullptr);
  *resultInfo = {CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
  const UpdateFault fault = update(hGraphExec, hGraph);
  *resultInfo = {fault.result, reinterpret_cast<CUgraphNode>(fault.node),
                 reinterpret_cast<CUgraphNode>(fault.from_node)};
  return fault.result == CU_GRAPH_EXEC_UPDATE_SUCCESS ? CUDA_SUCCESS
                                                      : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}
CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode* hErrorNode_out,
                           CUgraphExecUpdateResult* updateResult_out) {
  CUgraphExecUpdateResultInfo info{CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
  if (updateResult_out) *updateResult_out = info.result;
  const CUresult result = api::cuGraphExecUpdate_v2(hGraphExec, hGraph, &info);
  if (hErrorNode_out) *hErrorNode_out = info.errorNode;
  if (updateResult_out) *updateResult_out = info.result;
  return result;
}

CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                  CUgraphNodeParams* nodeParams) {
  check_reserved(nodeParams);
  if (nodeParams->type == CU_GRAPH_NODE_TYPE_GRAPH)
    return api::cuGraphExecChildGraphNodeSetParams(hGraphExec, hNode, nodeParams->graph.graph);
  GraphLock lock;
  auto executable = find_executable(hGraphExec);
  const uint64_t node = find_node(hNode)->handle_bits();
  const NodeParams now = executable->params(node);
  require(type_of(now) == nodeParams->type);
  executable->set(node, make_replacement(now, *nodeParams));
  return CUDA_SUCCESS;
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  require(nodeParams != nullptr);
  return set<KernelParams>(hGraphExec, hNode, [&](const KernelParams& now) {
    return make_kernel(*nodeParams, now.attributes);
  });
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  require(nodeParams != nullptr);
  return set<KernelParams>(hGraphExec, hNode, [&](const KernelParams& now) {
    return make_kernel(*nodeParams, now.attributes);
  });
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMCPY3D* copyParams, CUcontext ctx) {
  return set<CopyParams>(hGraphExec, hNode, [&](auto&) { return make_copy(copyParams, ctx); });
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMSET_NODE_PARAMS* memsetParams,
                                        CUcontext ctx) {
  return set<FillParams>(hGraphExec, hNode, [&](auto&) { return make_fill(memsetParams, ctx); });
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_HOST_NODE_PARAMS* nodeParams) {
  require(nodeParams != nullptr);
  return set<HostParams>(hGraphExec, hNode,
                         [&](auto&) { return make_host(nodeParams->fn, nodeParams->userData); });
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUevent event) {
  return set<RecordParams>(hGraphExec, hNode, [&](auto&) { return make_record(event); });
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                          CUevent event) {
  return set<WaitParams>(hGraphExec, hNode, [&](auto&) { return make_wait(event); });
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  require(nodeParams != nullptr);
  return set<MemOpParams>(hGraphExec, hNode, [&](auto&) {
    return make_memop(context_of_node(nodeParams->ctx), nodeParams->count, nodeParams->paramArray,
                      nodeParams->flags);
  });
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUgraph childGraph) {
  GraphLock lock;
  auto executable = find_executable(hGraphExec);
  const uint64_t node = find_node(hNode)->handle_bits();
  executable->set_child(node, *compile(*find_graph(childGraph)));
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled) {
  GraphLock lock;
  find_executable(hGraphExec)->set_enabled(find_node(hNode)->handle_bits(), isEnabled != 0);
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int* isEnabled) {
  require(isEnabled != nullptr);
  GraphLock lock;
  *isEnabled = find_executable(hGraphExec)->enabled(find_node(hNode)->handle_bits());
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
