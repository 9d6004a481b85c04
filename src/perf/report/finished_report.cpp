// SPDX-License-Identifier: Apache-2.0
#include "perf/report/finished_report.hpp"

#include <algorithm>
#include <utility>

#include "perf/report/profile_findings.hpp"

namespace cucore::perf {

FinishedReport::FinishedReport(ReportData data, const std::vector<std::vector<RowTime>>& times)
    : data_(std::move(data)) {
  complete_report(data_);
  for (size_t i = 1; i < std::min(times.size(), data_.ranges.size()); ++i)
    set_efficiency(data_.ranges[i], data_.kernels, times[i]);
  add_profile_findings(data_);
}

}  // namespace cucore::perf
