// SPDX-License-Identifier: Apache-2.0
// The classes and widths of PTX instructions.
#pragma once

#include "perf/analyze/mix.hpp"
#include "ptx/ast.hpp"

namespace cucore::perf {

InstructionClass class_of(const ptx::Form& form);
// Returns the bytes that one thread accesses; 0 if the instruction does not access memory.
uint32_t width_of(const ptx::Form& form);

}  // namespace cucore::perf
