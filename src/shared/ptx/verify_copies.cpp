// SPDX-License-Identifier: Apache-2.0
// Checks the operands of copies in bulk and of tensors.
#include "ptx/operand_checker.hpp"

namespace cucore::ptx {

void Checker::bulk() {
  check_pair("");
  for (char letter :
       {'m', 'm', 'u', form_.has(FLAG_SYNC) ? 'm' : 'N', form_.has(FLAG_MULTICAST) ? 'h' : 'N',
        form_.has(FLAG_CACHE_HINT) ? 'z' : 'N', form_.has(FLAG_BYTE_MASK) ? 'h' : 'N'})
    slot(letter);
}

// Coordinates of a tensor, or offsets in a box of pixels.
void Checker::coordinates(unsigned count, Type type) {
  Operand& vector = take();
  if (vector.kind != OperandKind::VECTOR || vector.count != count)
    fail_operand("a vector of " + std::to_string(count));
  for (unsigned i = 0; i < count; ++i) source(function_.elements[vector.index + i], type);
  put(vector);
}

void Checker::offsets() {
  if (form_.mode == Mode::im2col_w || form_.mode == Mode::im2col_w_128)
    return coordinates(2, Type::b16);
  if (form_.mode != Mode::im2col) return put_none();
  coordinates(form_.dimensions - 2u, Type::b16);
}

// Four rows have a column in common.
unsigned Checker::tensor_coordinates() const {
  return form_.mode == Mode::gather4 || form_.mode == Mode::scatter4 ? 5 : form_.dimensions;
}

void Checker::tensor() {
  check_pair("");
  bool loads = form_.space2 == Space::global;
  if (loads) slot('m');
  slot('m');
  coordinates(tensor_coordinates(), Type::b32);
  if (form_.space2 != Space::generic) slot('m');
  if (loads || form_.space2 == Space::generic) offsets();
  if (loads) slot(form_.has(FLAG_MULTICAST) ? 'h' : 'N');
  slot(form_.has(FLAG_CACHE_HINT) ? 'z' : 'N');
}

// The members with one value per dimension have a number.
void Checker::tensor_map() {
  check_pair("");
  slot('m');
  if (form_.mode >= Mode::box_dim && form_.mode <= Mode::element_stride) slot('i');
  slot('a');
}

}  // namespace cucore::ptx
