// SPDX-License-Identifier: Apache-2.0
// Rules that derive percent of the roof, bounds and efficiencies from amounts and times.
#pragma once

#include <span>

#include "perf/profile/report_data.hpp"

namespace cucore::perf {

// The peaks that reports compare with. That of matrices is the faster one of f16 and bf16.
ReportRoof report_roof_of(const Roof& roof);

// The part of a range that one row of kernels takes.
struct RowTime {
  size_t kernel = 0;
  double seconds = 0;
};

// Sets percent, intensity and bound of each row, and the efficiencies of the session, range 0.
void complete_report(ReportData& data);

// Sets the efficiencies of a range: the means of its rows, weighted by time. They are unknown if
// the rows with a known percentage have less than half of the time.
void set_efficiency(ReportRange& range, const std::vector<KernelRow>& kernels,
                    std::span<const RowTime> times);

// A kernel reaches a limit if it has this part of the peak.
inline constexpr double BOUND_PERCENT = 60;

// The operations of floating-point numbers and matrices; without any of them, all operations.
double arithmetic_of(const KernelRow& row);

const char* bound_name(Bound bound);                    // "memory"
const char* profile_source_name(ProfileSource source);  // "events"
const char* amount_source_name(AmountSource source);

}  // namespace cucore::perf
