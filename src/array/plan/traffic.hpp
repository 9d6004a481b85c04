// SPDX-License-Identifier: Apache-2.0
// The traffic and the work of a kernel.
#pragma once

#include "array/plan/plan.hpp"

namespace cucore::array {

// The bytes of the elements that the kernel reads, each once.
uint64_t bytes_read(const Kernel& kernel);
uint64_t bytes_written(const Kernel& kernel);
// Operations in units of an addition, by the weights of the table.
uint64_t work_of(const Kernel& kernel);

// Memory that is allocated for values of a plan, and is not that of a result at the end.
struct Temporaries {
  uint64_t count = 0, bytes = 0;
};
Temporaries temporaries_of(const Plan& plan, std::span<Value* const> results);

}  // namespace cucore::array
