// SPDX-License-Identifier: Apache-2.0
// Which decoded instructions a segment of machine code can contain, and how each is computed.
#pragma once

#include "cpu/compile/assembler.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu {

enum class Shape : uint8_t {
  NONE,  // only its handler
  BINARY,
  MULTIPLY,  // also mul.wide
  MULTIPLY_ADD,
  SHIFT_WIDE,  // 64-bit values, 32-bit counts
  COMPLEMENT,
  LOGIC_3,
  REAL_BINARY,
  REAL_FUSED,
  REAL_MIN,
  REAL_MAX,
  REAL_NEGATE,
  REAL_MAGNITUDE,
  REAL_ROOT,
  REAL_RECIPROCAL,
  REAL_RECIPROCAL_ROOT,
  MASK_BINARY,
  MASK_COMPLEMENT,
  COMPARE,
  SELECT,
  COPY,
  COPY_MASK,
  TO_REAL,  // from a 32-bit integer
  EXTEND,   // from 32 to 64 bits
  NARROW,   // from 64 to 32 bits
  PARAMETER,
  SHARED_LOAD,  // 32-bit values at a 32-bit address in shared memory
};

struct LaneOp {
  Shape shape = Shape::NONE;
  Encoding encoding;
  bool wide = false;          // elements of 64 bits
  bool wide_product = false;  // mul.wide, mad.wide: 64-bit result of 32-bit operands
  bool is_signed = false;
  bool real = false;      // computes with floats: a NaN of any bits may come in
  uint8_t rounding = 0;   // 0: to the nearest; 1: down, 2: up, 3: to zero
  uint8_t condition = 0;  // COMPARE: the processor's number of the comparison
  uint8_t count = 1;      // SHARED_LOAD: values
};

// The operation of an instruction of the function; its shape is NONE if a segment cannot have it.
LaneOp lane_op(const DecodedFunction& function, size_t index);

}  // namespace cucore::cpu
