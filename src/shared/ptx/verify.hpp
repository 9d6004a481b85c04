// SPDX-License-Identifier: Apache-2.0
// Checks an instruction's operands against its opcode and puts each into its fixed slot.
#pragma once

#include "ptx/context.hpp"

namespace cucore::ptx {

inline constexpr size_t MAX_OPERANDS = 10;
inline constexpr size_t MAX_ELEMENTS = 128;  // of a vector

// The operands in the notation of the text.
struct WrittenOperands {
  std::array<Operand, MAX_OPERANDS> items{};
  uint8_t count = 0;
  bool has_pair = false;     // the first was `d|p`: items[1] is the p
  bool has_sampler = false;  // the operand behind the coordinates of texels is a sampler
};

// Appends the operands of `form` to function.operands, one per slot of its pattern, and returns
// their number. Throws ParseError for an operand that does not fit. Label and call operands are
// copied, because the parser resolves them.
uint8_t place_operands(Context& context, Function& function, const Form& form,
                       WrittenOperands& written);

// Checks a call's arguments against the signature of the callee.
struct Signature {
  std::span<const Variable> returns;
  std::span<const Variable> inputs;
};
void check_call(Context& context, Function& function, const Signature& signature,
                const Operand& returns, const Operand& inputs);

}  // namespace cucore::ptx
