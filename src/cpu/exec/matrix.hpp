// SPDX-License-Identifier: Apache-2.0
// Decoded matrix instructions: the layout of their fragments, and the registers.
#pragma once

#include <memory>
#include <vector>

#include "cpu/exec/matrix_kernels.hpp"
#include "cpu/exec/warp.hpp"
#include "ptx/ast.hpp"

namespace cucore::cpu {

// Names the slots of an Op. TABLE is the index of the MatrixOp, and MEMBERS are the lanes that must
// arrive together. imm contains the offset of the address.
enum class Matrix : uint8_t { ADDRESS = 4, TABLE = 6, MEMBERS };

// The place of each element of a fragment in its matrix. The matrix is dense: A has rows of k, B
// rows of n, and D rows of n elements. A quad-pair product has four matrices one after another.
struct Fragment {
  unsigned registers = 0;
  unsigned bits = 0;  // of an element
  unsigned rows = 0, columns = 0;
  std::vector<uint16_t> places;  // by register, element in the register, and lane

  unsigned register_bits() const { return bits == 64 ? 64 : 32; }
  unsigned elements() const { return register_bits() / bits; }
  unsigned size() const { return rows * columns; }
};

// All instructions of a module with one name share a plan.
struct MatrixPlan {
  ptx::Opcode op = ptx::Opcode::unsupported;
  ptx::MatrixForm form;
  ptx::Rounding rounding = ptx::Rounding::none;
  Fragment a, b, c, d;
  unsigned products = 1;  // 4 for quad pairs
  Accumulation model;
  const MatrixKernels* kernels = nullptr;
};

// Returns the plan of a form on a device with this compute capability.
std::unique_ptr<MatrixPlan> make_plan(const ptx::Form& form, int sm, const MatrixKernels& kernels);

// The registers of one instruction, and the constants of wgmma.
struct MatrixOp {
  const MatrixPlan* plan = nullptr;
  std::vector<Slot> a, b, c, d;
  Slot metadata = NO_SLOT, stride = NO_SLOT;
  Slot a_descriptor = NO_SLOT, b_descriptor = NO_SLOT;
  Slot scale = NO_SLOT;  // predicate: D is added
  bool scale_negated = false;
  uint8_t selector = 0;
  bool negates_a = false, negates_b = false, transposes_a = false, transposes_b = false;
};

// Returns the handler of an opcode; all 32 lanes must arrive.
Handler select_matrix(ptx::Opcode opcode);

}  // namespace cucore::cpu
