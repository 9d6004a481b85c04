// SPDX-License-Identifier: Apache-2.0
// The reports of a session of checks, read from the JSON of the CPU device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cucore {
class Suppressions;
}  // namespace cucore

namespace cucore::core {

// The fields of cucore_checks_report_info.
struct CheckReport {
  std::string kind, kernel, message, file, space, allocated_by, freed_by, other, other_file;
  std::string schedule, text, json;
  uint64_t address = 0, size = 0, allocation = 0, allocation_size = 0, seed = 0, count = 0;
  int32_t line = 0, ptx_line = 0, other_line = 0, other_ptx_line = 0;
  uint32_t block[3] = {}, thread[3] = {};
  bool has_thread = false;
};

struct CheckReports {
  std::vector<CheckReport> reports;  // without suppressed ones
  std::string text;                  // one line per report
  std::string schedule;              // "random:7"; "" for another order
  std::string json = "{\"reports\":[],\"dropped\":0}";
  uint64_t faults = 0;
  std::map<std::string, uint64_t, std::less<>> calls;

  // `name` may be "cuMemAlloc_v2", or "cuMemAlloc" for all versions.
  uint64_t call_count(std::string_view name) const;
};

// Reads lines of JSON, as the device's session_table.hpp describes them.
CheckReports parse_reports(std::string_view lines, const Suppressions& suppressions);

}  // namespace cucore::core
