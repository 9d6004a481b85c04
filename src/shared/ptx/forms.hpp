// SPDX-License-Identifier: Apache-2.0
// Splits the dotted name of an instruction into opcode, types and modifiers.
#pragma once

#include <cstddef>
#include <string_view>

#include "ptx/ast.hpp"

namespace cucore::ptx {

// Selects the check of an opcode's operands: the letters of its pattern or its own rule.
enum class Rule : uint8_t {
  PATTERN,
  MOV,
  CVT,
  CVT_PACK,
  LOP3,
  ATOM,
  CALL,
  BAR_RED,
  SHFL,
  VOTE,
  BULK,
  TENSOR,
  MAP,
  TEXTURE,
  SURFACE,
  WGMMA
};

struct OpcodeSpec {
  std::string_view name;
  Opcode op = Opcode::unsupported;
  uint64_t groups = 0;       // allowed modifier groups
  uint64_t first_types = 0;  // bit set of the allowed first types
  uint8_t type_count = 0;
  std::string_view pattern;
  Rule rule = Rule::PATTERN;
};

// Returns true for the packed and scalar video instructions.
bool is_video(Opcode op);
// Returns whether the name contains the spaces of a destination and a source.
bool has_two_spaces(Opcode op);
const OpcodeSpec& spec_of(Opcode op);
// Returns whether the slot of the operand is a destination.
bool is_destination(const Form& form, size_t slot);

// Returns the type with this spelling (without the dot), or Type::none.
Type find_type(std::string_view name);

// Decodes a name such as "add.rn.f32". A name that is unknown, incomplete or contradictory decodes
// to Opcode::unsupported without an error, because newer PTX must load if it is not executed.
Form decode_form(std::string_view text);

}  // namespace cucore::ptx
