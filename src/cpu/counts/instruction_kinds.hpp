// SPDX-License-Identifier: Apache-2.0
// The class of an instruction, its operations, and its kind of memory access.
#pragma once

#include <cstdint>

#include "cpu/driver/kernel_trace.hpp"
#include "ptx/ast.hpp"

namespace cucore::cpu {

struct InstructionKind {
  cucore_cpu_class group = CUCORE_CPU_CLASS_OTHER;
  cucore_cpu_operation_type operation = CUCORE_CPU_OPERATION_INTEGER;
  uint32_t operations = 0;    // per thread; of a matrix product: per warp
  uint32_t width = 0;         // loads, stores and atomics: bytes per thread
  bool is_barrier = false;    // threads of the block meet there
  bool other_access = false;  // its memory traffic is not counted
};

InstructionKind instruction_kind(const ptx::Form& form);

}  // namespace cucore::cpu
