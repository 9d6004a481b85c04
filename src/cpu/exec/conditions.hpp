// SPDX-License-Identifier: Apache-2.0
// The values of the conditions of graphs. Kernels set them with cudaGraphSetConditional().
#pragma once

#include <cstdint>

namespace cucore::cpu {

// A condition, which lives as long as the graphs and plans that share this object.
class LiveCondition {
 public:
  explicit LiveCondition(uint32_t value);
  ~LiveCondition();
  LiveCondition(const LiveCondition&) = delete;
  LiveCondition& operator=(const LiveCondition&) = delete;

  uint64_t handle() const { return handle_; }  // never used again

 private:
  const uint64_t handle_;
};

// Returns false if nothing holds the condition.
bool set_condition(uint64_t handle, uint32_t value);
uint32_t condition_value(uint64_t handle);  // 0 if nothing holds it

}  // namespace cucore::cpu
