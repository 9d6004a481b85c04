// SPDX-License-Identifier: Apache-2.0
// Declarations of variables and parameters, with types, alignment, dimensions and initial values.
#pragma once

#include "ptx/context.hpp"

namespace cucore::ptx {

// The reader refuses larger sizes, so that sums of sizes cannot overflow.
inline constexpr uint64_t MAX_VARIABLE_BYTES = uint64_t{1} << 44;
inline constexpr uint64_t MAX_FRAME_BYTES = uint64_t{1} << 24;

// Reads ".f32"; fails if the next token is not a type.
Type parse_type(Lexer& lexer);

// Reads ".align 8"; returns 0 if it is absent.
uint32_t parse_align(Lexer& lexer);

// Reads the text between the state space and `;`: attributes, alignment, type, then names with
// dimensions and initial values. Calls `declare(Variable&&)` for each name. It returns the
// variable's index in Module::variables (for relocations), or NONE if an initialiser is not
// allowed.
template <typename Declare>
void parse_variables(Context& context, Space space, Linkage linkage, Declare declare);

// Reads "(.param .b64 a, .reg .b32 b)"; assigns offsets from `offset` on and advances it.
std::vector<Variable> parse_parameters(Context& context, uint64_t& offset);

// Reads a variable's head: attributes, alignment, vector, type.
Variable parse_variable_head(Context& context, Space space, Linkage linkage);
// Reads the dimensions after a name and completes the size.
void parse_dimensions(Context& context, Variable& variable);
// Reads the value after `=`; `index` is the variable's index in Module::variables.
void parse_initializer(Context& context, Variable& variable, uint32_t index);
// Reads the members of a texture, sampler or surface after `=`. Those of a sampler become its
// SamplerState. The others have no effect.
void parse_opaque_initializer(Lexer& lexer, Variable& variable);

// Returns `value` rounded up to a multiple of `align`, a power of two.
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
