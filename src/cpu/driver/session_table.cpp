// SPDX-License-Identifier: Apache-2.0
// The functions of the table of sessions.
#include "cpu/driver/session_table.hpp"

#include "cpu/driver/api.hpp"
#include "cpu/driver/calls.hpp"
#include "cpu/driver/check_session.hpp"
#include "cpu/driver/control.hpp"
#include "cpu/driver/failure.hpp"
#include "cpu/driver/registry.hpp"

namespace cucore::cpu {
namespace {

CUresult begin(const char* checks, int stop, const char* schedule, const char* faults,
               const char* trace_file) {
  return table_call([&] {
    require(stop == 0 || stop == 1);
    note_load_log("");
    begin_session({checks, stop != 0, schedule, faults, trace_file, 0, 0, 0, nullptr});
  });
}

CUresult begin_with(const cucore_cpu_session_settings* s) {
  return table_call([&] {
    note_load_log("");
    constexpr size_t WITHOUT_SUPPRESSIONS = offsetof(cucore_cpu_session_settings, suppressions);
    require(s && (s->size == sizeof *s || s->size == WITHOUT_SUPPRESSIONS));
    require(s->reserved == 0 && (s->stop == 0 || s->stop == 1));
    begin_session({s->checks, s->stop != 0, s->schedule, s->faults, s->trace_file,
                   s->launch_instructions, s->launch_memory, s->launch_output,
                   s->size == sizeof *s ? s->suppressions : nullptr});
  });
}

CUresult end() {
  return table_call([] { end_session(); });
}

CUresult json(char* buffer, size_t capacity, size_t* length) {
  return table_call([&] { copy_text(session_json(), buffer, capacity, length); });
}

CUresult wait() {
  return table_call([] { wait_for_all_work(); });
}

CUresult keep(const void* handle) {
  return table_call(
      [&] { require(Registry::instance().keep(reinterpret_cast<uint64_t>(handle))); });
}

}  // namespace

const cucore_cpu_sessions& session_table() {
  static const cucore_cpu_sessions table = {sizeof(cucore_cpu_sessions),   begin, end,  json,
                                            control_table().last_load_log, wait,  keep, begin_with};
  return table;
}

}  // namespace cucore::cpu
