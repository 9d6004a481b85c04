// SPDX-License-Identifier: Apache-2.0
// The plan of an executable: the steps of a graph with the parameters of its nodes, and the plans
// of its children and bodies.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cpu/driver/graph/graph.hpp"
#include "cpu/driver/graph/node_launch.hpp"

namespace cucore::cpu {

class LiveCondition;
struct GraphPlan;

struct StepEdge {
  uint32_t step = 0;
  CUgraphEdgeData data{};
};

struct GraphStep {
  NodeParams params;  // without graphs: `parts` replaces them
  std::optional<PreparedLaunch> launch;
  bool enabled = true;
  uint64_t node = 0;  // handle
  std::vector<StepEdge> before;
  std::vector<uint32_t> after;
  std::vector<std::shared_ptr<GraphPlan>> parts;

  CUgraphNodeType type() const { return type_of(params); }
};

// A condition of the graph, which can end before its executables.
struct PlanCondition {
  std::shared_ptr<const LiveCondition> condition;
  uint32_t value = 0;
  bool reset = false;  // to `value` at each launch
};

struct GraphPlan {
  std::vector<GraphStep> steps;  // in the order of the nodes' insertion
  std::vector<uint32_t> order;   // a topological order
  UserObjectList objects;
  std::vector<PlanCondition> conditions;  // of the outermost plan

  std::shared_ptr<GraphPlan> copy() const;
  GraphStep* find(uint64_t node);  // also in the parts
};

// The caller holds the lock of graphs.
std::shared_ptr<GraphPlan> compile(const Graph& graph);
// Gives the outermost plan of a graph the graph's conditions.
void take_conditions(GraphPlan& plan, Graph& graph);
// Sets parameters and what follows from them.
void set_step(GraphStep& step, NodeParams params);
void each_step(const GraphPlan& plan, const std::function<void(const GraphStep&)>& visit);

}  // namespace cucore::cpu
