// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/session.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <future>
#include <thread>
#include <utility>

#include "perf/cupti/cupti_failure.hpp"
#include "perf/profile/assemble.hpp"
#include "perf/profile/session_flight.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"
#include "support/error.hpp"

namespace cucore::perf {
namespace {

DeviceOwner open_first_device() {
  return client::created<DeviceOwner>("the profiler opens the device", cucore_device_open, 0);
}

void append(std::vector<MissingPart>& parts, std::vector<MissingPart> more) {
  for (MissingPart& part : more) parts.push_back(std::move(part));
}

// Times of other operations than launches belong to such an entry and their kind.
constexpr size_t FIRST_OTHER = SIZE_MAX / 2 + 1;

constinit std::atomic<uint64_t> sessions{0};

// The rest of the overhead is for the counting of all operations, most of all of short kernels.
constexpr double TIMING_SHARE = 0.1;
// Of a launch that is only counted, in seconds; docs/profile.md has a measurement.
constexpr double COUNTING_COST = 4e-8;

bool is_copy(cucore_operation_kind kind) {
  constexpr uint32_t KINDS = CUCORE_OPERATION_COPY | CUCORE_OPERATION_FILL |
                             CUCORE_OPERATION_WRITE | CUCORE_OPERATION_READ;
  return (KINDS & static_cast<uint32_t>(kind)) != 0;
}

}  // namespace

Session::Session(const ProfilerOptions& options, LaunchTable::Declarations declarations,
                 bool is_lazy)
    : number_(sessions.fetch_add(1, std::memory_order_relaxed) + 1),
      options_(options),
      begin_(Clock::now()),
      events_(options.timeline),
      declarations_(std::move(declarations)),
      budget_(options.overhead * TIMING_SHARE) {
  add_missing();
  if (!is_lazy || options_.source == ProfileSource::EMULATED)
    choose_source(options_.device ? options_.device.get() : open_first_device().get());
  cucore_observer_options observing = CUCORE_OBSERVER_OPTIONS_INIT;
  observing.begin = on_begin;
  observing.end = on_end;
  observing.user_data = this;
  observer_ = client::created<ObserverOwner>("the profiler creates its observer",
                                             cucore_observer_create, &observing);
}

// An observer that ends waits for its calls.
Session::~Session() = default;

double Session::now() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

void Session::add_missing() {
  const bool has_request = !options_.counters.preset.empty() || !options_.counters.metrics.empty();
  if (has_request && !wants_counters())
    missing_.push_back({"counters",
                        "The source that the profiler was created with reads no hardware counters.",
                        "Use the source COUNTERS, or AUTO."});
}

void Session::choose_source(const cucore_device* device) {
  const bool is_emulated = cucore_device_is_emulated(device) != 0;
  const bool wants_counts = options_.source == ProfileSource::EMULATED ||
                            (options_.source != ProfileSource::EVENTS && is_emulated);
  first_device_ = DeviceOwner::share(device);
  if (wants_counts) {
    if (!is_emulated)
      throw Error(Status::UNSUPPORTED, concat("the source EMULATED needs the CPU device, and ",
                                              cucore_device_name(device), " is a GPU; use EVENTS"));
    counts_ = CpuCounts::begin(
        static_cast<uint32_t>(std::clamp<size_t>(options_.max_records, 1, UINT32_MAX)),
        options_.model == ModelUse::REQUIRED);
    source_ = ProfileSource::EMULATED;
    add_missing_of_cpu_device();
  } else if (wants_counters()) {
    open_counters(device);
  } else if (options_.source == ProfileSource::ACTIVITY ||
             (options_.source == ProfileSource::AUTO && options_.timeline)) {
    if (!open_activity())
      missing_.push_back({"activity", activity_failure_->why, activity_failure_->remedy});
  }
  is_chosen_.store(true, std::memory_order_release);
}

void Session::add_missing_of_cpu_device() {
  constexpr const char* REMEDY = "Use the counts of the CPU device, which this report has.";
  if (options_.source == ProfileSource::ACTIVITY)
    missing_.push_back({"activity", "CUPTI does not record the CPU device.", REMEDY});
  if (wants_counters())
    missing_.push_back({"counters", "The CPU device has no hardware counters.", REMEDY});
}

bool Session::wants_counters() const {
  const bool has_request = !options_.counters.preset.empty() || !options_.counters.metrics.empty();
  return options_.source == ProfileSource::COUNTERS ||
         (options_.source == ProfileSource::AUTO && has_request);
}

// Without counters the report has the times of events, and the reason.
void Session::open_counters(const cucore_device* device) {
  CounterRequest request = options_.counters;
  if (request.preset.empty() && request.metrics.empty()) request.preset = "quick";
  auto counted = std::make_unique<CountedLaunches>(std::move(request), options_.counted_launches);
  try {
    counted->open(device);
    counted_ = std::move(counted);
    source_ = ProfileSource::COUNTERS;
    tell_of_cupti();
  } catch (const Error& error) {
    CuptiFailure failure = explain(error);
    missing_.push_back({"counters", std::move(failure.why), std::move(failure.remedy)});
  }
}

bool Session::is_of_interest(const cucore_operation& operation) const {
  return !options_.device || !operation.device || operation.device == options_.device.get();
}

// Call with the lock held.
Session::InFlight& Session::take_flight() {
  if (idle_flights_.empty()) {
    flights_.push_back(std::make_unique<InFlight>());
    idle_flights_.reserve(flights_.size());  // so that on_end() cannot fail
    return *flights_.back();
  }
  InFlight& flight = *idle_flights_.back();
  idle_flights_.pop_back();
  flight = {};
  return flight;
}

// A launch that is only counted, and not by the core, has its row as the state, with the lowest bit
// set.
void Session::on_begin(const cucore_operation* operation, void** state, void* session) {
  auto& self = *static_cast<Session*>(session);
  if (LaunchRow* const row = self.find_counted(*operation)) {
    *state = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(row) | COUNTED);
    return;
  }
  if (!self.is_of_interest(*operation) || self.is_repeating_) return;
  const double start = self.now();
  try {
    self.begin(*operation, state, start);
  } catch (...) {
    self.lost_.fetch_add(1, std::memory_order_relaxed);
  }
  self.spent_.fetch_add(static_cast<int64_t>((self.now() - start) * 1e9),
                        std::memory_order_relaxed);
}

void Session::on_end(const cucore_operation* operation, void** state, void* session) {
  auto& self = *static_cast<Session*>(session);
  const auto word = reinterpret_cast<uintptr_t>(*state);
  if (word & COUNTED) return reinterpret_cast<LaunchRow*>(word - COUNTED)->count(*operation);
  auto* const flight = static_cast<InFlight*>(*state);
  if (!flight) return;
  const double start = self.now();
  bool is_lost = false;
  try {
    self.end(*operation, *flight, start);
  } catch (...) {
    is_lost = true;
  }
  flight->pair.reset();
  const std::lock_guard lock(self.mutex_);
  try {
    if (!is_lost) self.add(*operation, *flight, start);
    if (flight->is_recorded && !self.has_recorded_) [[unlikely]] {
      self.has_recorded_ = true;
      self.tell_of_cupti();
    }
  } catch (...) {
    is_lost = true;
  }
  if (is_lost) self.lost_.fetch_add(1, std::memory_order_relaxed);
  self.idle_flights_.push_back(flight);
  self.spent_.fetch_add(static_cast<int64_t>((self.now() - start) * 1e9),
                        std::memory_order_relaxed);
}

// In a session that began lazily, the first operation of a device decides.
void Session::choose_late(const cucore_device* device) {
  const std::lock_guard lock(mutex_);
  if (is_chosen_.load(std::memory_order_relaxed)) return;
  try {
    choose_source(device);
  } catch (const Error& error) {
    missing_.push_back({"emulated", error.message() + ".", "End the other session first."});
    is_chosen_.store(true, std::memory_order_release);
  }
}

void Session::begin(const cucore_operation& operation, void** state, double start) {
  if (!is_chosen_.load(std::memory_order_acquire) && operation.device)
    choose_late(operation.device);
  const bool is_chosen = is_chosen_.load(std::memory_order_acquire);
  if (is_chosen && operation.kind == CUCORE_OPERATION_GRAPH_LAUNCH) record_graphs(operation.device);
  ActivityTimes* const activity = recording_.load(std::memory_order_acquire);
  const bool is_recorded = activity && !operation.captured && activity->advance(start);
  InFlight* flight = nullptr;
  bool is_timed = false;
  {
    const std::lock_guard lock(mutex_);
    *state = flight = &take_flight();
    flight->start = start;
    flight->is_recorded = is_recorded;
    is_timed = operation.kind == CUCORE_OPERATION_LAUNCH ? look_at(operation, *flight)
                                                         : begin_other(operation, *flight);
  }
  if (is_chosen && counted_ && flight->row && !operation.captured) {
    flight->is_counted = counted_->begin(operation.device, flight->row->entry);
    if (flight->is_counted) return;
    if (counted_->is_lost()) is_timed |= lose_counters(operation, *flight);
  }
  if (flight->row) set_tally(operation, *flight->row);
  if (is_timed)
    begin_timing(operation, *flight);
  else if (flight->awaits_time)
    take_first_times();
}

// Returns whether the operation is timed. Call with the lock held.
bool Session::begin_other(const cucore_operation& operation, InFlight& flight) {
  const bool has_activity = flight.is_recorded && is_copy(operation.kind);
  if (operation.captured || has_activity || !operation.stream || !is_work(operation.kind))
    return false;
  OperationTotals& totals = operations_[static_cast<uint32_t>(operation.kind)];
  budget_.add_work(operation.stream, totals.times.mean_or_zero(), flight.start);
  flight.awaits_time = awaits_time(totals.begun, totals.times);
  if (!wants_time(operation, 1, totals.begun, totals.times)) return false;
  ++totals.begun;
  return true;
}

// The counters have failed, so that events time the launches. Returns whether they time this one.
bool Session::lose_counters(const cucore_operation& launch, const InFlight& flight) {
  const std::lock_guard lock(mutex_);
  if (source_ == ProfileSource::EVENTS) return false;  // as look_at() has seen
  source_ = ProfileSource::EVENTS;
  LaunchEntry& entry = launches_[flight.row->entry];
  if (!wants_time(launch, 1, entry.begun, entry.times)) return false;
  ++entry.begun;
  return true;
}

// Call with the lock held.
bool Session::has_times() const {
  return source_ == ProfileSource::EVENTS || source_ == ProfileSource::ACTIVITY;
}

// Call with the lock held.
bool Session::awaits_time(uint64_t begun, const CallTimes& times) const {
  return has_times() && begun >= ALWAYS_TIMED && times.count() == 0;
}

// Returns whether a call is timed that stands for `spacing` calls. Call with the lock held.
bool Session::wants_time(const cucore_operation& operation, double spacing, uint64_t begun,
                         const CallTimes& times) const {
  if (!has_times()) return false;
  if (begun < ALWAYS_TIMED) return true;
  return draw(operation.sequence) < spacing * budget_.probability(times.mean()) && budget_.pays();
}

// Records the first event, after it has taken the times that have arrived.
void Session::begin_timing(const cucore_operation& operation, InFlight& flight) {
  const double start = now();
  if (const auto arrived = events_.take(operation.stream); !arrived.empty()) {
    const std::lock_guard lock(mutex_);
    apply(arrived);
  }
  flight.pair = events_.begin(operation.device, operation.stream, now());
  flight.first_event = now();
  flight.timing_cost = flight.first_event - start;
}

// Without a mean time no call is timed any more, so nothing else would take the first times.
void Session::take_first_times() {
  const auto arrived = events_.take_all();
  const std::lock_guard lock(mutex_);
  apply(arrived);
}

void Session::end(const cucore_operation& operation, InFlight& flight, double now_of_end) {
  const bool is_ok = operation.status == CUCORE_OK;
  size_t entry = FIRST_OTHER + static_cast<uint32_t>(operation.kind);
  if (operation.kind == CUCORE_OPERATION_LAUNCH) {
    if (!flight.row) return;
    flight.row->count(operation);
    entry = flight.row->entry;
    if (flight.is_counted) counted_->end(operation.device, entry, is_ok);
  }
  if (flight.pair) {
    flight.pair->is_first = flight.is_first;
    flight.pair->host = now_of_end - flight.first_event;
    if (is_ok)
      events_.end(std::move(flight.pair), operation.stream, entry);
    else
      events_.cancel(std::move(flight.pair));
    flight.timing_cost += now() - now_of_end;
  }
  const bool counts = is_ok && !operation.captured;
  if (flight.declaration && counts) flight.declared = (*flight.declaration)(operation);
}

// Adds an operation that has ended. Call with the lock held.
void Session::add(const cucore_operation& operation, InFlight& flight, double now_of_end) {
  if (flight.timing_cost > 0) budget_.add_timing(flight.timing_cost);
  if (operation.kind == CUCORE_OPERATION_LAUNCH)
    add_launch(operation, flight);
  else
    add_other(operation, flight, now_of_end);
}

void Session::add_other(const cucore_operation& operation, const InFlight& flight, double ended) {
  const auto kind = static_cast<uint32_t>(operation.kind);
  OperationTotals& totals = operations_[kind];
  totals.host += ended - flight.start;
  if (operation.status != CUCORE_OK) {
    ++totals.row.failed;
    return;
  }
  if (operation.captured)
    ++totals.row.captured;
  else
    ++totals.row.calls;
  if (operation.kind == CUCORE_OPERATION_COMPILE && options_.model != ModelUse::OFF)
    programs_.add(operation);
  if (has_bytes(operation.kind) && !operation.captured) totals.row.bytes += operation.size;
  const bool has_activity = flight.is_recorded && is_copy(operation.kind);
  if (!options_.timeline || has_activity) return;
  TimelineRecord record;
  record.kind = RecordKind::OPERATION;
  record.name = operation_name(operation.kind);
  record.start = flight.start;
  record.duration = ended - flight.start;
  if (operation.device)
    record.device = static_cast<uint32_t>(cucore_device_ordinal(operation.device));
  if (operation.stream) record.stream = cucore_stream_id(operation.stream);
  record.row = static_cast<uint32_t>(operation.kind);  // until the rows are known
  if (has_bytes(operation.kind)) record.bytes = static_cast<double>(operation.size);
  add_record(std::move(record));
}

// Call with the lock held.
void Session::add_record(TimelineRecord record) {
  if (records_.size() < options_.max_records)
    records_.push_back(std::move(record));
  else
    ++dropped_records_;
}

// Call with the lock held.
void Session::apply(const std::vector<EventTime>& times) {
  for (const EventTime& time : times) {
    if (time.entry >= FIRST_OTHER) {
      operations_[static_cast<uint32_t>(time.entry - FIRST_OTHER)].times.add(time.seconds);
      continue;
    }
    LaunchEntry& entry = launches_[time.entry];
    if (time.is_first)
      entry.first = {time.seconds, time.host, time.is_idle};
    else
      entry.times.add(time.seconds);
    if (!options_.timeline) continue;
    TimelineRecord record;
    record.name = cucore_kernel_name(entry.kernel.get());
    record.start = time.start;
    record.duration = time.seconds;
    record.device = static_cast<uint32_t>(cucore_device_ordinal(entry.device.get()));
    record.stream = time.stream;
    record.row = time.entry;
    add_record(std::move(record));
  }
}

std::shared_ptr<const Declaration> Session::declare(
    const std::string& kernel, std::shared_ptr<const Declaration> declaration) {
  const std::lock_guard lock(mutex_);
  return std::exchange(declarations_[kernel], std::move(declaration));
}

void Session::begin_range(const std::string& name) {
  const std::lock_guard lock(mutex_);
  ranges_.begin(name, now());
  launches_of_this_thread().set_range(ranges_.innermost());
}

void Session::end_range() {
  const std::lock_guard lock(mutex_);
  std::optional<TimelineRecord> record = ranges_.end(now());
  launches_of_this_thread().set_range(ranges_.innermost());
  if (options_.timeline && record) add_record(std::move(*record));
}

void Session::count_range(const std::string& name, const cucore_device* device,
                          const std::function<void()>& work) {
  if (!is_chosen_.load(std::memory_order_acquire) || !counted_) return;
  std::map<std::string, double> counters;
  is_repeating_ = true;
  try {
    counters = counted_->count_range(device, work);
  } catch (...) {
    is_repeating_ = false;
    throw;
  }
  is_repeating_ = false;
  const std::lock_guard lock(mutex_);
  ranges_.set_counters(name, std::move(counters));
}

// Waits for the work of the devices have no limit, so another thread does them. It may go on after
// the session, and uses this alone.
struct Session::LastWait {
  std::vector<DeviceOwner> devices;
  ActivityTimes* activity = nullptr;
  CpuCounts* counts = nullptr;
  std::vector<KernelRow> rows;  // of the counts
  uint64_t uncounted = 0;
  std::exception_ptr failure;
  std::promise<void> end;

  void run() noexcept {
    try {
      if (activity) activity->wait(devices);
      if (counts) rows = counts->end(uncounted);
    } catch (...) {
      failure = std::current_exception();
    }
    end.set_value();
  }
};

// Returns what the end of the work has made; null if the work takes longer than this.
std::shared_ptr<Session::LastWait> Session::wait_for_devices(double most_wait) {
  const auto wait = std::make_shared<LastWait>();
  {
    const std::lock_guard lock(mutex_);
    wait->activity = activity_.get();
    wait->counts = counts_.get();
    if (activity_) wait->devices = devices_of_launches();
  }
  if (std::isinf(most_wait) || (!wait->activity && !wait->counts)) {
    wait->run();
    return wait;
  }
  std::future<void> end = wait->end.get_future();
  std::thread thread([wait] { wait->run(); });
  const std::chrono::duration<double> limit(most_wait);
  const bool has_ended = end.wait_for(limit) == std::future_status::ready;
  has_ended ? thread.join() : thread.detach();
  return has_ended ? wait : nullptr;
}

SessionResult Session::end(double most_wait) {
  observer_ = {};
  const double ended = now();
  const std::shared_ptr<LastWait> work = wait_for_devices(most_wait);
  if (work && work->failure) std::rethrow_exception(work->failure);
  const std::lock_guard lock(mutex_);
  add_thread_launches();
  finish_activity(work != nullptr);
  const std::vector<EventTime> last = events_.finish(ended + most_wait - now());
  const bool is_complete = work && events_.late() == 0;
  apply(last);
  launches_.add_first_times();
  ranges_.end_all(ended);
  const uint64_t uncounted = work ? work->uncounted : 0;
  std::vector<KernelRow> counted;
  if (work) counted = std::move(work->rows);
  if (!work) (void)counts_.release();  // the other thread uses them

  SessionParts parts{launches_.entries(), counted, ranges_, records_, operations_, programs_};
  parts.model = options_.model;
  parts.may_compile = options_.may_compile;
  parts.may_wait = is_complete;
  parts.device = first_device_ ? first_device_.get() : nullptr;
  for (const LaunchEntry& entry : launches_.entries())
    if (!parts.device) parts.device = entry.device.get();
  parts.adjust = [&](std::vector<KernelRow>& rows, double offset) {
    if (activity_) place_activity(rows, offset);
    if (counted_)
      for (const auto& [entry, counts] : counted_->counts()) apply_counts(rows[entry], counts);
  };
  SessionResult result = assemble(parts, source_);
  ReportData& data = result.data;
  if (counted_) append(data.missing, counted_->missing());
  if (activity_) append(data.missing, activity_->missing());
  add_missing_of_graphs(data.missing);
  data.seconds = ended;
  const double spent = 1e-9 * static_cast<double>(spent_) + COUNTING_COST * counted_launches_;
  data.overhead = {options_.overhead, ended > 0 ? spent / ended : 0};
  data.missing.insert(data.missing.begin(), missing_.begin(), missing_.end());
  if (const uint64_t lost = lost_.load(); lost != 0)
    data.missing.push_back({"operations",
                            concat(cucore::counted(lost, "operation"), " could not be recorded."),
                            "Look for a lack of memory."});
  if (!is_complete)
    data.missing.push_back({"work",
                            concat("The devices had work for more than ", most_wait,
                                   " seconds after the end of the program. Its times and counts "
                                   "are unknown."),
                            "Wait for the work before the program ends."});
  if (const uint64_t failed = events_.failed(); failed != 0)
    data.missing.push_back({"times",
                            concat(cucore::counted(failed, "timed call"), " gave no time."),
                            "Look for errors of the kernels."});
  if (uncounted != 0)
    data.missing.push_back({"launches",
                            concat(cucore::counted(uncounted, "launch", "launches"),
                                   " beyond the limit of the session are not counted."),
                            "Raise max_records of the profiler."});
  data.dropped_records = dropped_records_;
  data.dropped_ranges = ranges_.dropped();
  return result;
}

}  // namespace cucore::perf
