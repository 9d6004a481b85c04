// SPDX-License-Identifier: Apache-2.0
// Reports of memory that a program frees twice.
#pragma once

#include <cstdint>

namespace cucore::cpu {

struct Allocation;

// Makes a report for a call that frees `address`, if the check of memory is enabled and an earlier
// call has freed it. `a` is the allocation that begins there; nullptr: none.
void report_double_free(uint64_t address, const Allocation* a);

}  // namespace cucore::cpu
