// Declarations in PTX, of parameters and of variables: ".param .align 8 .b8 name[24]".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "container/image.hpp"
#include "container/ptx_lexer.hpp"

namespace cucore::container {

struct Declaration {
  std::string_view name;
  uint64_t size = 0;
  uint64_t alignment = 1;
  bool managed = false;
  bool is_pointer = false;  ///< has .ptr
  std::string_view type;    ///< ".u64"
  /// From type, .ptr and dimensions alone. INTEGER also covers pointers that have no .ptr.
  ParameterClass parameter_class = ParameterClass::UNKNOWN;
};

/// Directives, then a name, then its dimensions. @throws Error INVALID_CODE
Declaration read_declaration(PtxLexer& lexer);

/// What follows ".attribute"; true if one of the attributes is .managed.
bool read_attribute(PtxLexer& lexer);

/// Decimal, octal or hexadecimal, with or without U behind it; nullopt for anything else.
std::optional<uint64_t> parse_number(std::string_view text);

}  // namespace cucore::container
