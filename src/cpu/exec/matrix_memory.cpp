// SPDX-License-Identifier: Apache-2.0
// Matrices between registers and memory: ldmatrix, stmatrix, movmatrix, wmma.load and wmma.store.
#include <bit>
#include <cstring>

#include "cpu/exec/block.hpp"
#include "cpu/exec/matrix_access.hpp"

namespace cucore::cpu {
namespace {

using ptx::Element;
using ptx::Opcode;

constexpr unsigned ROW_BYTES = 16;

// Returns the row whose address the lane contains, which must be in shared memory.
std::byte* shared_row(Warp& w, const Op& op, int lane, Access access) {
  const uint64_t address = matrix_address(w, op, lane);
  std::byte* row = resolve(w, op, lane, address, ROW_BYTES, access, Region(op.target & 0xff));
  if (row < w.shared || row >= w.shared + w.shared_size)
    raise(w, op, lane, CUDA_ERROR_INVALID_ADDRESS_SPACE, "wrong state space",
          "the row at " + hex_text(address) + " is not in shared memory");
  return row;
}

// The two elements that a lane holds of a matrix of 8 x 8.
struct Pair {
  unsigned row[2], column[2];
};
Pair pair_of(unsigned lane, bool transposes) {
  const unsigned outer = lane / 4, inner = lane % 4 * 2;
  if (transposes) return {{inner, inner + 1}, {outer, outer}};
  return {{outer, outer}, {inner, inner + 1}};
}

using Square = uint16_t[8][8];

uint32_t packed(const Square& matrix, unsigned lane, bool transposes) {
  const Pair p = pair_of(lane, transposes);
  return matrix[p.row[0]][p.column[0]] | uint32_t{matrix[p.row[1]][p.column[1]]} << 16;
}

// All addresses are checked before a register changes.
void load_squares(Warp& w, const Op& op, const MatrixOp& o) {
  Square matrices[4];
  for (unsigned row = 0; row < 8 * o.d.size(); ++row)
    std::memcpy(matrices[row / 8][row % 8], shared_row(w, op, int(row), Access::READ), ROW_BYTES);
  for (size_t i = 0; i < o.d.size(); ++i)
    for (unsigned lane = 0; lane < LANES; ++lane)
      w.at<uint32_t>(o.d[i])[lane] = packed(matrices[i], lane, o.plan->form.transposes);
}

// The place of a byte of a register among the rows.
struct BytePlace {
  unsigned row, column;
};

// A register of m8n16 has four bytes of a row. The transpose of 16 rows has two registers, each
// with two rows of the columns c and c + 8.
BytePlace loaded_byte(const ptx::MatrixForm& form, unsigned i, unsigned lane, unsigned e) {
  if (!form.transposes) return {8 * i + lane / 4, lane % 4 * 4 + e};
  return {i / 2 * 16 + lane % 4 * 4 + i % 2 * 2 + e % 2, lane / 4 + e / 2 * 8};
}

// m16n8, stored by columns: the byte has the place of an element of an accumulator.
BytePlace stored_byte(unsigned i, unsigned lane, unsigned e) {
  return {8 * i + lane % 4 * 2 + e % 2, lane / 4 + e / 2 * 8};
}

// Elements of 4 and 6 bits follow each other from the lowest bit on, and become bytes.
void unpack_row(uint8_t (&row)[ROW_BYTES], unsigned bits) {
  if (bits == 8) return;
  uint8_t elements[ROW_BYTES];
  for (unsigned k = 0; k < ROW_BYTES; ++k) {
    const unsigned at = k * bits;
    const unsigned pair = row[at / 8] | unsigned{row[at / 8 + 1]} << 8;
    elements[k] = uint8_t(pair >> at % 8 & ((1u << bits) - 1));
  }
  std::memcpy(row, elements, ROW_BYTES);
}

void load_bytes(Warp& w, const Op& op, const MatrixOp& o) {
  const ptx::MatrixForm& form = o.plan->form;
  uint8_t rows[LANES][ROW_BYTES];
  for (unsigned row = 0; row < 8 * o.d.size(); ++row) {
    std::memcpy(rows[row], shared_row(w, op, int(row), Access::READ), ROW_BYTES);
    unpack_row(rows[row], ptx::bits_of(form.a));
  }
  for (unsigned i = 0; i < o.d.size(); ++i)
    for (unsigned lane = 0; lane < LANES; ++lane) {
      uint32_t word = 0;
      for (unsigned e = 0; e < 4; ++e) {
        const BytePlace place = loaded_byte(form, i, lane, e);
        word |= uint32_t{rows[place.row][place.column]} << (8 * e);
      }
      w.at<uint32_t>(o.d[i])[lane] = word;
    }
}

void store_bytes(Warp& w, const Op& op, const MatrixOp& o) {
  uint8_t rows[LANES][ROW_BYTES];
  for (unsigned i = 0; i < o.d.size(); ++i)
    for (unsigned lane = 0; lane < LANES; ++lane)
      for (unsigned e = 0; e < 4; ++e) {
        const BytePlace place = stored_byte(i, lane, e);
        rows[place.row][place.column] = uint8_t(w.at<uint32_t>(o.d[i])[lane] >> (8 * e));
      }
  for (unsigned row = 0; row < 8 * o.d.size(); ++row)
    std::memcpy(shared_row(w, op, int(row), Access::WRITE), rows[row], ROW_BYTES);
}

void load_matrix(Warp& w, const Op& op) {
  require_whole_warp(w, op);
  const MatrixOp& o = matrix_of(w, op);
  if (o.plan->form.a != Element::b16)
    load_bytes(w, op, o);
  else
    load_squares(w, op, o);
}

void store_matrix(Warp& w, const Op& op) {
  require_whole_warp(w, op);
  const MatrixOp& o = matrix_of(w, op);
  if (o.plan->form.a == Element::b8) return store_bytes(w, op, o);
  Square matrices[4];
  for (size_t i = 0; i < o.d.size(); ++i)
    for (unsigned lane = 0; lane < LANES; ++lane) {
      const uint32_t word = w.at<uint32_t>(o.d[i])[lane];
      const Pair p = pair_of(lane, o.plan->form.transposes);
      matrices[i][p.row[0]][p.column[0]] = uint16_t(word);
      matrices[i][p.row[1]][p.column[1]] = uint16_t(word >> 16);
    }
  for (unsigned row = 0; row < 8 * o.d.size(); ++row)
    std::memcpy(shared_row(w, op, int(row), Access::WRITE), matrices[row / 8][row % 8], ROW_BYTES);
}

void move_matrix(Warp& w, const Op& op) {
  require_whole_warp(w, op);
  const MatrixOp& o = matrix_of(w, op);
  Square matrix;
  for (unsigned lane = 0; lane < LANES; ++lane) {
    const uint32_t word = w.at<uint32_t>(o.a[0])[lane];
    const Pair p = pair_of(lane, false);
    matrix[p.row[0]][p.column[0]] = uint16_t(word);
    matrix[p.row[1]][p.column[1]] = uint16_t(word >> 16);
  }
  for (unsigned lane = 0; lane < LANES; ++lane)
    w.at<uint32_t>(o.d[0])[lane] = packed(matrix, lane, true);
}

// ---- wmma.load, wmma.store

constexpr size_t MAX_MATRIX_BYTES = 1024;  // 256 elements of 4 bytes
constexpr size_t MAX_ELEMENTS = 1024;      // of single bits

// Calls copy(host, position) for each aligned part of the lines.
template <class Copy>
void each_part(Warp& w, const Op& op, const MatrixLines& lines, unsigned element, Access access,
               Copy copy) {
  for (unsigned line = 0; line < lines.count; ++line) {
    const uint64_t start = lines.address + line * lines.pitch;
    const bool aligned = ((start | lines.bytes) & 15) == 0;
    const unsigned step = aligned ? 16 : element > 4 ? element : 4;
    for (unsigned at = 0; at < lines.bytes; at += step)
      copy(resolve(w, op, 0, start + at, step, access, Region(op.target & 0xff)),
           line * lines.bytes + at, step);
  }
}

// Returns the position of an element among the lines, in elements.
unsigned position(const MatrixOp& o, const Fragment& f, unsigned place) {
  const unsigned row = place / f.columns, column = place % f.columns;
  return o.plan->form.a_columns ? column * f.rows + row : place;
}

uint64_t element_at(const uint8_t* bytes, unsigned index, unsigned bits) {
  uint64_t value = 0;
  if (bits >= 8)
    std::memcpy(&value, bytes + size_t{index} * (bits / 8), bits / 8);
  else
    value = bytes[index * bits / 8] >> (index * bits % 8) & ((1u << bits) - 1);
  return value;
}

const Fragment& fragment_of(const MatrixPlan& plan) {
  if (plan.op == Opcode::wmma_store_d) return plan.d;
  return plan.op == Opcode::wmma_load_a ? plan.a : plan.op == Opcode::wmma_load_b ? plan.b : plan.c;
}

void load_fragment(Warp& w, const Op& op) {
  require_whole_warp(w, op);
  const MatrixOp& o = matrix_of(w, op);
  const Fragment& f = fragment_of(*o.plan);
  uint8_t bytes[MAX_MATRIX_BYTES];
  each_part(w, op, lines_of(w, op), f.bits / 8, Access::READ,
            [&](const std::byte* host, size_t at, unsigned size) {
              std::memcpy(bytes + at, host, size);
            });
  uint64_t raw[MAX_ELEMENTS];
  uint32_t narrow[MAX_ELEMENTS];
  for (unsigned i = 0; i < f.size() && f.bits == 64; ++i)
    raw[i] = element_at(bytes, position(o, f, i), f.bits);
  if (f.bits == 64) return scatter_wide(w, f, o.d, raw);
  for (unsigned i = 0; i < f.size(); ++i)
    narrow[i] = uint32_t(element_at(bytes, position(o, f, i), f.bits));
  scatter(w, f, o.d, narrow);
}

void store_fragment(Warp& w, const Op& op) {
  require_whole_warp(w, op);
  const MatrixOp& o = matrix_of(w, op);
  const Fragment& f = o.plan->d;
  uint8_t bytes[MAX_MATRIX_BYTES];
  uint64_t raw[MAX_ELEMENTS];
  uint32_t narrow[MAX_ELEMENTS];
  if (f.bits == 64)
    gather_wide(w, f, o.d, raw);
  else
    gather(w, f, o.d, narrow);
  for (unsigned i = 0; i < f.size(); ++i) {
    const uint64_t value = f.bits == 64 ? raw[i] : narrow[i];
    std::memcpy(bytes + size_t{position(o, f, i)} * (f.bits / 8), &value, f.bits / 8);
  }
  each_part(
      w, op, lines_of(w, op), f.bits / 8, Access::WRITE,
      [&](std::byte* host, size_t at, unsigned size) { std::memcpy(host, bytes + at, size); });
}

}  // namespace

uint64_t matrix_address(const Warp& w, const Op& op, int lane) {
  if (op.target & NARROW)
    return uint32_t(w.at<uint32_t>(op[Matrix::ADDRESS])[lane] + uint32_t(op.imm));
  return w.at<uint64_t>(op[Matrix::ADDRESS])[lane] + op.imm +
         (op.target & FRAME_RELATIVE ? w.frame->local_base : 0);
}

MatrixLines lines_of(const Warp& w, const Op& op) {
  const MatrixOp& o = matrix_of(w, op);
  const Fragment& f = fragment_of(*o.plan);
  const bool by_columns = o.plan->form.a_columns;
  MatrixLines lines;
  lines.address = matrix_address(w, op, 0);
  lines.count = by_columns ? f.columns : f.rows;
  const unsigned length = by_columns ? f.rows : f.columns;
  lines.bytes = length * f.bits / 8;
  const uint64_t stride = o.stride == NO_SLOT ? length : w.at<uint32_t>(o.stride)[0];
  lines.pitch = stride * f.bits / 8;
  return lines;
}

Handler select_matrix_memory(Opcode opcode) {
  switch (opcode) {
    case Opcode::ldmatrix:
      return load_matrix;
    case Opcode::stmatrix:
      return store_matrix;
    case Opcode::movmatrix:
      return move_matrix;
    case Opcode::wmma_load_a:
    case Opcode::wmma_load_b:
    case Opcode::wmma_load_c:
      return load_fragment;
    case Opcode::wmma_store_d:
      return store_fragment;
    default:
      return nullptr;
  }
}

}  // namespace cucore::cpu
