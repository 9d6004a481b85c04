// SPDX-License-Identifier: Apache-2.0
// Reports of a profile, for people, for programs, for plots and for viewers of timelines.
#pragma once

#include <string>

#include "perf/profile/report_data.hpp"

namespace cucore::perf {

// Returns the reason that holds back the slowest kernel, then tables and findings.
std::string profile_as_text(const ReportData& data);
// Returns an object of the schema cucore.report/1. It has no timeline.
std::string profile_as_json(const ReportData& data);
// Returns a line of names and a line per kernel.
std::string profile_as_csv(const ReportData& data);
// Returns the timeline as Chrome's trace events, which Perfetto also opens.
std::string profile_as_trace(const ReportData& data);
// Returns one page that needs no network.
std::string profile_as_html(const ReportData& data);
// Returns a script of gnuplot that contains its data: times, and the roofline.
std::string profile_as_gnuplot(const ReportData& data);

// "64x64": without extents of 1 at the end.
std::string extent_text(const uint32_t (&extent)[3]);
// The first sentence of a report: the slowest kernel and what holds it back; "" without kernels.
struct Headline {
  std::string title;    // "transpose takes 66 % of the time of the kernels: uncoalesced access"
  std::string message;  // with its figures
  std::string advice;
};
Headline headline_of(const ReportData& data);
// "No kernel was launched", or that graphs alone were: for a report without kernels.
std::string no_kernel_text(const ReportData& data);
// The reason why figures of a row differ from others or are missing; "": none.
std::string note_of(const KernelRow& row);
// Whether the report has counts of the CPU device and no times, so that nothing is compared with a
// roof.
bool has_counts_only(const ReportData& data);
// "saxpy.cu:4", or "line 4 of the PTX"; "" for an unknown place.
std::string reason_place(const Place& place);
// The time of all kernels; 0 if none was timed.
double kernel_seconds_of(const ReportData& data);

}  // namespace cucore::perf
