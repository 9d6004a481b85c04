// SPDX-License-Identifier: Apache-2.0
// The traffic and the work of a kernel.
#pragma once

#include "array/plan/kernel.hpp"

namespace cucore::array {

// The bytes of the elements that the kernel reads, each once.
uint64_t bytes_read(const Kernel& kernel);
uint64_t bytes_written(const Kernel& kernel);
// Operations in units of an addition, by the weights of the table.
uint64_t work_of(const Kernel& kernel);

}  // namespace cucore::array
