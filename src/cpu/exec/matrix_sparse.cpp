// SPDX-License-Identifier: Apache-2.0
// The metadata of sparse products: which elements of a row of A are stored.
#include "cpu/exec/matrix_access.hpp"

namespace cucore::cpu {
namespace {

using ptx::Element;
using ptx::MatrixForm;

bool is_wide(Element element) { return ptx::bits_of(element) >= 16; }

// A row has 4 bits for 2 of 4 elements, 1 of 2 of tf32, or 2 pairs of 4 of 4-bit integers.
unsigned bits_per_row(const MatrixForm& form) {
  const unsigned group = form.a == Element::tf32 ? 2 : ptx::bits_of(form.a) == 4 ? 8 : 4;
  return form.k / group * 4;
}

// Returns how many of four neighbouring lanes contribute; the selector chooses them.
unsigned contributors(const MatrixForm& form) { return bits_per_row(form) / 16; }

// Returns the bits of a row from `first` on. Rows g and g + 8 are in the lanes 4g to 4g + 3.
// For elements of 16 and 32 bits they are the halves of a word, for others in neighbouring lanes.
uint32_t row_bits(const MatrixForm& form, const uint32_t* metadata, unsigned base, unsigned row,
                  unsigned first) {
  const unsigned lane = row % 8 * 4 + base, upper = row / 8;
  if (is_wide(form.a)) return (metadata[lane + first / 16] >> (16 * upper) & 0xffff) >> first % 16;
  return metadata[lane + first / 32 * 2 + upper] >> first % 32;
}

}  // namespace

bool is_selector(const MatrixForm& form, uint64_t selector) {
  return selector < 4 / contributors(form);
}

void sparse_rows(const MatrixForm& form, const uint32_t* metadata, unsigned selector,
                 uint16_t* rows) {
  const unsigned base = selector * contributors(form);
  const bool is_single = form.a == Element::tf32, in_pairs = ptx::bits_of(form.a) == 4;
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned i = 0; i < form.stored_k(); ++i) {
      const unsigned field = is_single ? 2 * i : in_pairs ? i / 2 : i;
      const unsigned index = row_bits(form, metadata, base, row, 2 * field) & 3;
      const unsigned from = is_single  ? 2 * i + index / 2
                            : in_pairs ? field / 2 * 8 + index * 2 + i % 2
                                       : i / 2 * 4 + index;
      *rows++ = uint16_t(from);
    }
}

}  // namespace cucore::cpu
