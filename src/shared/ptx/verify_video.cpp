// SPDX-License-Identifier: Apache-2.0
// Checks selectors of parts and signs in the operands of video instructions.
#include "ptx/operand_checker.hpp"

namespace cucore::ptx {

// A second operation or parts of a scalar destination need a third source, and exclude each
// other.
void Checker::check_video() {
  const Operand* operands = &function_.operands[function_.operands.size() - placed_];
  for (unsigned k = 0; k < 3; ++k) check_selector(operands[k], k == 0);
  if (operands[3].kind == OperandKind::REG && VideoSelector::of(operands[3]).part_bytes != 0)
    fail("a selector of parts that does not fit");
  if (form_.op == Opcode::vmad) return check_signs(operands);
  if (form_.op >= Opcode::vadd2) return;
  const bool merges = VideoSelector::of(operands[0]).part_bytes != 0;
  const bool combines = form_.operation != Operation::none;
  if (merges && combines) fail("parts of the result exclude a second operation");
  if ((merges || combines) && operands[3].kind == OperandKind::NONE)
    fail("a third source is missing");
}

// A register has the parts that its place permits: all parts of a packed source, some parts of a
// packed destination, one part of others.
void Checker::check_selector(const Operand& operand, bool is_destination) const {
  const VideoSelector chosen = VideoSelector::of(operand);
  if (operand.kind != OperandKind::REG || chosen.part_bytes == 0) return;
  const bool packs = form_.op >= Opcode::vadd2;
  const unsigned parts = name_of(form_.op).ends_with('4') ? 4 : 2;
  const unsigned limit = packs && !is_destination ? 2 * parts : 4 / chosen.part_bytes;
  bool fits = !packs || chosen.part_bytes == 4 / parts;
  fits = fits && (!packs           ? chosen.count == 1
                  : is_destination ? chosen.count <= parts
                                   : chosen.count == parts);
  for (unsigned i = 0; i < chosen.count; ++i) {
    fits = fits && chosen.part(i) < limit;
    if (packs && is_destination && i != 0) fits = fits && chosen.part(i) > chosen.part(i - 1);
  }
  if (!fits) fail("a selector of parts that does not fit");
}

// The minus sign of a product excludes that of the addend, and .po excludes all.
void Checker::check_signs(const Operand* operands) const {
  const bool a = operands[1].negated, b = operands[2].negated, c = operands[3].negated;
  if (VideoSelector::of(operands[0]).part_bytes != 0) fail("parts of the result have no meaning");
  if (form_.has(FLAG_PLUS_ONE) ? a || b || c : a != b && c)
    fail("minus signs that exclude each other");
}

}  // namespace cucore::ptx
