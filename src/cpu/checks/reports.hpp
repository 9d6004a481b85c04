// SPDX-License-Identifier: Apache-2.0
// The reports of the checks: bounded in number, one per kind and instruction, as text and as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace cucore {
class Suppressions;
}  // namespace cucore

namespace cucore::cpu {

enum class ReportKind : uint8_t {
  OUT_OF_BOUNDS,
  USE_AFTER_FREE,
  MISALIGNED,
  UNINITIALISED,
  SHARED_RACE,
  GLOBAL_RACE,
  BARRIER_DIVERGENCE,
  DEADLOCK,
  STREAM_RACE,
  HOST_RACE,
  LEAK,
  WGMMA,
  DOUBLE_FREE,
  FAULT,  // any other end of a launch
};
const char* kind_name(ReportKind kind);

// A position in a kernel: "saxpy.cu", 12, PTX line 42. Source line 0: without line information.
struct Place {
  std::string file;
  uint32_t line = 0;
  uint32_t ptx_line = 0;
  std::string text() const;  // "saxpy.cu:12 (PTX line 42)"
};

inline constexpr const char* UNORDERED_STREAMS =
    "without an event or a synchronisation between the streams";

inline constexpr const char* UNORDERED_HOST = "without a wait of the host for this work";

struct Report {
  ReportKind kind = ReportKind::FAULT;
  std::string kernel;  // its bare name; or "cuMemcpyDtoH_v2 call 3", the work of the driver
  bool is_kernel = false;
  std::string message;
  Place place;
  bool has_thread = false;
  uint32_t block[3] = {};
  uint32_t thread[3] = {};
  std::string space;  // "shared", "local", "global"; empty: no access
  uint64_t address = 0;
  uint64_t size = 0;
  // The allocation: "cuMemAlloc_v2 call 3"; size 0: none.
  uint64_t allocation = 0, allocation_size = 0;
  std::string allocated_by, freed_by;
  // The other access of a race, "block (0,0,0) thread (63,0,0) wrote it", and what would order
  // both.
  std::string other;
  Place other_place;
  std::string missing;  // "without a synchronisation"
  std::string schedule;
  uint64_t count = 1;

  void add_allocation();  // that contains the address, or is near it
  std::string text() const;
  std::string json() const;
};

class Reports {
 public:
  struct Contents {
    std::vector<Report> reports;
    std::map<std::string, size_t> index;
    uint64_t dropped = 0;
    size_t taken = 0;
    std::shared_ptr<const Suppressions> suppressions;  // of new reports; nullptr: none

    std::string json_lines() const;  // each report as an object on a line
  };

  static Reports& instance();
  // Replaces all reports and returns the previous ones.
  Contents exchange(Contents next);
  // Adds a report that no suppression matches, or counts it if there is one of its kind and place.
  void add(Report report);
  void suppress(std::shared_ptr<const Suppressions> suppressions);
  bool suppresses(const Report& report) const;
  void clear();  // keeps the suppressions
  size_t size() const;
  std::string text() const;
  std::string json() const;
  Contents contents() const;
  // Returns the text of the reports since the last call.
  std::string take_new_text();

 private:
  mutable std::mutex mutex_;
  Contents now_;
};

}  // namespace cucore::cpu
