// SPDX-License-Identifier: Apache-2.0
// The place and the time of a measurement.
#pragma once

#include <string>

namespace cucore::perf {

struct MeasuredMachine {
  std::string device, arch, uuid, driver, library, date;
  double clock_limit_mhz = 0;
};

}  // namespace cucore::perf
