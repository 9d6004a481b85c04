// SPDX-License-Identifier: Apache-2.0
// The steps of one launch.
#include "cpu/driver/graph/run.hpp"

#include <map>
#include <utility>

#include "cpu/driver/calls.hpp"
#include "cpu/driver/graph/graph_memory.hpp"
#include "cpu/driver/stream_words.hpp"
#include "cpu/exec/conditions.hpp"
#include "cpu/exec/launch_budgets.hpp"

namespace cucore::cpu {

GraphRun::GraphRun(std::shared_ptr<const GraphPlan> plan, Stream& stream,
                   std::vector<std::shared_ptr<GraphMemory>> old_memory)
    : plan_(std::move(plan)),
      context_(stream.context_ptr()),
      old_memory_(std::move(old_memory)),
      operation_(next_operation(stream)),
      clock_(clock_of(stream)) {
  expect_events(stream);
  expect_host(stream);
}

// Steps that wait for the program let it decide when others run.
void GraphRun::expect_host(Stream& stream) {
  bool waits = false;
  each_step(*plan_, [&](const GraphStep& step) {
    waits |= step.type() == CU_GRAPH_NODE_TYPE_HOST ||
             step.type() == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT ||
             step.type() == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
  });
  if (!waits || !operation_) return;
  operation_->may_follow_host = true;
  note_gate(stream);
}

// An event that the launch records before it waits for it is the new record.
void GraphRun::expect_events(Stream& stream) {
  std::map<const Event*, std::shared_ptr<LaterRecord>> own;
  each_step(*plan_, [&](const GraphStep& step) {
    if (step.type() == CU_GRAPH_NODE_TYPE_EVENT_RECORD) {
      const auto& event = params_as<RecordParams>(step.params).event;
      records_.push_back(std::make_shared<LaterRecord>(event, clock_));
      record_of_[&step] = records_.back().get();
      own[event.get()] = records_.back();
    } else if (step.type() == CU_GRAPH_NODE_TYPE_WAIT_EVENT) {
      const Event& event = *params_as<WaitParams>(step.params).event;
      const auto found = own.find(&event);
      if (found != own.end()) {
        waits_[&step] = [record = found->second] { record->wait(); };
        own_waits_[&step] = found->second;
        return;
      }
      waits_[&step] = event.waiter(context_);
      order_after(stream, event.clock());
    }
  });
}

void GraphRun::run() {
  for (const auto& memory : old_memory_) memory->end();
  for (const PlanCondition& known : plan_->conditions)
    if (known.reset) set_condition(known.condition->handle(), known.value);
  check(*context_);
  run_plan(*plan_, *this);
}

// Events of steps that did not run must not keep their waiters.
GraphRun::~GraphRun() {
  for (const auto& record : records_) record->complete();
}

bool GraphRun::must_wait(const GraphStep& step) const {
  const auto found = own_waits_.find(&step);
  return found != own_waits_.end() && !found->second->is_complete();
}

void GraphRun::check(const Context& context) {
  if (!context.alive() || context.poisoned()) failed_.store(true, std::memory_order_release);
}

void GraphRun::run_step(const GraphStep& step) noexcept {
  try {
    if (!failed() && step.enabled) execute(step);
    check(*context_);
  } catch (...) {
    context_->poison(result_of_exception(), "internal failure of the CPU device");
    failed_.store(true, std::memory_order_release);
  }
  complete_records(step);
}

// A step of the same launch may wait for the records of a child that a failure has skipped. The
// loop of a body has no records, so each step completes its record once.
void GraphRun::complete_records(const GraphStep& step) {
  if (records_.empty()) return;
  const auto complete = [this](const GraphStep& each) {
    const auto found = record_of_.find(&each);
    if (found != record_of_.end()) found->second->complete();
  };
  complete(step);
  if (!failed()) return;
  for (const auto& part : step.parts) each_step(*part, complete);
}

std::shared_ptr<StreamWork> GraphRun::operation(const std::string& name) const {
  auto part = part_of(operation_);
  if (part) part->name = name + " of a graph in " + part->name;
  return part;
}

void GraphRun::run_kernel(const GraphStep& step) {
  PreparedLaunch prepared = *step.launch;
  Context& context = prepared.function->module().context();
  check(context);
  if (failed()) return;
  prepared.launch.limits = limits_of(context);
  prepared.launch.operation = part_of(operation_);
  run_launch(prepared);
  check(context);
}

void GraphRun::execute_memory(const GraphStep& step) {
  if (step.type() == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    params_as<AllocParams>(step.params).memory->begin();
  else
    params_as<FreeParams>(step.params).memory->end();
}

void GraphRun::execute(const GraphStep& step) {
  switch (step.type()) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return run_kernel(step);
    case CU_GRAPH_NODE_TYPE_MEMCPY: {
      const auto& copy = params_as<CopyParams>(step.params);
      return copy_now(described(copy.given), *context_, operation("copy"));
    }
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      const auto& g = params_as<FillParams>(step.params).given;
      const Box box{g.width * g.elementSize, g.height, 1};
      return fill_now({g.dst, g.pitch, 0, Claim::DEVICE}, g.value, g.elementSize, box, *context_,
                      operation("memset"));
    }
    case CU_GRAPH_NODE_TYPE_HOST: {
      const auto& host = params_as<HostParams>(step.params);
      host_waited(clock_);
      return run_callback([&] { host.function(host.data); });
    }
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return run_plan(*step.parts[0], *this);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return waits_.at(&step)();
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return execute_memory(step);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
      host_waited(clock_);
      return run_semaphores(params_as<SignalParams>(step.params).list);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
      return run_semaphores(params_as<SemaphoreWaitParams>(step.params).list, *context_);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      for (const auto& word : params_as<MemOpParams>(step.params).operations) {
        if (writes_word(word)) host_waited(clock_);
        run_word(word, *context_);
      }
      return;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return run_conditional(step);
    default:
      return;
  }
}

void GraphRun::run_conditional(const GraphStep& step) {
  const auto& given = params_as<ConditionalParams>(step.params).given;
  const uint32_t value = condition_value(given.handle);
  switch (given.type) {
    case CU_GRAPH_COND_TYPE_WHILE:
      return run_loop(*step.parts[0], given.handle);
    case CU_GRAPH_COND_TYPE_IF:
      if (value != 0) return run_plan(*step.parts[0], *this);
      if (step.parts.size() > 1) run_plan(*step.parts[1], *this);
      return;
    default:
      if (value < step.parts.size()) run_plan(*step.parts[value], *this);
  }
}

void GraphRun::run_loop(const GraphPlan& body, uint64_t condition) {
  const LaunchBudget budget = launch_budgets().instructions;
  const uint64_t most = budget.amount;
  for (uint64_t round = 1; condition_value(condition) != 0; ++round) {
    run_plan(body, *this);
    check(*context_);
    if (failed()) return;
    if (most != 0 && round >= most)
      return context_->poison(CUDA_ERROR_LAUNCH_TIMEOUT,
                              "a loop of a graph has used its budget of " + std::to_string(most) +
                                  " instructions, which " + budget.setting + " sets");
  }
}

}  // namespace cucore::cpu
