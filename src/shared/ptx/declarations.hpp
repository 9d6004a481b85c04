// SPDX-License-Identifier: Apache-2.0
// Declarations of variables and parameters, with types, alignment, dimensions and initial values.
#pragma once

#include "ptx/context.hpp"

namespace cucore::ptx {

// Sizes beyond these are refused while reading, so that sums of them cannot overflow.
inline constexpr uint64_t MAX_VARIABLE_BYTES = uint64_t{1} << 44;
inline constexpr uint64_t MAX_FRAME_BYTES = uint64_t{1} << 24;

// ".f32"; fails where no type stands.
Type parse_type(Lexer& lexer);

// ".align 8"; 0 where it does not stand.
uint32_t parse_align(Lexer& lexer);

// Reads what follows the state space up to `;`: attributes, alignment, type, then names with
// dimensions and initial values. Calls `declare(Variable&&)` for each, which answers where in
// Module::variables it is put (for relocations), or NONE where no initialiser is allowed.
template <typename Declare>
void parse_variables(Context& context, Space space, Linkage linkage, Declare declare);

// "(.param .b64 a, .reg .b32 b)" with offsets laid out from `offset` on, which is moved.
std::vector<Variable> parse_parameters(Context& context, uint64_t& offset);

// Reads a variable's head: attributes, alignment, vector, type.
Variable parse_variable_head(Context& context, Space space, Linkage linkage);
// Reads a name's dimensions and settles the size.
void parse_dimensions(Context& context, Variable& variable);
// Reads the value behind `=`; `index` is the variable's place in Module::variables.
void parse_initializer(Context& context, Variable& variable, uint32_t index);

// `value` rounded up to a multiple of `align`, a power of two.
constexpr uint64_t align_up(uint64_t value, uint64_t align) {
  return (value + align - 1) & ~(align - 1);
}

template <typename Declare>
void parse_variables(Context& context, Space space, Linkage linkage, Declare declare) {
  Variable head = parse_variable_head(context, space, linkage);
  do {
    Variable variable = head;
    variable.name = context.lexer.expect_word("a name");
    parse_dimensions(context, variable);
    declare(std::move(variable));
  } while (context.lexer.accept(','));
  context.lexer.expect(';');
}

}  // namespace cucore::ptx
