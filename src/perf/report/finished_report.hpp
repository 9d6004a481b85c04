// SPDX-License-Identifier: Apache-2.0
// A report whose rows and findings are complete. It never changes.
#pragma once

#include <vector>

#include "perf/profile/report_data.hpp"
#include "perf/report/profile_rules.hpp"
#include "support/ref.hpp"

namespace cucore::perf {

class FinishedReport final : public Object {
 public:
  // Completes the data. `times` has the kernels of each range, in the order of the ranges; that of
  // the session, range 0, is not read.
  explicit FinishedReport(ReportData data, const std::vector<std::vector<RowTime>>& times = {});

  const ReportData& data() const { return data_; }

 private:
  ReportData data_;
};

}  // namespace cucore::perf
