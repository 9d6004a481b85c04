// SPDX-License-Identifier: Apache-2.0
// Makes a report from the result of a session.
#pragma once

#include "perf/profile/session.hpp"
#include "perf/report/finished_report.hpp"

namespace cucore::perf {

// Compares with the roof of the device if an earlier process has measured it.
Ref<FinishedReport> finish_session(SessionResult result);

}  // namespace cucore::perf
