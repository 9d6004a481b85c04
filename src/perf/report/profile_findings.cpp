// SPDX-License-Identifier: Apache-2.0
#include "perf/report/profile_findings.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "perf/machine/limits.hpp"
#include "perf/report/plain_text.hpp"
#include "perf/report/profile_report.hpp"
#include "perf/report/profile_rules.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"
#include "support/extent.hpp"

namespace cucore::perf {
namespace {

constexpr double LEAST_SHARE = 0.02;  // of the time of all kernels, for findings that are warnings
constexpr double WASTED_SECTORS = 2;  // times the bytes requested
constexpr double MOST_CONFLICTS = 0.25;  // of the wavefronts
constexpr double MOST_DIVERGENT = 0.01;  // of the instructions
constexpr double MOST_WAITING = 0.2;     // of the threads of warps
constexpr double REPEATED = 2;           // times the compulsory bytes
constexpr double BUSY = 0.5;             // of the session
constexpr double LOW_OCCUPANCY = 0.5;
constexpr double LEAST_OCCUPANCY = 0.25;
constexpr double MUCH_LOCAL = 0.5;         // of the bytes requested of global memory
constexpr double FEW_INSTRUCTIONS = 1000;  // of warps in a call: about two microseconds of one warp
constexpr double SLOW_TYPE = 0.25;         // of the peak of f32

struct ProfileRule {
  int number;
  const char* name;
  const char* advice;
};

constexpr ProfileRule PROFILE_RULES[] = {
#define PROFILE_RULE(number, name, advice) {number, name, advice},
#include "perf/report/profile_findings.inc"
#undef PROFILE_RULE
};

const ProfileRule& rule_of(int number) { return PROFILE_RULES[number - 201]; }

double counter(const KernelRow& row, const char* name) {
  const auto found = row.counters.find(name);
  return found == row.counters.end() ? UNKNOWN : found->second;
}

std::string percent_text(double percent) { return concat(digits_text(percent, 0), " %"); }

class ProfileFindings {
 public:
  explicit ProfileFindings(ReportData& data) : data_(data) {
    for (const KernelRow& row : data.kernels)
      if (row.seconds.total > 0) total_ += row.seconds.total;
  }

  void run() {
    for (size_t i = 0; i < data_.kernels.size(); ++i) find_in(i);
    find_in_session();
    sort();
  }

 private:
  void sort() {
    auto& findings = data_.findings;
    std::vector<size_t> order(findings.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      if (findings[a].severity != findings[b].severity)
        return findings[a].severity > findings[b].severity;
      const double first = time_of(findings[a]), second = time_of(findings[b]);
      return first != second ? first > second : a < b;
    });
    std::vector<ReportFinding> sorted;
    sorted.reserve(findings.size());
    for (const size_t each : order) sorted.push_back(std::move(findings[each]));
    findings = std::move(sorted);
  }

  void add(int number, Severity severity, size_t kernel, std::string message) {
    ReportFinding finding;
    finding.id = concat("P", number);
    finding.name = rule_of(number).name;
    finding.severity = severity;
    finding.kernel = kernel;
    finding.message = std::move(message);
    if (kernel < data_.kernels.size()) finding.place = place_of(number, data_.kernels[kernel]);
    finding.advice = rule_of(number).advice;
    data_.findings.push_back(std::move(finding));
  }

  // Counts of instructions have the places of some reasons, and the analysis of the code those of
  // others.
  static Place place_of(int number, const KernelRow& row) {
    const auto counted = row.counted_places.find(static_cast<uint16_t>(number));
    const bool is_counted = counted != row.counted_places.end();
    if (is_counted && counted->second.line != 0) return counted->second;
    constexpr std::pair<int, uint16_t> ANALYSED[] = {{203, 105}, {207, 106}, {208, 108}, {209, 101},
                                                     {211, 103}, {218, 102}, {219, 107}};
    for (const auto& [own, analysed] : ANALYSED)
      if (const auto found = row.places.find(analysed); own == number && found != row.places.end())
        if (!is_counted || found->second.line != 0) return found->second;
    return is_counted ? counted->second : Place{};
  }

  double time_of(const ReportFinding& finding) const {
    if (finding.kernel >= data_.kernels.size()) return total_;
    const double seconds = data_.kernels[finding.kernel].seconds.total;
    return seconds > 0 ? seconds : 0;
  }

  // A kernel with little of the time is not worth a warning. Without times each one is.
  Severity severity_of(const KernelRow& row) const {
    const bool matters = !(total_ > 0) || row.seconds.total >= LEAST_SHARE * total_;
    return matters ? Severity::WARNING : Severity::NOTE;
  }

  void find_in(size_t index) {
    const KernelRow& row = data_.kernels[index];
    const bool is_uncoalesced = find_accesses(index, row);
    find_shared(index, row);
    find_divergence(index, row);
    find_local(index, row);
    const bool has_counts = data_.source == ProfileSource::EMULATED && !(total_ > 0);
    if (has_counts) find_without_times(index, row);
    const bool has_little_work = row.bound == Bound::LAUNCH || row.bound == Bound::GRID;
    if (has_little_work) find_bound(index, row);
    find_spills(index, row);
    // If accesses are the reason that both rates are low, that is enough.
    const bool is_explained = is_uncoalesced && row.bound == Bound::LATENCY;
    if (!has_little_work && !is_explained) find_bound(index, row);
    if (row.failed != 0)
      add(214, Severity::ERROR, index, counted(row.failed, "launch", "launches") + " failed");
  }

  // Returns whether most of the traffic is of bytes that no thread requests.
  bool find_accesses(size_t index, const KernelRow& row) {
    const double waste = row.bytes.sector / row.bytes.requested;
    if (waste >= WASTED_SECTORS) {
      std::string message = concat("The device moves ", digits_text(waste, 1),
                                   " times the bytes that the threads request");
      if (std::isfinite(row.sectors_per_request))
        message += concat(", ", digits_text(row.sectors_per_request, 1), " sectors per request");
      add(203, severity_of(row), index, message);
      return true;
    }
    // The CPU device has no caches, so that its bytes are not those of device memory.
    if (data_.source == ProfileSource::EMULATED) return false;
    const double moved = row.bytes.read + row.bytes.written;
    if (row.bytes.compulsory > 0 && moved >= REPEATED * row.bytes.compulsory)
      add(210, severity_of(row), index,
          concat("Device memory moves ", scaled_text(moved, "B"), ", ",
                 digits_text(moved / row.bytes.compulsory, 1), " times the ",
                 scaled_text(row.bytes.compulsory, "B"), " of different data"));
    return false;
  }

  void find_shared(size_t index, const KernelRow& row) {
    double conflicts = 0, wavefronts = 0;
    if (row.counters.count("model.shared_wavefronts") != 0) {
      conflicts = counter(row, "model.shared_bank_conflicts");
      wavefronts = counter(row, "model.shared_wavefronts");
    }
    for (const char* access : {"load", "store"}) {
      const double some = counter(row, concat("cpu.shared_", access, "_bank_conflicts").c_str());
      const double all = counter(row, concat("cpu.shared_", access, "_wavefronts").c_str());
      if (std::isfinite(some) && std::isfinite(all)) conflicts += some, wavefronts += all;
    }
    if (!(conflicts > MOST_CONFLICTS * wavefronts)) return;
    add(207, severity_of(row), index,
        concat(percent_text(conflicts / wavefronts * 100),
               " of the accesses to shared memory are repeated because of bank conflicts"));
  }

  void find_divergence(size_t index, const KernelRow& row) {
    if (const double active = active_threads_of(row); 1 - active >= MOST_WAITING)
      return add(208, severity_of(row), index,
                 concat(percent_text((1 - active) * 100),
                        " of the threads of its warps wait, while others take another path"));
    const bool is_modelled = row.counters.count("model.warp_instructions") != 0;
    const double divergent =
        counter(row, is_modelled ? "model.divergent_branches" : "cpu.divergent_branches");
    double all = counter(row, is_modelled ? "model.warp_instructions" : "cpu.warp_instructions");
    if (std::isnan(all)) all = counter(row, "cpu.instructions");
    if (!(divergent > MOST_DIVERGENT * all)) return;
    add(208, severity_of(row), index,
        concat("One of ", digits_text(all / divergent, 0),
               " instructions of a warp is a branch that parts its threads"));
  }

  void find_local(size_t index, const KernelRow& row) {
    double bytes = counter(row, "cpu.local_bytes");
    if (std::isnan(bytes)) bytes = counter(row, "model.local_bytes");
    if (!(bytes > 0)) return;
    const bool has_global = row.bytes.requested > 0;
    if (has_global && bytes < MUCH_LOCAL * row.bytes.requested) return;
    std::string message = concat("The threads load and store ", scaled_text(bytes, "B"),
                                 " of local memory, which is a part of device memory");
    if (has_global)
      message += concat("; of global memory they request ", scaled_text(row.bytes.requested, "B"));
    add(218, severity_of(row), index, message);
  }

  // Counts of the CPU device show some reasons for a long time on a GPU. Small launches are notes,
  // because a test of a large one is small too.
  void find_without_times(size_t index, const KernelRow& row) {
    if (has_accidental_f64(row))
      add(211, severity_of(row), index,
          concat("Of ", scaled_text(row.operations.f64, ""),
                 " operations in f64, some compute with values that are converted from f32 and "
                 "back"));
    if (row.occupancy < LEAST_OCCUPANCY && row.occupancy_limiter == "shared")
      add(219, severity_of(row), index,
          concat("A multiprocessor of ", data_.machine.arch, " runs ",
                 percent_text(row.occupancy * 100),
                 " of its warps at a time, because each block takes ",
                 scaled_text(shared_bytes(row), "B"), " of shared memory"));
    const double calls = static_cast<double>(row.calls);
    const double instructions = counter(row, "cpu.warp_instructions") / calls;
    if (instructions < FEW_INSTRUCTIONS)
      add(201, Severity::NOTE, index,
          concat("A call executes ", digits_text(instructions, 0),
                 " instructions of warps, which takes less time than its launch"));
    if (product_of(row.geometry.grid) < data_.machine.multiprocessors)
      add(202, Severity::NOTE, index, grid_text(row));
  }

  static double shared_bytes(const KernelRow& row) {
    return static_cast<double>(row.resources.shared.value_or(0)) + row.geometry.dynamic_shared;
  }

  // Most operations are f64, and the code has some that f32 could do.
  static bool has_accidental_f64(const KernelRow& row) {
    double others = 0;
    for (const double each : {row.operations.f16, row.operations.f32})
      if (each > 0) others += each;
    return row.places.count(103) != 0 && row.operations.f64 > others;
  }

  void find_spills(size_t index, const KernelRow& row) {
    const uint32_t bytes =
        row.resources.spill_loads.value_or(0) + row.resources.spill_stores.value_or(0);
    if (bytes != 0)
      add(209, severity_of(row), index,
          concat("Registers are spilled to local memory, ", counted(bytes, "byte"), " per thread"));
  }

  std::string percents_text(const KernelRow& row) const {
    return concat(percent_text(row.percent.memory), " of the memory rate and ",
                  percent_text(row.percent.compute), " of the compute rate");
  }

  void find_bound(size_t index, const KernelRow& row) {
    switch (row.bound) {
      case Bound::MEMORY:
        return add(204, Severity::NOTE, index,
                   concat("The kernel has ", percent_text(row.percent.memory),
                          " of the memory rate of the device"));
      case Bound::COMPUTE:
        return find_compute(index, row);
      case Bound::LAUNCH:
        return add(201, severity_of(row), index,
                   concat("A call takes ", seconds_text(row.seconds.mean),
                          ", the launch of an empty kernel ", seconds_text(data_.roof.launch)));
      case Bound::GRID:
        return add(202, severity_of(row), index, grid_text(row));
      case Bound::LATENCY:
        return add(206, severity_of(row), index,
                   concat("The kernel has ", percents_text(row), occupancy_text(row)));
      default:
        return;
    }
  }

  std::string grid_text(const KernelRow& row) const {
    return concat(counted(product_of(row.geometry.grid), "block"), " for ",
                  counted(data_.machine.multiprocessors, "multiprocessor"),
                  "; the others are idle");
  }

  static std::string occupancy_text(const KernelRow& row) {
    if (!(row.occupancy < LOW_OCCUPANCY)) return {};
    const std::string limiter =
        row.occupancy_limiter.empty() ? "" : concat(", limited by ", row.occupancy_limiter);
    return concat("; its occupancy is ", percent_text(row.occupancy * 100), limiter);
  }

  void find_compute(size_t index, const KernelRow& row) {
    const bool is_slow = data_.roof.f64 < SLOW_TYPE * data_.roof.f32 || has_accidental_f64(row);
    if (is_slow && row.operations.f64 > 0.5 * row.operations.total)
      return add(211, severity_of(row), index,
                 concat("Most operations are f64, of which the device does ",
                        scaled_text(data_.roof.f64, "op/s"), "; of f32 it does ",
                        scaled_text(data_.roof.f32, "op/s")));
    add(205, Severity::NOTE, index,
        concat("The kernel has ", percent_text(row.percent.compute),
               " of the compute rate of the device"));
  }

  void find_in_session() {
    find_idle();
    find_copies();
    for (const MissingPart& part : data_.missing) {
      std::string_view why = part.why;
      if (why.ends_with('.')) why.remove_suffix(1);
      add(215, Severity::NOTE, NO_INDEX, concat(part.what, ": ", why));
      data_.findings.back().advice = part.remedy;
    }
    // Counts have no budget. The first launches of each kernel are timed whatever the budget is, so
    // a session of some milliseconds exceeds it without harm.
    constexpr double LEAST_OVERHEAD = 1e-2;  // seconds
    const bool has_budget =
        data_.source == ProfileSource::EVENTS || data_.source == ProfileSource::ACTIVITY;
    if (has_budget && data_.overhead.measured > data_.overhead.budget &&
        data_.overhead.measured * data_.seconds >= LEAST_OVERHEAD)
      add(216, Severity::NOTE, NO_INDEX,
          concat("The profiler takes ", digits_text(data_.overhead.measured * 100, 1),
                 " % of the time; the budget is ", digits_text(data_.overhead.budget * 100, 1),
                 " %"));
    if (data_.dropped_records != 0)
      add(217, Severity::NOTE, NO_INDEX,
          concat("The timeline lacks the last ", counted(data_.dropped_records, "record")));
    if (data_.dropped_ranges != 0)
      add(217, Severity::NOTE, NO_INDEX,
          concat(counted(data_.dropped_ranges, "range"),
                 " began beyond the limit and have no row; their kernels count in the ranges "
                 "around them"));
  }

  // Kernels of several streams overlap, so that this is an upper bound of the busy time.
  void find_idle() {
    if (!(total_ > 0) || total_ >= BUSY * data_.seconds) return;
    add(212, Severity::WARNING, NO_INDEX,
        concat("Kernels run for ", seconds_text(total_), " of ", seconds_text(data_.seconds), ", ",
               percent_text(total_ / data_.seconds * 100)));
  }

  void find_copies() {
    double seconds = 0, bytes = 0;
    for (const OperationRow& row : data_.operations) {
      if (row.kind != "copy" && row.kind != "read" && row.kind != "write") continue;
      if (row.seconds > 0) seconds += row.seconds;
      bytes += static_cast<double>(row.bytes);
    }
    if (total_ > 0 && seconds > total_)
      add(213, Severity::WARNING, NO_INDEX,
          concat("Copies of ", scaled_text(bytes, "B"), " take ", seconds_text(seconds),
                 ", the kernels ", seconds_text(total_)));
  }

  ReportData& data_;
  double total_ = 0;  // of all kernels
};

}  // namespace

double active_threads_of(const KernelRow& row) {
  const uint64_t threads = product_of(row.geometry.block);
  const uint64_t lanes = (threads + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE;
  const double share = static_cast<double>(threads) / static_cast<double>(lanes);
  for (const char* const source : {"cpu", "model"}) {
    const double of_warps = counter(row, concat(source, ".warp_instructions").c_str());
    const double of_threads = counter(row, concat(source, ".instructions").c_str());
    const double active = of_threads / (of_warps * WARP_SIZE * share);
    if (std::isfinite(active)) return std::min(active, 1.0);
  }
  return UNKNOWN;
}

void add_profile_findings(ReportData& data) { ProfileFindings(data).run(); }

std::vector<size_t> main_findings(const ReportData& data) {
  std::vector<size_t> main(data.kernels.size(), NO_INDEX);
  for (size_t i = 0; i < data.findings.size(); ++i) {
    const ReportFinding& finding = data.findings[i];
    if (finding.kernel >= main.size()) continue;
    size_t& found = main[finding.kernel];
    const bool is_note = finding.severity == Severity::NOTE;
    if (found == NO_INDEX || (!is_note && data.findings[found].severity == Severity::NOTE))
      found = i;
  }
  return main;
}

}  // namespace cucore::perf
