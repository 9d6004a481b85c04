// SPDX-License-Identifier: Apache-2.0
// One session of a profiler: an observer that counts and samples the operations of the process.
#pragma once

#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "perf/cupti/cupti_failure.hpp"
#include "perf/profile/activity_times.hpp"
#include "perf/profile/compiled_programs.hpp"
#include "perf/profile/counted_launches.hpp"
#include "perf/profile/cpu_counts.hpp"
#include "perf/profile/event_times.hpp"
#include "perf/profile/launch_table.hpp"
#include "perf/profile/modelled_rows.hpp"
#include "perf/profile/operation_totals.hpp"
#include "perf/profile/range_table.hpp"
#include "perf/profile/thread_launches.hpp"
#include "perf/profile/timing_budget.hpp"

namespace cucore::perf {

struct ProfilerOptions {
  ProfileSource source = ProfileSource::AUTO;
  double overhead = 0.02;      // fraction of the time that timing may take
  size_t max_records = 65536;  // of the timeline, and launches that are counted one by one
  bool timeline = false;
  ModelUse model = ModelUse::AUTO;
  bool may_compile = true;        // for the model, when the report is made
  DeviceOwner device;             // null: all devices
  CounterRequest counters;        // of the hardware
  uint32_t counted_launches = 5;  // of each kernel and geometry
  // Called once CUPTI is open, and again after the first operation that it records. CUPTI ends at
  // the exit of the process before what was to be called there earlier.
  void (*on_cupti)() = nullptr;
};

// A part of a range: the calls of one row of the report.
struct RangeCalls {
  size_t kernel = 0;
  uint64_t calls = 0;
};

struct SessionResult {
  ReportData data;
  std::vector<std::vector<RangeCalls>> calls;  // by range
  DeviceOwner device;                          // that data.machine describes; null: none was used
};

using ObserverOwner =
    client::Native<cucore_observer, cucore_observer_retain, cucore_observer_release>;

class Session {
 public:
  // Begins. With `is_lazy` the driver is used only after the first operation of the program has
  // used it. @throws Error UNSUPPORTED for EMULATED without the CPU device
  Session(const ProfilerOptions& options, LaunchTable::Declarations declarations, bool is_lazy);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // For kernels that the session has not seen yet. Returns the earlier declaration, which the
  // caller ends without a lock.
  std::shared_ptr<const Declaration> declare(const std::string& kernel,
                                             std::shared_ptr<const Declaration> declaration);
  void begin_range(const std::string& name);
  void end_range();
  // Runs the work again for the counters of a range, if the session has such. The operations of all
  // threads meanwhile are not recorded.
  void count_range(const std::string& name, const cucore_device* device,
                   const std::function<void()>& work);
  // Ends the session, after all timed work. If the devices have work for longer than `most_wait`
  // seconds, it takes what is complete. Call once.
  SessionResult end(double most_wait = std::numeric_limits<double>::infinity());

 private:
  using Clock = std::chrono::steady_clock;
  struct InFlight;
  struct LastWait;

  static void on_begin(const cucore_operation* operation, void** state, void* session);
  static void on_end(const cucore_operation* operation, void** state, void* session);
  InFlight& take_flight();
  void begin(const cucore_operation& operation, void** state, double start);
  bool begin_other(const cucore_operation& operation, InFlight& flight);
  void end(const cucore_operation& operation, InFlight& flight, double now_of_end);
  void add(const cucore_operation& operation, InFlight& flight, double now_of_end);
  void add_other(const cucore_operation& operation, const InFlight& flight, double ended);

  // Launches. Most of them are only counted, by the core.
  ThreadLaunches* known_launches_of_this_thread() const;
  LaunchRow* find_counted(const cucore_operation& operation) const;
  void set_tally(const cucore_operation& launch, LaunchRow& row) const;
  ThreadLaunches& launches_of_this_thread();
  LaunchRow& find_row(const cucore_operation& launch);
  bool look_at(const cucore_operation& launch, InFlight& flight);
  double spacing_after(const LaunchRow& row, double interval) const;
  void add_launch(const cucore_operation& launch, const InFlight& flight);
  void add_thread_launches();

  bool is_of_interest(const cucore_operation& operation) const;
  void choose_source(const cucore_device* device);
  void choose_late(const cucore_device* device);
  bool wants_counters() const;
  void open_counters(const cucore_device* device);
  bool open_activity();
  void tell_of_cupti() const {
    if (options_.on_cupti) options_.on_cupti();
  }
  void record_graphs(const cucore_device* device);
  bool lose_counters(const cucore_operation& launch, const InFlight& flight);
  void begin_timing(const cucore_operation& operation, InFlight& flight);
  void take_first_times();
  bool awaits_time(uint64_t begun, const CallTimes& times) const;
  void finish_activity(bool is_complete);
  std::vector<DeviceOwner> devices_of_launches() const;
  std::shared_ptr<LastWait> wait_for_devices(double most_wait);
  void add_activity_operations();
  void place_activity(std::vector<KernelRow>& rows, double offset);
  void add_missing_of_graphs(std::vector<MissingPart>& parts) const;
  bool has_times() const;
  bool wants_time(const cucore_operation& operation, double spacing, uint64_t begun,
                  const CallTimes& times) const;
  void apply(const std::vector<EventTime>& times);
  void add_record(TimelineRecord record);
  void add_missing();
  void add_missing_of_cpu_device();
  double now() const;

  // Each operation reads these, so the following are in other lines of the cache.
  const uint64_t number_;                  // of all sessions of the process, from 1 on
  std::atomic<bool> is_repeating_{false};  // a work, for counters
  alignas(64) const ProfilerOptions options_;
  const Clock::time_point begin_;
  std::atomic<bool> is_chosen_{false};  // the source
  ProfileSource source_ = ProfileSource::EVENTS;
  EventTimes events_;
  std::unique_ptr<CpuCounts> counts_;
  std::unique_ptr<CountedLaunches> counted_;        // null: no hardware counters
  std::atomic<ActivityTimes*> recording_{nullptr};  // activity_, without the lock
  std::atomic<bool> has_seen_graph_{false};
  bool has_recorded_ = false;      // an operation, by CUPTI
  std::atomic<int64_t> spent_{0};  // nanoseconds in the observer
  std::atomic<uint64_t> lost_{0};  // operations that could not be recorded

  std::mutex mutex_;  // guards the following
  DeviceOwner first_device_;
  LaunchTable::Declarations declarations_;
  LaunchTable launches_;
  RangeTable ranges_{options_.max_records};
  OperationTable operations_;
  CompiledPrograms programs_;
  std::vector<TimelineRecord> records_;
  uint64_t dropped_records_ = 0;
  std::vector<MissingPart> missing_;
  std::unique_ptr<ActivityTimes> activity_;  // null: no records of CUPTI
  std::optional<CuptiFailure> activity_failure_;
  TimingBudget budget_;
  std::map<uint64_t, ThreadLaunches> threads_;  // used by their threads without the lock
  double counted_launches_ = 0;                 // the launches that were only counted
  std::vector<std::unique_ptr<InFlight>> flights_;
  std::vector<InFlight*> idle_flights_;

  ObserverOwner observer_;  // ends first
};

}  // namespace cucore::perf
