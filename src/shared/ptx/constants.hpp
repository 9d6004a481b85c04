// SPDX-License-Identifier: Apache-2.0
// Literals and constant expressions of PTX, as they stand in operands and initialisers.
#pragma once

#include <optional>

#include "ptx/ast.hpp"
#include "ptx/lexer.hpp"

namespace cucore::ptx {

struct Constant {
  Literal literal = Literal::NONE;
  bool is_unsigned = false;
  uint64_t bits = 0;  // the integer, or the bits of the float
};

// A number, with unary and binary operators; throws ParseError.
Constant parse_constant(Lexer& lexer);

// A constant expression that is an integer.
uint64_t parse_integer(Lexer& lexer, const char* what);

// A single integer literal without operators, where `<` or `>` would end it.
uint64_t parse_integer_atom(Lexer& lexer, const char* what);

// `constant` as the bits of a value of `type`; nullopt when a float is meant for an integer.
std::optional<uint64_t> convert_constant(const Constant& constant, Type type);

}  // namespace cucore::ptx
