// SPDX-License-Identifier: Apache-2.0
// Describes the device of a measurement.
#pragma once

#include "perf/machine/roof.hpp"
#include "perf/measure/device.hpp"

namespace cucore::perf {

MeasuredMachine machine_of(const cucore_device* device);
RoofMachine roof_machine_of(const cucore_device* device);

}  // namespace cucore::perf
