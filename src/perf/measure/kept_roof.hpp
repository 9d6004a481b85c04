// SPDX-License-Identifier: Apache-2.0
// Roofs that are measured once for a device, and kept in a folder.
#pragma once

#include <string>

#include "perf/machine/roof.hpp"
#include "perf/measure/device.hpp"
#include "perf/measure/measure_roof.hpp"

namespace cucore::perf {

struct RoofOptions {
  std::string folder;  // "": the roof is neither read nor written
  bool refresh = false;
  double max_time = ROOF_TIME;  // seconds
};

// Returns the kept roof of the device, or null. Measures nothing.
Ref<Roof> find_roof(const DeviceOwner& device, const std::string& folder);

// Returns the kept roof, or measures and keeps one. A folder that cannot be written is logged.
Ref<Roof> open_roof(const DeviceOwner& device, const RoofOptions& options);

}  // namespace cucore::perf
