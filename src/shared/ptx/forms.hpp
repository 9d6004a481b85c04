// SPDX-License-Identifier: Apache-2.0
// Splits the dotted name of an instruction into opcode, types and modifiers.
#pragma once

#include <string_view>

#include "ptx/ast.hpp"

namespace cucore::ptx {

// How the operands of an opcode are checked: by the letters of its pattern or by a rule of its
// own.
enum class Rule : uint8_t { PATTERN, MOV, CVT, CVT_PACK, LOP3, ATOM, CALL, BAR_RED, SHFL, VOTE };

struct OpcodeSpec {
  std::string_view name;
  Opcode op = Opcode::unsupported;
  uint32_t groups = 0;       // modifier groups that it may carry
  uint32_t first_types = 0;  // bit set of what its first type may be
  uint8_t type_count = 0;
  std::string_view pattern;
  Rule rule = Rule::PATTERN;
};

const OpcodeSpec& spec_of(Opcode op);

// The type with this spelling (without the dot), or Type::none.
Type find_type(std::string_view name);

// What `text` ("add.rn.f32") says. A name that is unknown, incomplete or contradictory gives
// Opcode::unsupported, never an error: newer PTX must load as long as it is not executed.
Form decode_form(std::string_view text);

}  // namespace cucore::ptx
