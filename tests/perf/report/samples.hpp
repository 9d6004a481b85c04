// SPDX-License-Identifier: Apache-2.0
// Reports with made-up numbers, as a profiler would fill them in.
#pragma once

#include "perf/profile/report_data.hpp"

namespace samples {

// An H200 with its roof, and one range for the session.
cucore::perf::ReportData h200();

// A kernel that took 1 ms per call, with 10 timed calls of 10.
cucore::perf::KernelRow kernel(const char* name, double mean = 1e-3);

// A training step in which an uncoalesced transpose is slow. All parts are filled in, and complete.
cucore::perf::ReportData slow_transpose();

// The same program on the CPU device: counters, no percentages.
cucore::perf::ReportData emulated();

// Nothing was launched; two parts are missing.
cucore::perf::ReportData nothing();

// Names with quotes, markup, control characters and bytes that are not UTF-8.
cucore::perf::ReportData hostile();

// Many launches of 20 kernels on 4 streams, within ranges.
cucore::perf::ReportData many(size_t launches);

}  // namespace samples
