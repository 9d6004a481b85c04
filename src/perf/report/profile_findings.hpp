// SPDX-License-Identifier: Apache-2.0
// Findings: parts of a profile that cost time, with figures and a remedy.
#pragma once

#include <vector>

#include "perf/profile/report_data.hpp"

namespace cucore::perf {

// Adds the findings to those of the data, and sorts all by severity, then by the time of the
// kernels. The rows must be complete, see complete_report().
void add_profile_findings(ReportData& data);

// Returns the part of the threads of the kernel's warps that do the instructions of their warp,
// from 0 to 1. Threads that the last warp of a block lacks do not count. Unknown without such
// counters.
double active_threads_of(const KernelRow& row);

// Returns for each row its first finding that is not a note, else its first one; NO_INDEX without
// one.
std::vector<size_t> main_findings(const ReportData& data);

}  // namespace cucore::perf
