// SPDX-License-Identifier: Apache-2.0
// Replaces the settings of the process for the time of a session.
#include "cpu/driver/check_session.hpp"

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "cpu/checks/check_set.hpp"
#include "cpu/checks/reports.hpp"
#include "cpu/driver/calls.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/control.hpp"
#include "cpu/driver/fault_plan.hpp"
#include "cpu/driver/leak_reports.hpp"
#include "cpu/driver/process.hpp"
#include "cpu/driver/registry.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/driver/trace.hpp"
#include "cpu/exec/launch_budgets.hpp"
#include "support/suppressions.hpp"

namespace cucore::cpu {
namespace {

using Counts = std::vector<uint64_t>;

// The settings of a process outside of its session, or those that a session requires.
struct State {
  uint32_t checks = 0;
  bool stop = false;
  Schedule order;
  LaunchBudgets budgets;
  FaultPlan::State faults;
  int trace = -1;
  Reports::Contents reports;
  LeakMark mark;
};

// The results of a session.
struct Results {
  Reports::Contents reports;
  uint64_t faults = 0;
  Counts calls;
  std::string schedule;
};

struct Session {
  std::mutex mutex;
  std::atomic<bool> running{false};
  State outside;  // while it is running
  bool has_faults = false, has_trace = false;
  Counts calls;  // at its start
  Results last;
};
Session& session() {
  static Session& s = *new Session;  // never destroyed
  return s;
}

[[noreturn]] void refuse(const char* subject, const char* value, const char* expected) {
  note_load_log(std::string(subject) + " is '" + value + "'; expected " + expected);
  fail(CUDA_ERROR_INVALID_VALUE);
}

int open_trace(const char* path) {
  const int file = Trace::open_file(path);
  if (file < 0) refuse("trace_file", path, "a new file or a trace of this user");
  return file;
}

void replace(LaunchBudget& budget, uint64_t amount, const char* setting) {
  if (amount) budget = {amount, setting};
}

std::shared_ptr<const Suppressions> parse_suppressions(const char* text) {
  auto suppressions = std::make_shared<Suppressions>();
  if (suppressions->add(text)) refuse("suppressions", text, "lines KIND KERNEL FILE:LINE");
  return suppressions;
}

// The trace file comes last, because nothing closes it if a later setting is wrong.
State parse(const SessionSettings& s) {
  State state;
  state.checks = enabled_checks();
  state.order = schedule();
  state.stop = s.stop_at_reports;
  if (s.checks) {
    const auto checks = parse_checks(s.checks);
    if (!checks) refuse("kinds", s.checks, CHECK_NAMES);
    state.checks = *checks;
  }
  if (s.schedule) {
    const auto order = parse_schedule(s.schedule);
    if (!order) refuse("schedule", s.schedule, SCHEDULE_NAMES);
    state.order = *order;
  }
  state.budgets = launch_budgets();
  replace(state.budgets.instructions, s.launch_instructions,
          "cucore_checks_options.launch_instructions");
  replace(state.budgets.memory, s.launch_memory, "cucore_checks_options.launch_memory");
  replace(state.budgets.output, s.launch_output, "cucore_checks_options.launch_output");
  if (s.faults) {
    auto plan = FaultPlan::parse(s.faults);
    if (!plan) refuse("faults", s.faults, "rules such as 'allocation@3=2', separated by ';'");
    state.faults = std::move(*plan);
  }
  if (s.suppressions) state.reports.suppressions = parse_suppressions(s.suppressions);
  if (s.trace_file) state.trace = open_trace(s.trace_file);
  state.mark = LeakMark::now();
  return state;
}

Counts count_calls() {
  Counts counts(CALL_COUNT);
  for (size_t i = 0; i < CALL_COUNT; ++i) counts[i] = call_count(static_cast<CallId>(i));
  return counts;
}

void apply(const State& state) {
  enable_checks(state.checks);
  stop_at_reports(state.stop);
  set_schedule(state.order);
  set_launch_budgets(state.budgets);
  set_leak_mark(state.mark);
}

FaultPlan::State exchange_faults(FaultPlan::State next) {
  FaultPlan::State previous = FaultPlan::instance().exchange(std::move(next));
  Process::get().limit_memory(FaultPlan::instance().memory_limit());
  return previous;
}

void append_calls(std::string& json, const Counts& counts) {
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    if (json.back() != '{') json += ',';
    json += '"' + std::string(call_info(static_cast<CallId>(i)).name) +
            "\":" + std::to_string(counts[i]);
  }
}

Counts since(const Counts& start) {
  Counts counts = count_calls();
  for (size_t i = 0; i < counts.size(); ++i) counts[i] -= start[i] <= counts[i] ? start[i] : 0;
  return counts;
}

Results results_so_far(const Session& s) {
  return {Reports::instance().contents(), s.has_faults ? FaultPlan::instance().struck() : 0,
          since(s.calls), random_text(schedule())};
}

}  // namespace

void wait_for_all_work() {
  require(life() == Life::READY, CUDA_ERROR_NOT_INITIALIZED);
  require(!in_callback(), CUDA_ERROR_NOT_PERMITTED);
  for (const auto& object : Registry::instance().all(ObjectKind::CONTEXT)) {
    auto& context = static_cast<Context&>(*object);
    try {
      context.synchronize();
    } catch (const Failure&) {
    }
  }
}

bool is_session_running() { return session().running.load(std::memory_order_acquire); }

void begin_session(const SessionSettings& settings) {
  wait_for_all_work();
  Session& s = session();
  std::lock_guard lock(s.mutex);
  require(!s.running, CUDA_ERROR_ILLEGAL_STATE);
  State wanted = parse(settings);
  Counts calls = count_calls();
  AddressSpace::instance().forget_accesses();
  s.outside = {enabled_checks(),
               stops_at_reports(),
               schedule(),
               launch_budgets(),
               {},
               -1,
               Reports::instance().exchange(std::move(wanted.reports)),
               {}};
  s.has_faults = settings.faults != nullptr;
  s.has_trace = settings.trace_file != nullptr;
  s.last = {};
  s.calls = std::move(calls);
  s.running.store(true, std::memory_order_release);
  apply(wanted);
  if (s.has_trace) s.outside.trace = Trace::instance().exchange(wanted.trace);
  if (s.has_faults) s.outside.faults = exchange_faults(std::move(wanted.faults));
}

void end_session() {
  wait_for_all_work();
  Session& s = session();
  std::lock_guard lock(s.mutex);
  require(s.running, CUDA_ERROR_ILLEGAL_STATE);
  report_live_objects();
  s.last = results_so_far(s);
  if (s.has_faults) exchange_faults(std::move(s.outside.faults));
  if (s.has_trace) close(Trace::instance().exchange(s.outside.trace));
  apply(s.outside);
  Reports::instance().exchange(std::exchange(s.outside.reports, {}));
  s.running.store(false, std::memory_order_release);
}

std::string session_json() {
  Session& s = session();
  std::lock_guard lock(s.mutex);
  const Results results = s.running ? results_so_far(s) : s.last;
  std::string json = "{\"dropped\":" + std::to_string(results.reports.dropped) +
                     ",\"faults\":" + std::to_string(results.faults) + ",\"calls\":{";
  append_calls(json, results.calls);
  json += '}';
  if (!results.schedule.empty()) json += ",\"schedule\":\"" + results.schedule + '"';
  return json + "}\n" + results.reports.json_lines();
}

}  // namespace cucore::cpu
