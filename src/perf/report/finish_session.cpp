// SPDX-License-Identifier: Apache-2.0
#include "perf/report/finish_session.hpp"

#include <utility>

#include "perf/machine/roof_folder.hpp"
#include "perf/measure/kept_roof.hpp"

namespace cucore::perf {
namespace {

void set_roof(ReportData& data, const DeviceOwner& device) {
  if (!device) return;
  if (const Ref<Roof> kept = find_roof(device, default_roof_folder())) {
    const double offset = data.roof.event_offset;
    data.roof = report_roof_of(*kept);
    data.roof.event_offset = offset;  // of this session
    return;
  }
  if (!data.machine.is_emulated)
    data.missing.push_back({"roof",
                            "The roof of the device was not measured yet, so percentages are "
                            "unknown.",
                            "Run cucore roof once."});
}

}  // namespace

Ref<FinishedReport> finish_session(SessionResult result) {
  set_roof(result.data, result.device);
  std::vector<std::vector<RowTime>> times;
  for (const std::vector<RangeCalls>& calls : result.calls) {
    std::vector<RowTime>& row = times.emplace_back();
    for (const RangeCalls& one : calls)
      row.push_back({one.kernel, result.data.kernels[one.kernel].seconds.mean *
                                     static_cast<double>(one.calls)});
  }
  return make<FinishedReport>(std::move(result.data), times);
}

}  // namespace cucore::perf
