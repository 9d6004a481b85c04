// SPDX-License-Identifier: Apache-2.0
// A session of checks: settings, reports and counts of one part of a program, after which the
// previous ones return. A process has one session at a time.
#pragma once

#include <cstdint>
#include <string>

namespace cucore::cpu {

// A null text keeps the present setting.
struct SessionSettings {
  const char* checks = nullptr;
  bool stop_at_reports = false;
  const char* schedule = nullptr;
  const char* faults = nullptr;
  const char* trace_file = nullptr;
  // The budgets of each launch; 0 keeps the present one.
  uint64_t launch_instructions = 0;
  uint64_t launch_memory = 0;
  uint64_t launch_output = 0;
  const char* suppressions = nullptr;
};

// Both wait for the work of all contexts. Throws ILLEGAL_STATE if a session is running, and
// INVALID_VALUE for a wrong setting; last_load_log() then returns the reason.
void begin_session(const SessionSettings& settings);
// Keeps the session's reports until the next one begins. Throws ILLEGAL_STATE if none is running.
void end_session();

bool is_session_running();

// Waits for the work of all contexts. A fault of a context is one of the reports.
void wait_for_all_work();

// Returns the results of the session that is running, else of the last one, as lines of JSON. The
// first line has the numbers of dropped reports, of injected faults and of calls by name, and a
// random schedule with its seed.
std::string session_json();

}  // namespace cucore::cpu
