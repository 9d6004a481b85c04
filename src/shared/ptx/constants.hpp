// SPDX-License-Identifier: Apache-2.0
// Literals and constant expressions of PTX in operands and initialisers.
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

// Reads a number with unary and binary operators; throws ParseError.
Constant parse_constant(Lexer& lexer);

// Reads a constant expression that is an integer.
uint64_t parse_integer(Lexer& lexer, const char* what);

// Reads an integer literal without operators, for places where `<` or `>` ends it.
uint64_t parse_integer_atom(Lexer& lexer, const char* what);

// Returns `constant` as the bits of a value of `type`; nullopt for a float in place of an integer.
std::optional<uint64_t> convert_constant(const Constant& constant, Type type);

}  // namespace cucore::ptx
