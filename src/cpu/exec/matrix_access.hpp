// SPDX-License-Identifier: Apache-2.0
// The registers and the memory of matrix instructions.
#pragma once

#include <string>

#include "cpu/exec/access.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/matrix.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu {

inline const MatrixOp& matrix_of(const Warp& w, const Op& op) {
  return w.frame->function->matrices[op[Matrix::TABLE]];
}

// Faults unless all lanes execute the instruction, because their registers form the matrices.
inline void require_whole_warp(const Warp& w, const Op& op) {
  if (w.mask == FULL_MASK) return;
  raise(w, op, __builtin_ctz(w.mask), CUDA_ERROR_ILLEGAL_INSTRUCTION, "incomplete warp",
        "lanes " + hex_text(w.mask) + " execute a matrix instruction; all 32 lanes must");
}

// Copies a fragment between registers and the dense matrix `raw`, one element per item. Elements of
// 64 bits have a function of their own.
void gather(const Warp& w, const Fragment& f, const std::vector<Slot>& slots, uint32_t* raw);
void scatter(const Warp& w, const Fragment& f, const std::vector<Slot>& slots, const uint32_t* raw);
void gather_wide(const Warp& w, const Fragment& f, const std::vector<Slot>& slots, uint64_t* raw);
void scatter_wide(const Warp& w, const Fragment& f, const std::vector<Slot>& slots,
                  const uint64_t* raw);

// Raw elements of a product, with the sizes of the dense matrices.
struct RawProduct {
  const uint32_t *a = nullptr, *b = nullptr, *c = nullptr;
  uint32_t* d = nullptr;
  const uint16_t* rows = nullptr;  // of a sparse A
  unsigned m = 0, n = 0, k = 0;    // k of the stored A; n at most MAX_COLUMNS
  bool negates = false;
};
inline constexpr unsigned MAX_COLUMNS = 64;
void multiply(const MatrixPlan& plan, const RawProduct& product);

// Writes the row of B for each stored element of A. `metadata` has one word per lane.
void sparse_rows(const ptx::MatrixForm& form, const uint32_t* metadata, unsigned selector,
                 uint16_t* rows);
bool is_selector(const ptx::MatrixForm& form, uint64_t selector);

// matrix_emulation.cpp. `b_rows` are the rows of B, which differ from k if A is sparse.
void multiply_in_halves(const RealProduct& product, unsigned b_rows, const MatrixKernels& kernels);
void multiply_fused(const RealProduct& product);

// matrix_double.cpp, which runs with the rounding mode of the instruction.
void multiply_doubles(const DoubleProduct& product, ptx::Rounding rounding);

// The address that a lane passes to an instruction that accesses memory.
uint64_t matrix_address(const Warp& w, const Op& op, int lane);
// The lines of a matrix in memory: rows or columns, `pitch` bytes apart.
struct MatrixLines {
  uint64_t address = 0;
  uint64_t pitch = 0;
  unsigned count = 0, bytes = 0;
};
// Of a wmma load or store. All lanes have the same address and stride, by the rules of PTX; the
// first lane's are used.
MatrixLines lines_of(const Warp& w, const Op& op);

Handler select_matrix_memory(ptx::Opcode opcode);
Handler select_warpgroup_product();

}  // namespace cucore::cpu
