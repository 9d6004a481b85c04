// SPDX-License-Identifier: Apache-2.0
// Compiles graphs to plans.
#include "cpu/driver/graph/plan.hpp"

#include <queue>
#include <unordered_map>

namespace cucore::cpu {
namespace {

// Steps that wait for nothing come in the order of their insertion.
std::vector<uint32_t> topological_order(const std::vector<GraphStep>& steps) {
  std::vector<size_t> waits(steps.size());
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t i = 0; i < steps.size(); ++i) {
    waits[i] = steps[i].before.size();
    if (waits[i] == 0) ready.push(i);
  }
  std::vector<uint32_t> order;
  while (!ready.empty()) {
    const uint32_t step = ready.top();
    ready.pop();
    order.push_back(step);
    for (uint32_t next : steps[step].after)
      if (--waits[next] == 0) ready.push(next);
  }
  return order;
}

// The graphs of a plan's nodes must not live as long as the plan.
NodeParams without_graphs(const NodeParams& params) {
  if (auto* child = std::get_if<std::shared_ptr<const ChildParams>>(&params))
    return std::make_shared<const ChildParams>(ChildParams{nullptr, (*child)->ownership});
  if (auto* conditional = std::get_if<std::shared_ptr<const ConditionalParams>>(&params)) {
    auto own = std::make_shared<ConditionalParams>();
    own->given = (*conditional)->given;
    own->given.phGraph_out = nullptr;
    return std::shared_ptr<const ConditionalParams>(std::move(own));
  }
  return params;
}

}  // namespace

void set_step(GraphStep& step, NodeParams params) {
  if (auto* kernel = std::get_if<std::shared_ptr<const KernelParams>>(&params))
    step.launch = prepared(**kernel);
  step.params = without_graphs(params);
}

std::shared_ptr<GraphPlan> compile(const Graph& graph) {
  auto plan = std::make_shared<GraphPlan>();
  std::unordered_map<const GraphNode*, uint32_t> index;
  plan->objects = graph.objects();
  for (const auto& [number, node] : graph.nodes()) {
    index[node.get()] = static_cast<uint32_t>(plan->steps.size());
    GraphStep& step = plan->steps.emplace_back();
    step.node = node->handle_bits();
    set_step(step, node->params);
    for (const auto& part : parts_of(node->params)) step.parts.push_back(compile(*part));
  }
  for (const auto& [number, node] : graph.nodes()) {
    GraphStep& step = plan->steps[index[node.get()]];
    for (const GraphEdge& edge : node->before) step.before.push_back({index[edge.node], edge.data});
    for (const GraphEdge& edge : node->after) step.after.push_back(index[edge.node]);
  }
  plan->order = topological_order(plan->steps);
  return plan;
}

void take_conditions(GraphPlan& plan, Graph& graph) {
  plan.conditions.clear();
  for (const auto& [handle, known] : graph.conditions())
    plan.conditions.push_back({known.condition, known.value, known.reset});
}

std::shared_ptr<GraphPlan> GraphPlan::copy() const {
  auto made = std::make_shared<GraphPlan>(*this);
  for (GraphStep& step : made->steps)
    for (auto& part : step.parts) part = part->copy();
  return made;
}

GraphStep* GraphPlan::find(uint64_t node) {
  for (GraphStep& step : steps)
    if (step.node == node) return &step;
  for (GraphStep& step : steps)
    for (const auto& part : step.parts)
      if (GraphStep* found = part->find(node)) return found;
  return nullptr;
}

void each_step(const GraphPlan& plan, const std::function<void(const GraphStep&)>& visit) {
  for (uint32_t i : plan.order) {
    visit(plan.steps[i]);
    for (const auto& part : plan.steps[i].parts) each_step(*part, visit);
  }
}

}  // namespace cucore::cpu
