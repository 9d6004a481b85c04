// SPDX-License-Identifier: Apache-2.0
// The kernel of a group: its nodes, in terms of memory and constants.
#pragma once

#include "array/plan/kernel.hpp"
#include "array/plan/partition.hpp"

namespace cucore::array {

// Axes that all accesses pass as one are joined.
Kernel kernel_of(const Partition& partition, uint32_t group);

}  // namespace cucore::array
