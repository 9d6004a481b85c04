// SPDX-License-Identifier: Apache-2.0
// Nodes that signal semaphores of other libraries, or wait for them.
#include <type_traits>

#include "cpu/driver/api.hpp"
#include "cpu/driver/graph/node_edit.hpp"

namespace cucore::cpu::api {
namespace {

using node_edit::add;
using node_edit::get;
using node_edit::set;

template <class Given>
auto semaphores_of(const Given* given) {
  require(given != nullptr);
  return semaphore_list(given->extSemArray, given->paramsArray, given->numExtSems);
}

// The arrays belong to the node.
template <class Params, class Given>
CUresult give_semaphores(CUgraphNode node, Given* out) {
  return get<Params>(node, out, [&](const Params& params) {
    const auto& list = params.list;
    using Element = std::remove_const_t<std::remove_pointer_t<decltype(out->paramsArray)>>;
    *out = {const_cast<CUexternalSemaphore*>(list.handles.data()),
            const_cast<Element*>(list.params.data()), static_cast<unsigned>(list.handles.size())};
  });
}

}  // namespace

CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                                const CUgraphNode* dependencies,
                                                size_t numDependencies,
                                                const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
  return add(phGraphNode, hGraph, dependencies, numDependencies,
             [&](Graph&) { return make_signals(semaphores_of(nodeParams)); });
}
CUresult cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode hNode,
                                                      CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* params_out) {
  return give_semaphores<SignalParams>(hNode, params_out);
}
CUresult cuGraphExternalSemaphoresSignalNodeSetParams(
    CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
  return set<SignalParams>(hNode, [&](auto&) { return make_signals(semaphores_of(nodeParams)); });
}
CUresult cuGraphExecExternalSemaphoresSignalNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
  return set<SignalParams>(hGraphExec, hNode,
                           [&](auto&) { return make_signals(semaphores_of(nodeParams)); });
}

CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                              const CUgraphNode* dependencies,
                                              size_t numDependencies,
                                              const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
  return add(phGraphNode, hGraph, dependencies, numDependencies,
             [&](Graph&) { return make_waits(semaphores_of(nodeParams)); });
}
CUresult cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode hNode,
                                                    CUDA_EXT_SEM_WAIT_NODE_PARAMS* params_out) {
  return give_semaphores<SemaphoreWaitParams>(hNode, params_out);
}
CUresult cuGraphExternalSemaphoresWaitNodeSetParams(
    CUgraphNode hNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
  return set<SemaphoreWaitParams>(hNode,
                                  [&](auto&) { return make_waits(semaphores_of(nodeParams)); });
}
CUresult cuGraphExecExternalSemaphoresWaitNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
  return set<SemaphoreWaitParams>(hGraphExec, hNode,
                                  [&](auto&) { return make_waits(semaphores_of(nodeParams)); });
}

}  // namespace cucore::cpu::api
