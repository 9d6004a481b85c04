// SPDX-License-Identifier: Apache-2.0
// The functions of the control table.
#include "cpu/driver/control.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "cpu/checks/check_set.hpp"
#include "cpu/checks/reports.hpp"
#include "cpu/driver/allocations.hpp"
#include "cpu/driver/calls.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/fault_plan.hpp"
#include "cpu/driver/leaks.hpp"
#include "cpu/driver/process.hpp"
#include "cpu/driver/thread_state.hpp"
#include "cpu/exec/output.hpp"

namespace cucore::cpu {
namespace {

constexpr const char* KIND_NAMES[OBJECT_KINDS] = {
    "none",      "contexts",         "streams",     "events",       "modules",
    "functions", "libraries",        "kernels",     "pools",        "links",
    "arrays",    "mipmapped arrays", "textures",    "surfaces",     "physical_memories",
    "graphs",    "graph_nodes",      "executables", "user_objects", "external_semaphores"};

void field(std::string& json, const char* name, uint64_t value) {
  if (json.back() != '{') json += ',';
  json += '"' + std::string(name) + "\":" + std::to_string(value);
}

void open_object(std::string& json, const char* name) {
  if (json.back() != '{') json += ',';
  json += '"' + std::string(name) + "\":{";
}

void calls(std::string& json, bool implemented, const char* name) {
  open_object(json, name);
  for (size_t i = 0; i < CALL_COUNT; ++i) {
    auto id = static_cast<CallId>(i);
    bool wanted = call_info(id).implemented == implemented && call_count(id);
    if (wanted) field(json, call_info(id).name, call_count(id));
  }
  json += '}';
}

void objects(std::string& json, const std::array<uint64_t, OBJECT_KINDS>& counts) {
  for (size_t kind = 1; kind < OBJECT_KINDS; ++kind) field(json, KIND_NAMES[kind], counts[kind]);
}

std::string report_text() {
  std::string json = "{";
  calls(json, true, "calls");
  calls(json, false, "unsupported_calls");
  open_object(json, "live");
  objects(json, Registry::instance().live());
  Allocations::Leak live = Allocations::instance().live();
  field(json, "allocations", live.count);
  field(json, "bytes", live.bytes);
  field(json, "mappings", Allocations::instance().mapping_count());
  field(json, "reservations", AddressSpace::instance().reserved().count);
  json += '}';
  LeakTotals leaks = leak_totals();
  open_object(json, "leaked");
  field(json, "contexts_ended", leaks.contexts_closed);
  objects(json, leaks.handles);
  field(json, "allocations", leaks.allocations);
  field(json, "bytes", leaks.bytes);
  return json + "}}";
}

CUresult set_fault_plan(const char* plan) {
  return table_call([&] {
    require(plan && FaultPlan::instance().set(plan));
    if (life() == Life::READY) Process::get().limit_memory(FaultPlan::instance().memory_limit());
  });
}

CUresult last_fault_text(CUcontext handle, char* buffer, size_t capacity, size_t* length) {
  return table_call([&] {
    auto context =
        handle ? lookup<Context>(handle, CUDA_ERROR_INVALID_CONTEXT) : current_context_unchecked();
    require(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    copy_text(context->fault_text(), buffer, capacity, length);
  });
}

CUresult report(char* buffer, size_t capacity, size_t* length) {
  return table_call([&] { copy_text(report_text(), buffer, capacity, length); });
}

CUresult reset_report() {
  return table_call([] {
    reset_call_counts();
    reset_leak_totals();
  });
}

uint64_t count_calls(const char* name) {
  if (!name) return 0;
  uint64_t sum = 0;
  for (size_t i = 0; i < CALL_COUNT; ++i) {
    auto id = static_cast<CallId>(i);
    const CallInfo& info = call_info(id);
    if (!std::strcmp(info.name, name) || !std::strcmp(info.base, name)) sum += call_count(id);
  }
  return sum;
}

CUresult flush_all() {
  return table_call([] {
    require(life() == Life::READY, CUDA_ERROR_NOT_INITIALIZED);
    Output::flush_all();
  });
}

CUresult last_load_log(char* buffer, size_t capacity, size_t* length) {
  return table_call([&] { copy_text(thread_state().load_log, buffer, capacity, length); });
}

CUresult last_failure(char* buffer, size_t capacity, size_t* length) {
  return table_call([&] { copy_text(thread_state().failure, buffer, capacity, length); });
}

CUresult set_checks(const char* checks, int stop) {
  return table_call([&] {
    const auto set = checks ? parse_checks(checks) : std::nullopt;
    require(set.has_value() && (stop == 0 || stop == 1));
    enable_checks(*set);
    stop_at_reports(stop != 0);
  });
}

CUresult replace_schedule(const char* text) {
  return table_call([&] {
    const auto schedule = text ? parse_schedule(text) : std::nullopt;
    require(schedule.has_value());
    set_schedule(*schedule);
  });
}

CUresult check_text(char* buffer, size_t capacity, size_t* length) {
  return table_call([&] { copy_text(Reports::instance().text(), buffer, capacity, length); });
}

CUresult check_json(char* buffer, size_t capacity, size_t* length) {
  return table_call([&] { copy_text(Reports::instance().json(), buffer, capacity, length); });
}

uint64_t check_count() { return Reports::instance().size(); }

CUresult clear_checks() {
  return table_call([] { Reports::instance().clear(); });
}

}  // namespace

void copy_text(const std::string& text, char* buffer, size_t capacity, size_t* length) {
  if (length) *length = text.size();
  if (!buffer || capacity == 0) return;
  size_t n = std::min(text.size(), capacity - 1);
  std::memcpy(buffer, text.data(), n);
  buffer[n] = 0;
}

void note_load_log(const std::string& log) { thread_state().load_log = log; }

const cucore_cpu_control& control_table() {
  static const cucore_cpu_control table = {sizeof(cucore_cpu_control),
                                           set_fault_plan,
                                           last_fault_text,
                                           report,
                                           reset_report,
                                           count_calls,
                                           flush_all,
                                           last_load_log,
                                           set_checks,
                                           replace_schedule,
                                           check_text,
                                           check_json,
                                           check_count,
                                           clear_checks,
                                           trace_begin,
                                           trace_end,
                                           trace_free,
                                           trace_launch,
                                           last_failure};
  return table;
}

}  // namespace cucore::cpu
