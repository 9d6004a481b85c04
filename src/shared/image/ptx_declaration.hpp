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
  // From the type, .ptr and the dimensions alone. INTEGER also covers pointers without .ptr.
  ParameterClass parameter_class = ParameterClass::UNKNOWN;
};

// Reads a parameter of a kernel: ".param", alignment, vector, type, ".ptr", name, dimensions. Only
// this order is accepted, because a launch relies on it. @throws Error INVALID_CODE
Declaration read_parameter(PtxLexer& lexer);

// Reads directives, a name and its dimensions; unknown directives are skipped.
// @throws Error INVALID_CODE
Declaration read_variable(PtxLexer& lexer);

// Reads what follows ".attribute"; returns true if one of the attributes is .managed.
bool read_attribute(PtxLexer& lexer);

// Returns the next token as a number, or nullopt.
std::optional<uint64_t> read_number(PtxLexer& lexer);

// Parses a decimal, octal, binary or hexadecimal number with an optional U at its end; nullopt for
// anything else.
std::optional<uint64_t> parse_number(std::string_view text);

}  // namespace cucore::image
