// SPDX-License-Identifier: Apache-2.0
// The object of the schema cucore.report/1.
#pragma once

#include "perf/profile/report_data.hpp"
#include "support/json_writer.hpp"

namespace cucore::perf {

void write_profile(JsonWriter& json, const ReportData& data);

}  // namespace cucore::perf
