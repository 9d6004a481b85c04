// SPDX-License-Identifier: Apache-2.0
// Divides PTX that the parser has accepted into the statements of its module level.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/ast.hpp"

namespace cucore::ptx::link {

enum class PieceKind : uint8_t {
  VARIABLE,     // one name; a statement with several names becomes several pieces
  DECLARATION,  // a function without a body
  FUNCTION,     // a function or kernel with its body
  ALIAS,
  PRAGMA,
};

struct Piece {
  PieceKind kind = PieceKind::PRAGMA;
  Linkage linkage = Linkage::INTERNAL;
  std::string_view name;
  // The text after the linkage, up to the name of a variable or the end of a function's parameters.
  std::string_view head;
  std::string_view rest;  // a variable from its name on; the directives of a function
  std::string_view body;  // of a function, with its braces
};

struct TargetWords {
  std::vector<std::string_view> modifiers;  // "debug" of `.target sm_90, debug`
};

struct Pieces {
  std::vector<Piece> pieces;
  TargetWords target;
};

// Debug sections are left out, because positions of the text, to which they refer, change.
// `text` is followed by TEXT_PADDING zeros, and the parser has accepted it.
// @throws ParseError
Pieces read_pieces(std::string_view text);

}  // namespace cucore::ptx::link
