// SPDX-License-Identifier: Apache-2.0
// A graph made ready to launch: a plan, and the order of its launches.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "cpu/driver/graph/plan.hpp"
#include "cpu/driver/stream.hpp"

namespace cucore::cpu {

struct InstantiateFault {
  CUgraphInstantiateResult result = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  CUgraphNode node = nullptr;
  CUresult code = CUDA_SUCCESS;
};

struct UpdateFault {
  CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
  uint64_t node = 0;  // handles of nodes of the new graph
  uint64_t from_node = 0;
};

class GraphExecutable : public Object, public std::enable_shared_from_this<GraphExecutable> {
 public:
  static constexpr ObjectKind KIND = ObjectKind::GRAPH_EXECUTABLE;

  // The caller holds the lock of graphs. Returns nullptr and the fault if the graph has one.
  static std::shared_ptr<GraphExecutable> make(Graph& graph, cuuint64_t flags,
                                               InstantiateFault& fault);
  ~GraphExecutable() override;

  cuuint64_t flags() const { return flags_; }
  void launch(Stream& stream);
  void upload(Stream& stream);
  void end();  // the graph may have another executable

  // Takes a plan over whose steps correspond to the present ones, or changes nothing.
  UpdateFault update(const GraphPlan& other);
  void set(uint64_t node, NodeParams params);
  // As update(), for the child graph of a node; throws if it does not correspond.
  void set_child(uint64_t node, const GraphPlan& child);
  void set_enabled(uint64_t node, bool enabled);
  bool enabled(uint64_t node);
  NodeParams params(uint64_t node);

  uint64_t context = 0;  // as Graph::context

 private:
  GraphExecutable(std::shared_ptr<GraphPlan> plan, cuuint64_t flags);
  void check_contexts() const;
  std::vector<std::shared_ptr<GraphMemory>> claim_memory();
  GraphPlan& own();
  GraphStep& step(GraphPlan& plan, uint64_t node);

  const cuuint64_t flags_;
  std::mutex mutex_;
  std::shared_ptr<GraphPlan> plan_;
  bool unshared_ = true;  // no launch uses plan_
  std::shared_ptr<std::atomic<uint64_t>> in_flight_ = std::make_shared<std::atomic<uint64_t>>(0);
  Ticket last_;
  std::shared_ptr<void> token_;  // of the graph that permits one executable
};

// Compares a plan with one that would replace it, and returns why it cannot.
UpdateFault compare_plans(const GraphPlan& now, const GraphPlan& next, cuuint64_t flags);
// Takes the parameters of a plan over that compare_plans() accepted.
void take_over(GraphPlan& now, const GraphPlan& next);
// Throws INVALID_VALUE if the parameters of one step of an executable cannot be replaced.
void check_step_change(const NodeParams& now, const NodeParams& next);

}  // namespace cucore::cpu
