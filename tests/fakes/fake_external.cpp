// SPDX-License-Identifier: Apache-2.0
// The fake driver's semaphores of other libraries. A signal really reaches the descriptor: it adds
// 1 to an eventfd, or writes the number into a file. A wait never waits.
#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "fakes/fake_api.hpp"
#include "fakes/fake_checks.hpp"
#include "fakes/fake_driver.hpp"

namespace fake {
namespace {

CUresult run_signal(CUexternalSemaphore handle, uint64_t value, const char* use) {
  const Semaphore* semaphore = driver().semaphores.find_or_note(handle, use);
  NEED(semaphore, CUDA_ERROR_INVALID_HANDLE);
  const uint64_t written = semaphore->is_timeline ? value : 1;
  const ssize_t size = semaphore->is_timeline
                           ? pwrite(semaphore->descriptor, &written, sizeof written, 0)
                           : write(semaphore->descriptor, &written, sizeof written);
  NEED(size == sizeof written, CUDA_ERROR_OPERATING_SYSTEM);
  return CUDA_SUCCESS;
}

CUresult run_wait(CUexternalSemaphore handle, const char* use) {
  NEED(driver().semaphores.find_or_note(handle, use), CUDA_ERROR_INVALID_HANDLE);
  return CUDA_SUCCESS;
}

template <class Work>
GraphNode semaphore_node(CUgraphNodeType type, Work work) {
  GraphNode node;
  node.type = type;
  node.run = [work] { (void)work(); };
  return node;
}

GraphNode signal_node(CUexternalSemaphore handle, uint64_t value) {
  return semaphore_node(CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
                        [=] { return run_signal(handle, value, "a launch of a signal"); });
}

GraphNode wait_node(CUexternalSemaphore handle) {
  return semaphore_node(CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
                        [=] { return run_wait(handle, "a launch of a wait"); });
}

template <class Params>
GraphNode node_of(const Params& params) {
  if constexpr (std::is_same_v<Params, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>)
    return signal_node(params.extSemArray[0], params.paramsArray[0].params.fence.value);
  else
    return wait_node(params.extSemArray[0]);
}

// The library passes one semaphore.
template <class Params>
CUresult usable_semaphore(const Params& params, const char* use) {
  NEED(params.numExtSems == 1, CUDA_ERROR_INVALID_VALUE);
  NEED(driver().semaphores.find_or_note(params.extSemArray[0], use), CUDA_ERROR_INVALID_HANDLE);
  return CUDA_SUCCESS;
}

template <class Params>
CUresult add_semaphore(CUgraphNode* out, CUgraph graph, const CUgraphNode* before, size_t count,
                       const Params& params) {
  const auto lock = locked();
  RETURN_IF_FAILED(usable_semaphore(params, "a new node of a semaphore"));
  *out = add_node(graph, before, count, node_of(params));
  return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

template <class Params>
CUresult set_semaphore(GraphNode* node, const Params& params) {
  RETURN_IF_FAILED(usable_semaphore(params, "a change of a node of a semaphore"));
  GraphNode next = node_of(params);
  NEED(node && node->type == next.type, CUDA_ERROR_INVALID_VALUE);
  node->run = std::move(next.run);
  return CUDA_SUCCESS;
}

// Does the work now, or makes a node from it if the stream is captured.
template <class Work>
CUresult work_on(CUstream handle, const char* use, GraphNode node, Work work) {
  Context* context = nullptr;
  Stream* stream = nullptr;
  RETURN_IF_FAILED(resolve_work(handle, context, stream, use));
  if (stream && stream->capture.active) {
    capture_work(stream, std::move(node));
    return CUDA_SUCCESS;
  }
  return work();
}

}  // namespace

namespace api {

CUresult cuImportExternalSemaphore(CUexternalSemaphore* out,
                                   const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* given) {
  const auto lock = locked();
  Context* context = nullptr;
  RETURN_IF_FAILED(current(context));
  const int descriptor = given->handle.fd;
  NEED(fcntl(descriptor, F_GETFD) >= 0, CUDA_ERROR_INVALID_VALUE);
  *out = driver().semaphores.add(
      {descriptor, given->type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD});
  return CUDA_SUCCESS;
}

CUresult cuDestroyExternalSemaphore(CUexternalSemaphore handle) {
  const auto lock = locked();
  const Semaphore* semaphore =
      driver().semaphores.find_or_note(handle, "cuDestroyExternalSemaphore");
  NEED(semaphore, CUDA_ERROR_INVALID_HANDLE);
  close(semaphore->descriptor);
  driver().semaphores.remove(handle, "cuDestroyExternalSemaphore");
  return CUDA_SUCCESS;
}

CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore* semaphores,
                                         const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* params,
                                         unsigned count, CUstream stream) {
  const auto lock = locked();
  NEED(count == 1, CUDA_ERROR_INVALID_VALUE);
  const CUexternalSemaphore semaphore = semaphores[0];
  const uint64_t value = params[0].params.fence.value;
  return work_on(stream, "cuSignalExternalSemaphoresAsync", signal_node(semaphore, value),
                 [&] { return run_signal(semaphore, value, "cuSignalExternalSemaphoresAsync"); });
}

CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore* semaphores,
                                       const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS*, unsigned count,
                                       CUstream stream) {
  const auto lock = locked();
  NEED(count == 1, CUDA_ERROR_INVALID_VALUE);
  const CUexternalSemaphore semaphore = semaphores[0];
  return work_on(stream, "cuWaitExternalSemaphoresAsync", wait_node(semaphore),
                 [&] { return run_wait(semaphore, "cuWaitExternalSemaphoresAsync"); });
}

CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode* out, CUgraph graph,
                                                const CUgraphNode* before, size_t count,
                                                const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* params) {
  return add_semaphore(out, graph, before, count, *params);
}
CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode* out, CUgraph graph,
                                              const CUgraphNode* before, size_t count,
                                              const CUDA_EXT_SEM_WAIT_NODE_PARAMS* params) {
  return add_semaphore(out, graph, before, count, *params);
}

CUresult cuGraphExternalSemaphoresSignalNodeSetParams(
    CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* params) {
  const auto lock = locked();
  return set_semaphore(driver().graph_nodes.find_or_note(node, "a change of a signal"), *params);
}
CUresult cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode node,
                                                    const CUDA_EXT_SEM_WAIT_NODE_PARAMS* params) {
  const auto lock = locked();
  return set_semaphore(driver().graph_nodes.find_or_note(node, "a change of a wait"), *params);
}

CUresult cuGraphExecExternalSemaphoresSignalNodeSetParams(
    CUgraphExec exec, CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* params) {
  const auto lock = locked();
  return set_semaphore(step_of(exec, node), *params);
}
CUresult cuGraphExecExternalSemaphoresWaitNodeSetParams(
    CUgraphExec exec, CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS* params) {
  const auto lock = locked();
  return set_semaphore(step_of(exec, node), *params);
}

}  // namespace api
}  // namespace fake
