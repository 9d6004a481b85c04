// SPDX-License-Identifier: Apache-2.0
// The named ranges of a session. They nest by thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perf/profile/report_data.hpp"

namespace cucore::perf {

// Returns a number that no other thread of the process has, or has had. The system uses the id of a
// thread that has ended again.
uint64_t number_of_this_thread();

// The caller guards it by a lock. It keeps at most `max_ranges` ranges of different names. Later
// ones have no row, and their calls count in the range around them.
class RangeTable {
 public:
  explicit RangeTable(size_t max_ranges = SIZE_MAX);

  // Times are seconds since the begin of the session.
  void begin(const std::string& name, double now);
  // Ends the innermost range of the thread. Returns its record if it has a row.
  // @throws Error INVALID_STATE if the thread has no range
  std::optional<TimelineRecord> end(double now);
  // Ends all ranges of all threads.
  void end_all(double now);

  // Adds a range of another source that has ended, inside the range `parent`. `thread` is a number
  // of the system; 0: none. Returns its record if it has a row.
  std::optional<TimelineRecord> add(size_t parent, const std::string& name, uint32_t thread,
                                    double begin, double end);

  // Sets the counters of a range inside the innermost one of this thread.
  void set_counters(const std::string& name, std::map<std::string, double> counters);

  // Returns the innermost range of this thread that has a row; 0: the session.
  size_t innermost();
  // Counts calls in a range.
  void add_calls(size_t range, size_t entry, uint64_t calls);

  // Returns the ranges, with the session at index 0.
  const std::vector<ReportRange>& ranges() const { return ranges_; }
  // Returns for each range the calls in it and in those inside it, by entry.
  using EntryCalls = std::map<size_t, uint64_t>;
  std::vector<EntryCalls> calls() const;
  // Returns how many times ranges without a row began.
  uint64_t dropped() const { return dropped_; }

 private:
  struct Open {
    size_t range;  // the range, or the one around it
    double begin;
    bool has_row;
  };
  struct Thread {
    uint64_t number = 0;
    std::vector<Open> open;
  };
  Thread& of_this_thread();
  // Returns the range of a name inside another one, or nothing at the limit.
  std::optional<size_t> find(size_t parent, const std::string& name);
  // The same inside the innermost range of the thread.
  std::optional<size_t> find_inside(const Thread& thread, const std::string& name);
  uint64_t number_of(uint32_t thread);

  const size_t max_ranges_;
  uint64_t dropped_ = 0;
  std::vector<ReportRange> ranges_;
  std::map<std::pair<size_t, std::string>, size_t> indices_;  // by parent and name
  std::vector<std::map<size_t, uint64_t>> calls_;  // of each range without those inside it
  std::map<uint64_t, Thread> threads_;             // by number_of_this_thread()
  std::map<uint32_t, uint64_t> numbers_;           // of threads, by that of the system
};

}  // namespace cucore::perf
