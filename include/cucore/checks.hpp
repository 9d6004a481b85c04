/// @file cucore/checks.hpp
/// Checks of kernels, injected faults, traces and leaks on the CPU device.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_CHECKS_HPP_INCLUDED
#define CUCORE_CHECKS_HPP_INCLUDED

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "options.hpp"
#include "types.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// The checks that run, and the faults that the CPU device injects.
struct ChecksOptions {
  std::string kinds{};  ///< "memory,init,race,barrier,host,leak", a part of it, "all" for all but
                        ///< leak, or "none"; default: "all"
  std::string schedule{};      ///< "parallel", "sequential", "random" or "random:SEED"; default: as
                               ///< before
  std::uint64_t seed = 0;      ///< of schedule "random"; 0: the device chooses one
  std::string suppressions{};  ///< lines "KIND KERNEL FILE:LINE" of reports to drop
  std::vector<std::string> suppression_files{};  ///< files with further lines
  std::string faults{};         ///< faults to inject, "allocation@3=2"; default: as before
  std::string trace_file{};     ///< receives a line of JSON per driver call
  bool stop_at_report = false;  ///< a report ends its launch with a fault
  std::uint64_t launch_instructions = 0;  ///< warp instructions of one launch; 0: as before
  std::uint64_t launch_memory = 0;  ///< bytes of host memory for the blocks of one launch; 0: as
                                    ///< before
  std::uint64_t launch_output = 0;  ///< bytes of text that one launch prints; 0: as before
};

/// One report. Strings live as long as the checks.
using CheckReport = cucore_checks_report_info;

namespace detail {

struct ChecksOptionsOfC : Lists {
  explicit ChecksOptionsOfC(const ChecksOptions& options) {
    c.kinds = text(options.kinds);
    c.schedule = text(options.schedule);
    c.seed = options.seed;
    c.suppressions = text(options.suppressions);
    c.suppression_files = list(options.suppression_files, c.suppression_file_count);
    c.faults = text(options.faults);
    c.trace_file = text(options.trace_file);
    c.stop_at_report = options.stop_at_report;
    c.launch_instructions = options.launch_instructions;
    c.launch_memory = options.launch_memory;
    c.launch_output = options.launch_output;
  }
  cucore_checks_options c = CUCORE_CHECKS_OPTIONS_INIT;
};

}  // namespace detail

/// Checks of the whole process on the CPU device, which run until their end or until the last
/// reference is released.
class Checks : public Owner<Checks, cucore_checks> {
 public:
  Checks() noexcept {}

  /// Starts the checks. Fails with UNSUPPORTED on other drivers, and with INVALID_STATE while other
  /// checks are running.
  static Returned<Checks> create(const ChecksOptions& options = {}) {
    const detail::ChecksOptionsOfC of_c(options);
    return make<Checks>(cucore_checks_create, &of_c.c);
  }

  /// Reads the reports of the work that has ended so far, and returns their number.
  Returned<std::size_t> query() const { return value<std::size_t>(cucore_checks_query, get()); }
  /// Waits for all work, ends the checks and reads the reports.
  Returned<void> end() const { return call(cucore_checks_end, get()); }
  /// Ends the checks. Fails with CHECKS if there are reports; the log has all of them.
  Returned<void> verify() const { return call(cucore_checks_verify, get()); }
  bool is_running() const noexcept { return cucore_checks_is_running(get()) != 0; }

  /// The reports that were read last, without suppressed ones.
  std::size_t report_count() const noexcept { return cucore_checks_report_count(get()); }
  Returned<CheckReport> report_at(std::size_t index) const {
    CheckReport out = CUCORE_CHECKS_REPORT_INFO_INIT;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_checks_report_at(get(), index, &out, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<CheckReport>(status, error);
    return out;
  }
  /// The same, one per line, and as JSON.
  std::string_view text() const noexcept { return cucore_checks_text(get()); }
  std::string_view json() const noexcept { return cucore_checks_json(get()); }

  /// The random schedule with its seed, "random:7"; "" for other schedules.
  std::string_view schedule() const noexcept { return cucore_checks_schedule(get()); }

  /// The number of injected faults, up to the last read.
  std::uint64_t fault_count() const noexcept { return cucore_checks_fault_count(get()); }
  /// The number of calls of a driver function, "cuMemAlloc" or "cuMemAlloc_v2", up to the last
  /// read.
  Returned<std::uint64_t> call_count(const std::string& name) const {
    return value<std::uint64_t>(cucore_checks_call_count, get(), name.c_str());
  }
};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_CHECKS_HPP_INCLUDED
