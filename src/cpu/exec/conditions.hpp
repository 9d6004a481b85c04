// SPDX-License-Identifier: Apache-2.0
// The values of the conditions of graphs. Kernels set them with cudaGraphSetConditional().
#pragma once

#include <cstdint>

namespace cucore::cpu {

uint64_t make_condition(uint32_t value);  // returns its handle, which is never used again
void drop_condition(uint64_t handle);
// Returns false if no graph has the condition.
bool set_condition(uint64_t handle, uint32_t value);
uint32_t condition_value(uint64_t handle);  // 0 if no graph has the condition

}  // namespace cucore::cpu
