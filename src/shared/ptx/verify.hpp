// SPDX-License-Identifier: Apache-2.0
// Checks an instruction's operands against its opcode and puts each into its fixed slot.
#pragma once

#include "ptx/context.hpp"

namespace cucore::ptx {

inline constexpr size_t MAX_OPERANDS = 8;

// The operands as they were written.
struct WrittenOperands {
  std::array<Operand, MAX_OPERANDS> items{};
  uint8_t count = 0;
  bool has_pair = false;  // the first was `d|p`: items[1] is the p
};

// Appends the operands of `form` to function.operands, one for each slot of its pattern, and
// returns how many; throws ParseError with what does not fit. Label and call operands are taken as
// they are: the parser resolves them itself.
uint8_t place_operands(Context& context, Function& function, const Form& form,
                       WrittenOperands& written);

// A call's arguments against what is called.
struct Signature {
  std::span<const Variable> returns;
  std::span<const Variable> inputs;
};
void check_call(Context& context, Function& function, const Signature& signature,
                const Operand& returns, const Operand& inputs);

}  // namespace cucore::ptx
