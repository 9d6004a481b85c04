// SPDX-License-Identifier: Apache-2.0
// The kernels of an evaluation, in their order, and the memory that each one writes to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "array/plan/cone.hpp"
#include "array/plan/kernel.hpp"
#include "array/plan/partition.hpp"

namespace cucore::array {

enum class Memory : uint8_t {
  NEW,
  TAKEN,     // of an input without later readers, element by element
  IN_PLACE,  // a write into the memory of the value before it
  COPIED,    // a write into a copy of it, because the value before it is still needed
};

struct Output {
  ValueRef value;
  Memory memory = Memory::NEW;
  ValueRef from = {};  // of all but NEW
};

struct Step {
  Kernel kernel;
  std::vector<Output> outputs;
  std::vector<ValueRef> members;  // values that the kernel computes without storing them
};

struct Plan {
  std::vector<Step> steps;
  // Named values that were computed without being stored. A later plan stores them.
  std::vector<ValueRef> computed;
};

Plan plan_of(const Cone& cone, const PartitionLimits& limits = {});

// Runs kernels on some memory.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual Ref<Storage> allocate(int64_t bytes) = 0;
  virtual void copy(Storage& to, Storage& from, int64_t bytes) = 0;
  virtual void launch(const Kernel& kernel, std::span<Storage* const> inputs,
                      std::span<Storage* const> outputs) = 0;
};

// Runs the steps, and drops the values of the plan. If one fails, the values of the steps before it
// are ready, and all others can be evaluated again.
void execute(Plan& plan, Machine& machine);

}  // namespace cucore::array
