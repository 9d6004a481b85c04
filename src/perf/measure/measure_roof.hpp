// SPDX-License-Identifier: Apache-2.0
// Measures the roof of a device.
#pragma once

#include "perf/machine/roof.hpp"
#include "perf/measure/device.hpp"

namespace cucore::perf {

inline constexpr double ROOF_TIME = 2;  // seconds

// Runs the kernels of roof_kernels.hpp in a stream of its own. `max_time`, in seconds, bounds the
// samples; each kind gets one at least. Kinds that the device lacks stay unknown.
Ref<Roof> measure_roof(const DeviceOwner& device, double max_time);

}  // namespace cucore::perf
