// SPDX-License-Identifier: Apache-2.0
#include "core/graph/semaphore_work.hpp"

#include <utility>

namespace cucore::core {

SemaphoreWork::SemaphoreWork(NodeKind kind, Ref<const External> semaphore, uint64_t value)
    : NodeWork(kind), semaphore_(std::move(semaphore)), value_(value) {
  semaphore_->require_usable();
}

template <class Signal, class Wait>
CUresult SemaphoreWork::call(const Signal& signal, const Wait& wait) const {
  CUexternalSemaphore semaphore = semaphore_->native();
  if (is_signal()) {
    const auto params = signal_params(value_);
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS node{&semaphore, &params, 1};
    return signal(node);
  }
  const auto params = wait_params(value_);
  const CUDA_EXT_SEM_WAIT_NODE_PARAMS node{&semaphore, &params, 1};
  return wait(node);
}

CUgraphNode SemaphoreWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                                  std::span<const CUgraphNode> after) const {
  const auto signal =
      driver::require(cu.cuGraphAddExternalSemaphoresSignalNode,
                      "cuGraphAddExternalSemaphoresSignalNode", SINCE_EXTERNAL_NODES);
  const auto wait = driver::require(cu.cuGraphAddExternalSemaphoresWaitNode,
                                    "cuGraphAddExternalSemaphoresWaitNode", SINCE_EXTERNAL_NODES);
  CUgraphNode node = nullptr;
  driver::check(
      call([&](auto& params) { return signal(&node, graph, after.data(), after.size(), &params); },
           [&](auto& params) { return wait(&node, graph, after.data(), after.size(), &params); }),
      is_signal() ? "add a node that signals a semaphore"
                  : "add a node that waits for a semaphore");
  return node;
}

CUresult SemaphoreWork::set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                                     const NodeWork*) const {
  const auto signal =
      driver::require(cu.cuGraphExternalSemaphoresSignalNodeSetParams,
                      "cuGraphExternalSemaphoresSignalNodeSetParams", SINCE_EXTERNAL_NODES);
  const auto wait =
      driver::require(cu.cuGraphExternalSemaphoresWaitNodeSetParams,
                      "cuGraphExternalSemaphoresWaitNodeSetParams", SINCE_EXTERNAL_NODES);
  return call([&](auto& params) { return signal(node, &params); },
              [&](auto& params) { return wait(node, &params); });
}

CUresult SemaphoreWork::set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                                          CUgraphNode node) const {
  const auto signal =
      driver::require(cu.cuGraphExecExternalSemaphoresSignalNodeSetParams,
                      "cuGraphExecExternalSemaphoresSignalNodeSetParams", SINCE_EXTERNAL_NODES);
  const auto wait =
      driver::require(cu.cuGraphExecExternalSemaphoresWaitNodeSetParams,
                      "cuGraphExecExternalSemaphoresWaitNodeSetParams", SINCE_EXTERNAL_NODES);
  return call([&](auto& params) { return signal(executable, node, &params); },
              [&](auto& params) { return wait(executable, node, &params); });
}

NodeFacts SemaphoreWork::facts() const {
  NodeFacts facts;
  facts.pattern = value_;
  facts.semaphore = semaphore_.get();
  return facts;
}

}  // namespace cucore::core
