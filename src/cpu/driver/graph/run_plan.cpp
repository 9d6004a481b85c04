// SPDX-License-Identifier: Apache-2.0
// The order of the steps of one plan: a step runs when the steps before it are done. Helpers come
// as soon as more than one step is ready.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>

#include "cpu/checks/check_set.hpp"
#include "cpu/driver/graph/graph_threads.hpp"
#include "cpu/driver/graph/run.hpp"

namespace cucore::cpu {
namespace {

// Steps can wait for each other through memory, as on a GPU, whose queues are limited as well.
constexpr size_t MOST_HELPERS = 63;

// Steps that are shorter than the start of a thread.
bool is_short(const GraphStep& step) {
  switch (step.type()) {
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return true;
    default:
      return !step.enabled;
  }
}

class PlanRun : public std::enable_shared_from_this<PlanRun> {
 public:
  PlanRun(const GraphPlan& plan, GraphRun& run) : plan_(plan), run_(run), left_(plan.steps.size()) {
    for (const GraphStep& step : plan.steps) waits_.push_back(step.before.size());
    for (uint32_t i : plan.order)
      if (waits_[i] == 0) add_ready(i);
  }

  void execute() {
    std::unique_lock lock(mutex_);
    call_helper();
    while (left_ > 0) {
      if (ready_.empty()) {
        idle_ = true;
        changed_.wait(lock, [&] { return !ready_.empty() || left_ == 0; });
        idle_ = false;
      } else {
        run_one(lock);
      }
    }
  }

 private:
  void help() {
    std::unique_lock lock(mutex_);
    --called_;
    call_helper();
    while (!ready_.empty()) run_one(lock);
    --helpers_;
  }

  void run_one(std::unique_lock<std::mutex>& lock) {
    const uint32_t step = ready_.front();
    ready_.pop_front();
    long_ready_ -= !is_short(plan_.steps[step]);
    lock.unlock();
    run_.run_step(plan_.steps[step]);
    lock.lock();
    for (uint32_t next : plan_.steps[step].after)
      if (--waits_[next] == 0) add_ready(next);
    if (--left_ == 0 || (idle_ && ready_.size() > 1)) changed_.notify_one();
    call_helper();
  }

  void add_ready(uint32_t step) {
    ready_.push_back(step);
    long_ready_ += !is_short(plan_.steps[step]);
  }

  // The calling thread takes one of the ready steps, and an idle owner another one. Each helper
  // calls the next one, so that short steps are done before many threads have started.
  void call_helper() {
    if (long_ready_ <= 1 + called_ + idle_ || helpers_ == MOST_HELPERS) return;
    ++helpers_;
    ++called_;
    try {
      run_on_graph_thread([self = shared_from_this()] { self->help(); });
    } catch (...) {  // no further thread: the others do the work
      --helpers_;
      --called_;
    }
  }

  const GraphPlan& plan_;  // only while steps are left
  GraphRun& run_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<size_t> waits_;
  std::deque<uint32_t> ready_;
  size_t left_;
  size_t long_ready_ = 0;  // ready steps that are worth a thread
  size_t helpers_ = 0;     // called or at work
  size_t called_ = 0;      // not at work yet
  bool idle_ = false;      // the owner waits
};

void run_at_random(const GraphPlan& plan, GraphRun& run, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<size_t> waits;
  std::vector<uint32_t> ready;
  for (const GraphStep& step : plan.steps) waits.push_back(step.before.size());
  for (uint32_t i : plan.order)
    if (waits[i] == 0) ready.push_back(i);
  while (!ready.empty()) {
    size_t chosen = random() % ready.size();
    // A step that must wait would block the only thread.
    for (size_t i = 1; i < ready.size() && run.must_wait(plan.steps[ready[chosen]]); ++i)
      chosen = (chosen + 1) % ready.size();
    std::swap(ready[chosen], ready.back());
    const uint32_t step = ready.back();
    ready.pop_back();
    run.run_step(plan.steps[step]);
    for (uint32_t next : plan.steps[step].after)
      if (--waits[next] == 0) ready.push_back(next);
  }
}

}  // namespace

void run_plan(const GraphPlan& plan, GraphRun& run) {
  const Schedule now = schedule();
  switch (now.order) {
    case WarpOrder::SEQUENTIAL:
      for (uint32_t i : plan.order) run.run_step(plan.steps[i]);
      return;
    case WarpOrder::RANDOM:
      return run_at_random(plan, run, now.seed);
    case WarpOrder::PARALLEL:
      return std::make_shared<PlanRun>(plan, run)->execute();
  }
}

}  // namespace cucore::cpu
