// SPDX-License-Identifier: Apache-2.0
#include "core/checks/checks.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "capi/guard.hpp"
#include "core/compile/file.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

using namespace cucore::capi;
using cucore::concat;
using cucore::Error;
using cucore::Status;
namespace core = cucore::core;

namespace {

constexpr size_t FIRST_CHECKS_OPTIONS = offsetof(cucore_checks_options, reserved) + sizeof(int32_t);
constexpr size_t FIRST_REPORT_INFO =
    offsetof(cucore_checks_report_info, reserved) + sizeof(int32_t);

bool is_given(const char* text) { return text && *text; }

std::string read_kinds(const cucore_checks_options& options) {
  const std::string kinds = is_given(options.kinds) ? options.kinds : "all";
  return kinds == "none" ? std::string() : kinds;
}

std::optional<std::string> read_schedule(const cucore_checks_options& options) {
  const std::string schedule = is_given(options.schedule) ? options.schedule : "";
  if (schedule == "random" && options.seed != 0) return concat("random:", options.seed);
  if (options.seed != 0)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_checks_options.seed is ", options.seed,
                       "; expected 0 unless cucore_checks_options.schedule is random"));
  return schedule.empty() ? std::nullopt : std::optional(schedule);
}

std::optional<std::string> read_text(const char* text) {
  return is_given(text) ? std::optional<std::string>(text) : std::nullopt;
}

void add_rules(cucore::Suppressions& suppressions, std::string_view text,
               const std::string& origin) {
  if (const auto wrong = suppressions.add(text))
    throw Error(Status::INVALID_ARGUMENT, concat(origin, ":", wrong->number, " ", wrong->reason));
}

cucore::Suppressions read_suppressions(const cucore_checks_options& options) {
  cucore::Suppressions suppressions;
  if (is_given(options.suppressions))
    add_rules(suppressions, options.suppressions, "cucore_checks_options.suppressions");
  for (const std::string& file :
       require_strings(options.suppression_files, options.suppression_file_count,
                       "cucore_checks_options.suppression_files")) {
    const auto bytes = core::read_file(file);
    add_rules(suppressions, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
  }
  return suppressions;
}

core::ChecksOptions read(const cucore_checks_options* given) {
  const auto options = cucore::read_options(given, FIRST_CHECKS_OPTIONS, "cucore_checks_options");
  require_flag(options.stop_at_report, "cucore_checks_options.stop_at_report");
  require_zero(options.reserved, "cucore_checks_options.reserved");
  return {.kinds = read_kinds(options),
          .schedule = read_schedule(options),
          .faults = read_text(options.faults),
          .trace_file = read_text(options.trace_file),
          .suppressions = read_suppressions(options),
          .stop_at_report = options.stop_at_report != 0,
          .launch_instructions = options.launch_instructions,
          .launch_memory = options.launch_memory,
          .launch_output = options.launch_output};
}

cucore_checks_report_info to_c(const core::CheckReport& r) {
  cucore_checks_report_info info = CUCORE_CHECKS_REPORT_INFO_INIT;
  info.kind = r.kind.c_str();
  info.kernel = r.kernel.c_str();
  info.message = r.message.c_str();
  info.file = r.file.c_str();
  info.space = r.space.c_str();
  info.allocated_by = r.allocated_by.c_str();
  info.freed_by = r.freed_by.c_str();
  info.other = r.other.c_str();
  info.other_file = r.other_file.c_str();
  info.schedule = r.schedule.c_str();
  info.text = r.text.c_str();
  info.json = r.json.c_str();
  info.address = r.address;
  info.size = r.size;
  info.allocation = r.allocation;
  info.allocation_size = r.allocation_size;
  info.seed = r.seed;
  info.times = r.count;
  info.line = r.line;
  info.ptx_line = r.ptx_line;
  info.other_line = r.other_line;
  info.other_ptx_line = r.other_ptx_line;
  std::copy_n(r.block, 3, info.block);
  std::copy_n(r.thread, 3, info.thread);
  info.has_thread = r.has_thread;
  return info;
}

const core::CheckReport& report_at(const core::Checks& checks, size_t index) {
  const auto& reports = checks.last().reports;
  if (index < reports.size()) return reports[index];
  throw Error(Status::INVALID_ARGUMENT, concat("index is ", index, "; the checks have ",
                                               cucore::counted(reports.size(), "report")));
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_checks_create(const cucore_checks_options* options,
                                              cucore_checks** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    *out = wrap(core::Checks::start(read(options)));
  });
}

CUCORE_API cucore_checks* cucore_checks_retain(const cucore_checks* checks) {
  return retain(checks);
}

CUCORE_API void cucore_checks_release(cucore_checks* checks) { release(checks); }

CUCORE_API cucore_status cucore_checks_query(const cucore_checks* checks, size_t* report_count,
                                             cucore_error** error) {
  return guard(error, [&] {
    clear(report_count);
    core::Checks& self = use(checks, "checks");
    *require(report_count, "report_count") = self.query();
  });
}

CUCORE_API cucore_status cucore_checks_end(const cucore_checks* checks, cucore_error** error) {
  return guard(error, [&] { use(checks, "checks").end(); });
}

CUCORE_API cucore_status cucore_checks_verify(const cucore_checks* checks, cucore_error** error) {
  return guard(error, [&] { use(checks, "checks").verify(); });
}

CUCORE_API int32_t cucore_checks_is_running(const cucore_checks* checks) {
  const auto* self = peek(checks);
  return self && self->is_running();
}

CUCORE_API size_t cucore_checks_report_count(const cucore_checks* checks) {
  const auto* self = peek(checks);
  return self ? self->last().reports.size() : 0;
}

CUCORE_API cucore_status cucore_checks_report_at(const cucore_checks* checks, size_t index,
                                                 cucore_checks_report_info* out,
                                                 cucore_error** error) {
  return guard(error, [&] {
    cucore::clear_info(require(out, "out"), FIRST_REPORT_INFO);
    cucore::write_info(out, to_c(report_at(use(checks, "checks"), index)), FIRST_REPORT_INFO,
                       "cucore_checks_report_info");
  });
}

CUCORE_API const char* cucore_checks_text(const cucore_checks* checks) {
  const auto* self = peek(checks);
  return self ? self->last().text.c_str() : "";
}

CUCORE_API const char* cucore_checks_json(const cucore_checks* checks) {
  const auto* self = peek(checks);
  return self ? self->last().json.c_str() : "";
}

CUCORE_API const char* cucore_checks_schedule(const cucore_checks* checks) {
  const auto* self = peek(checks);
  return self ? self->last().schedule.c_str() : "";
}

CUCORE_API uint64_t cucore_checks_fault_count(const cucore_checks* checks) {
  const auto* self = peek(checks);
  return self ? self->last().faults : 0;
}

CUCORE_API cucore_status cucore_checks_call_count(const cucore_checks* checks, const char* name,
                                                  uint64_t* out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    core::Checks& self = use(checks, "checks");
    require(name, "name");
    *require(out, "out") = self.last().call_count(name);
  });
}

}  // extern "C"
