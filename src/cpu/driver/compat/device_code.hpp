// SPDX-License-Identifier: Apache-2.0
// The table of the CPU device that remembers the PTX of CUBINs.
#pragma once

#include "cpu/driver/code_table.hpp"

namespace cucore::compat {

// Opens libcuda.so.1 of this folder, the CPU device. Returns nullptr if it is missing.
const cucore_cpu_code* device_code();

}  // namespace cucore::compat
