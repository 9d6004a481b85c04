// SPDX-License-Identifier: Apache-2.0
// Instantiation and launches.
#include "cpu/driver/graph/executable.hpp"

#include <set>

#include "cpu/driver/context.hpp"
#include "cpu/driver/graph/graph_memory.hpp"
#include "cpu/driver/graph/run.hpp"

namespace cucore::cpu {
namespace {

constexpr cuuint64_t KNOWN_FLAGS =
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

bool may_be_in_body(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
    case CU_GRAPH_NODE_TYPE_MEMCPY:
    case CU_GRAPH_NODE_TYPE_MEMSET:
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return true;
    default:
      return false;
  }
}

bool may_launch_on_device(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
         type == CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_GRAPH;
}

const Context* context_of(const NodeParams& params) {
  if (auto* kernel = std::get_if<std::shared_ptr<const KernelParams>>(&params))
    return &(*kernel)->function->module().context();
  if (auto* copy = std::get_if<std::shared_ptr<const CopyParams>>(&params))
    return (*copy)->context.get();
  if (auto* fill = std::get_if<std::shared_ptr<const FillParams>>(&params))
    return (*fill)->context.get();
  return nullptr;
}

class Checker {
 public:
  Checker(const Graph& graph, cuuint64_t flags) : device_(flags & DEVICE_LAUNCH) {
    each_graph(graph, [&](const Graph& g) {
      for (const auto& [number, node] : g.nodes()) check(g, *node);
    });
    if (device_ && work_ == 0) note(CUDA_GRAPH_INSTANTIATE_ERROR, nullptr);
    for (const auto& [handle, condition] : const_cast<Graph&>(graph).conditions())
      if (!condition.node) note(CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED, nullptr);
  }
  InstantiateFault fault;

 private:
  static constexpr cuuint64_t DEVICE_LAUNCH = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;

  void note(CUgraphInstantiateResult result, const GraphNode* node) {
    if (fault.result != CUDA_GRAPH_INSTANTIATE_SUCCESS) return;
    fault = {result, node ? handle_of<CUgraphNode>(*node) : nullptr, CUDA_ERROR_INVALID_VALUE};
  }

  void check(const Graph& graph, const GraphNode& node) {
    if (graph.in_body() && !may_be_in_body(node.type()))
      note(CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, &node);
    if (device_ && !may_launch_on_device(node.type()))
      note(CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, &node);
    const Context* context = context_of(node.params);
    work_ += context != nullptr;
    if (device_ && context && !first_) first_ = context;
    if (device_ && context && context != first_)
      note(CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED, &node);
  }

  const bool device_;
  size_t work_ = 0;
  const Context* first_ = nullptr;
};

}  // namespace

GraphExecutable::GraphExecutable(std::shared_ptr<GraphPlan> plan, cuuint64_t flags)
    : flags_(flags), plan_(std::move(plan)) {}

GraphExecutable::~GraphExecutable() = default;

std::shared_ptr<GraphExecutable> GraphExecutable::make(Graph& graph, cuuint64_t flags,
                                                       InstantiateFault& fault) {
  require((flags & ~KNOWN_FLAGS) == 0 && graph.owner() == nullptr);
  require(!(flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) ||
          !(flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
  each_graph(graph, [](const Graph& g) { require(g.captures == 0, CUDA_ERROR_ILLEGAL_STATE); });
  const bool single = graph.has_memory() || graph.has_conditions();
  require(!single || graph.executable.expired(), CUDA_ERROR_NOT_SUPPORTED);
  fault = Checker(graph, flags).fault;
  if (fault.result != CUDA_GRAPH_INSTANTIATE_SUCCESS) return nullptr;
  auto plan = compile(graph);
  take_conditions(*plan, graph);
  std::shared_ptr<GraphExecutable> made(new GraphExecutable(std::move(plan), flags));
  made->context = id_of_current_context();
  if (single) {
    made->token_ = std::make_shared<char>();
    graph.executable = made->token_;
  }
  return made;
}

void GraphExecutable::end() {
  std::lock_guard lock(mutex_);
  token_ = nullptr;
}

void GraphExecutable::check_contexts() const {
  each_step(*plan_, [](const GraphStep& step) {
    if (const Context* context = context_of(step.params)) context->check();
  });
}

// Returns the memory of an earlier launch that this launch frees first. Throws if memory of an
// earlier launch is in the way, or the device has none left.
std::vector<std::shared_ptr<GraphMemory>> GraphExecutable::claim_memory() {
  std::vector<std::shared_ptr<GraphMemory>> allocated, freed, old;
  each_step(*plan_, [&](const GraphStep& step) {
    if (step.type() == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
      allocated.push_back(params_as<AllocParams>(step.params).memory);
    else if (step.type() == CU_GRAPH_NODE_TYPE_MEM_FREE)
      freed.push_back(params_as<FreeParams>(step.params).memory);
  });
  const std::set<std::shared_ptr<GraphMemory>> own(allocated.begin(), allocated.end());
  for (const auto& memory : allocated)
    if (memory->unfreed()) old.push_back(memory);
  require(old.empty() || flags_ & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  for (const auto& memory : freed) require(own.count(memory) || memory->unfreed());
  for (size_t i = 0; i < allocated.size(); ++i) {
    if (allocated[i]->claim()) continue;
    while (i > 0) allocated[--i]->give_up();
    fail(CUDA_ERROR_OUT_OF_MEMORY);
  }
  for (const auto& memory : allocated) memory->set_unfreed(true);
  for (const auto& memory : freed) memory->set_unfreed(false);
  return old;
}

void GraphExecutable::launch(Stream& stream) {
  std::lock_guard lock(mutex_);
  stream.context().output().flush();
  check_contexts();
  auto run = std::make_shared<GraphRun>(plan_, stream, claim_memory());
  const auto records = run->records();
  auto flying = in_flight_;
  flying->fetch_add(1);
  unshared_ = false;
  // Events of the run complete even if the context is poisoned.
  auto work = [run = std::move(run), flying]() mutable {
    run->run();
    run.reset();
    flying->fetch_sub(1, std::memory_order_release);
  };
  last_ = stream.submit(std::move(work), Stream::Run::ALWAYS, Stream::Where::WORKER, {last_});
  // Another thread may have submitted work before: it must not wait for this launch.
  for (const auto& record : records) record->publish();
}

void GraphExecutable::upload(Stream& stream) {
  std::lock_guard lock(mutex_);
  last_ = stream.submit([] {}, Stream::Run::ALWAYS, Stream::Where::WORKER, {last_});
}

// Launches in flight keep the plan that they began with.
GraphPlan& GraphExecutable::own() {
  if (!unshared_ && in_flight_->load(std::memory_order_acquire) != 0) plan_ = plan_->copy();
  unshared_ = true;
  return *plan_;
}

GraphStep& GraphExecutable::step(GraphPlan& plan, uint64_t node) {
  GraphStep* found = plan.find(node);
  require(found != nullptr);
  return *found;
}

UpdateFault GraphExecutable::update(const GraphPlan& other) {
  std::lock_guard lock(mutex_);
  const UpdateFault fault = compare_plans(*plan_, other, flags_);
  if (fault.result == CU_GRAPH_EXEC_UPDATE_SUCCESS) {
    GraphPlan& plan = own();
    take_over(plan, other);
    plan.conditions = other.conditions;
  }
  return fault;
}

void GraphExecutable::set(uint64_t node, NodeParams params) {
  std::lock_guard lock(mutex_);
  check_step_change(step(*plan_, node).params, params);
  set_step(step(own(), node), std::move(params));
}

void GraphExecutable::set_child(uint64_t node, const GraphPlan& child) {
  std::lock_guard lock(mutex_);
  const GraphStep& now = step(*plan_, node);
  require(now.type() == CU_GRAPH_NODE_TYPE_GRAPH);
  const UpdateFault fault = compare_plans(*now.parts[0], child, flags_);
  require(fault.result == CU_GRAPH_EXEC_UPDATE_SUCCESS, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  take_over(*step(own(), node).parts[0], child);
}

void GraphExecutable::set_enabled(uint64_t node, bool enabled) {
  std::lock_guard lock(mutex_);
  require(step(*plan_, node).type() <= CU_GRAPH_NODE_TYPE_MEMSET);
  step(own(), node).enabled = enabled;
}

bool GraphExecutable::enabled(uint64_t node) {
  std::lock_guard lock(mutex_);
  const GraphStep& found = step(*plan_, node);
  require(found.type() <= CU_GRAPH_NODE_TYPE_MEMSET);
  return found.enabled;
}

NodeParams GraphExecutable::params(uint64_t node) {
  std::lock_guard lock(mutex_);
  return step(*plan_, node).params;
}

}  // namespace cucore::cpu
