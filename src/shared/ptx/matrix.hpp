// SPDX-License-Identifier: Apache-2.0
// The dotted names of matrix instructions: shape, layouts and element types.
#pragma once

#include <cstdint>
#include <string_view>

namespace cucore::ptx {

// The enumerators have PTX's spelling.
// NOLINTBEGIN(readability-identifier-naming)
enum class Opcode : uint8_t;

// Types of matrix elements, among them types that no register has.
enum class Element : uint8_t {
  none,
  b1,
  s4,
  u4,
  s8,
  u8,
  b8,
  e4m3,
  e5m2,
  b16,
  b8x16,      // ldmatrix: bytes of narrower elements
  b6x16_p32,  // 16 elements of 6 bits, and 32 bits of padding
  b4x16_p64,
  f16,
  bf16,
  tf32,
  f32,
  s32,
  f64
};
// NOLINTEND(readability-identifier-naming)

struct MatrixForm {
  uint16_t m = 0, n = 0, k = 0;
  uint8_t count = 1;                          // ldmatrix, stmatrix: number of matrices
  bool a_columns = false, b_columns = false;  // .col; of wmma.load and wmma.store: a_columns
  bool transposes = false;                    // .trans
  bool saturates = false;                     // .satfinite
  bool is_and = false;                        // b1: .and, otherwise .xor
  bool is_sparse = false;
  bool is_ordered = false;  // .sp::ordered_metadata
  Element d = Element::none, a = Element::none, b = Element::none, c = Element::none;

  // Returns the columns of A that registers or memory contain.
  unsigned stored_k() const { return is_sparse ? k / 2u : k; }
  bool is_quad_pair() const { return m == 8 && n == 8 && k == 4 && a == Element::f16; }
};

unsigned bits_of(Element element);
bool is_integer(Element element);

// Decodes the part of the name behind the opcode. Returns false for a form that PTX lacks or that
// is not supported.
struct Form;
bool decode_matrix(Form& form, std::string_view parts);

// Returns the number of registers per thread of a fragment. The letter is that of the matrix: a, b,
// c or d.
unsigned registers_of(Opcode op, const MatrixForm& matrix, char letter);

}  // namespace cucore::ptx
