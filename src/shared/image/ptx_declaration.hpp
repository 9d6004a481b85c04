// SPDX-License-Identifier: Apache-2.0
// Declarations in PTX, of parameters and of variables: ".param .align 8 .b8 name[24]".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "image/image.hpp"
#include "image/ptx_lexer.hpp"

namespace cucore::image {

struct Declaration {
  std::string_view name;
  uint64_t size = 0;
  uint64_t alignment = 1;
  bool managed = false;
  bool is_pointer = false;  // has .ptr
  std::string_view type;    // ".u64"
  // From type, .ptr and dimensions alone. INTEGER also covers pointers that have no .ptr.
  ParameterClass parameter_class = ParameterClass::UNKNOWN;
};

// A parameter of a kernel: ".param", alignment, vector, type, ".ptr", name, dimensions, in this
// order and nothing else, because a launch relies on it. @throws Error INVALID_CODE
Declaration read_parameter(PtxLexer& lexer);

// Directives, then a name, then its dimensions; directives that are not known are passed over.
// @throws Error INVALID_CODE
Declaration read_variable(PtxLexer& lexer);

// What follows ".attribute"; true if one of the attributes is .managed.
bool read_attribute(PtxLexer& lexer);

// The next token as a number; nullopt for anything else.
std::optional<uint64_t> read_number(PtxLexer& lexer);

// Decimal, octal, binary or hexadecimal, with or without U behind it; nullopt for anything else.
std::optional<uint64_t> parse_number(std::string_view text);

}  // namespace cucore::image
