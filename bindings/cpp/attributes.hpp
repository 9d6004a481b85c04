// SPDX-License-Identifier: Apache-2.0
// Attributes of devices by their names in cuda.h.
#pragma once

namespace cucore::bind {

// Returns the number of a name of CUdevice_attribute, in any case, with its prefix or without.
// Throws a Failure that names the nearest one.
int device_attribute_number(const char* name);

}  // namespace cucore::bind
