// SPDX-License-Identifier: Apache-2.0
// One launch of an executable.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "cpu/driver/graph/plan.hpp"
#include "cpu/driver/stream.hpp"

namespace cucore::cpu {

class GraphRun {
 public:
  // In the launching thread: makes the records of the plan's events and notes what its waits wait
  // for.
  GraphRun(std::shared_ptr<const GraphPlan> plan, Stream& stream,
           std::vector<std::shared_ptr<GraphMemory>> old_memory);
  ~GraphRun();

  // In the order of the steps. The caller publishes them.
  const std::vector<std::shared_ptr<LaterRecord>>& records() const { return records_; }

  void run();  // in the job of the stream; must not throw

  // For the steps.
  void run_step(const GraphStep& step) noexcept;
  // Whether the step waits for an event that the launch has yet to record.
  bool must_wait(const GraphStep& step) const;
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  const std::shared_ptr<Context>& context() const { return context_; }

 private:
  void expect_events(Stream& stream);
  void expect_host(Stream& stream);
  void complete_records(const GraphStep& step);
  void execute(const GraphStep& step);
  void execute_memory(const GraphStep& step);
  void run_kernel(const GraphStep& step);
  void run_conditional(const GraphStep& step);
  void run_loop(const GraphPlan& body, uint64_t condition);
  void check(const Context& context);
  std::shared_ptr<StreamWork> operation(const std::string& name) const;

  const std::shared_ptr<const GraphPlan> plan_;
  const std::shared_ptr<Context> context_;
  const std::vector<std::shared_ptr<GraphMemory>> old_memory_;  // freed before all steps
  const std::shared_ptr<StreamWork> operation_;                 // for the checks
  const ClockCopy clock_;
  std::vector<std::shared_ptr<LaterRecord>> records_;
  std::unordered_map<const GraphStep*, LaterRecord*> record_of_;
  std::unordered_map<const GraphStep*, std::function<void()>> waits_;
  std::unordered_map<const GraphStep*, std::shared_ptr<const LaterRecord>> own_waits_;
  std::atomic<bool> failed_{false};
};

// Runs all steps of a plan in an order that its edges permit, side by side under a parallel
// schedule.
void run_plan(const GraphPlan& plan, GraphRun& run);

}  // namespace cucore::cpu
