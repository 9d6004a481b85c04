// SPDX-License-Identifier: Apache-2.0
// Heads, dimensions and parameters of declarations.
#include "ptx/declarations.hpp"

#include <bit>

#include "ptx/constants.hpp"
#include "ptx/forms.hpp"

namespace cucore::ptx {
namespace {

constexpr uint64_t MAX_ALIGN = 1 << 16;
constexpr size_t MAX_DIMENSIONS = 16;
constexpr size_t MAX_PARAMETERS = 4096;

// ".attribute(.managed, .unified(1, 2))"
void parse_attributes(Lexer& lexer, Variable& variable) {
  lexer.expect('(');
  do {
    std::string_view name = lexer.directive();
    if (name == ".managed") variable.is_managed = true;
    if (!lexer.accept('(')) continue;
    while (!lexer.accept(')')) {
      parse_constant(lexer);
      lexer.accept(',');
    }
  } while (lexer.accept(','));
  lexer.expect(')');
}

uint8_t parse_vector(Lexer& lexer) {
  if (lexer.accept_word(".v2")) return 2;
  if (lexer.accept_word(".v4")) return 4;
  if (lexer.accept_word(".v8")) return 8;
  return 1;
}

// Skips ".ptr .global .align 8" of a kernel parameter, a hint for optimisers.
void skip_pointer_note(Lexer& lexer) {
  if (!lexer.accept_word(".ptr")) return;
  for (const char* space : {".global", ".const", ".local", ".shared"})
    if (lexer.accept_word(space)) break;
  parse_align(lexer);
}

Variable parse_parameter(Context& context) {
  Lexer& lexer = context.lexer;
  bool is_register = lexer.accept_word(".reg");
  if (!is_register && !lexer.accept_word(".param")) lexer.fail_near("expected '.param' or '.reg'");
  Variable variable =
      parse_variable_head(context, is_register ? Space::reg : Space::param, Linkage::INTERNAL);
  skip_pointer_note(lexer);
  variable.is_register = is_register;
  variable.name = lexer.expect_word("a parameter's name");
  parse_dimensions(context, variable);
  if (is_register && !variable.dimensions.empty()) lexer.fail("a register cannot be an array");
  if (variable.type == Type::pred && !is_register) lexer.fail("a parameter cannot be .pred");
  return variable;
}

}  // namespace

Type parse_type(Lexer& lexer) {
  std::string_view text = lexer.directive();
  Type type = text.size() > 1 && text[0] == '.' ? find_type(text.substr(1)) : Type::none;
  if (type == Type::none || is_nibble(type))
    lexer.fail("expected a type instead of '" + std::string(text) + "'");
  return type;
}

uint32_t parse_align(Lexer& lexer) {
  if (!lexer.accept_word(".align")) return 0;
  uint64_t align = parse_integer(lexer, "an alignment");
  if (!std::has_single_bit(align) || align > MAX_ALIGN)
    lexer.fail("an alignment must be a power of two up to 65536");
  return static_cast<uint32_t>(align);
}

Variable parse_variable_head(Context& context, Space space, Linkage linkage) {
  Lexer& lexer = context.lexer;
  Variable variable;
  variable.space = space;
  variable.linkage = linkage;
  if (lexer.accept_word(".attribute")) parse_attributes(lexer, variable);
  uint32_t align = parse_align(lexer);
  variable.vector = parse_vector(lexer);
  variable.type = parse_type(lexer);
  // nvcc writes the alignment of opaque types after the type.
  if (align == 0) align = parse_align(lexer);
  uint32_t natural = std::max(1u, size_of(variable.type) * variable.vector);
  variable.align = std::max(align, natural);
  return variable;
}

void parse_dimensions(Context& context, Variable& variable) {
  Lexer& lexer = context.lexer;
  uint64_t size = uint64_t{size_of(variable.type)} * variable.vector;
  while (lexer.accept('[')) {
    uint64_t extent = 0;
    if (lexer.peek() != ']')
      extent = parse_integer(lexer, "an array's size");
    else if (!variable.dimensions.empty())
      lexer.fail("only an array's first size may be left out");
    else
      variable.is_unsized = true;
    lexer.expect(']');
    if (variable.dimensions.size() == MAX_DIMENSIONS) lexer.fail("too many dimensions");
    variable.dimensions.push_back(extent);
    bool counts = !(variable.is_unsized && variable.dimensions.size() == 1);
    if (counts && extent != 0 && size > MAX_VARIABLE_BYTES / extent)
      lexer.fail("variable '" + std::string(variable.name) + "' is too large");
    if (counts) size *= extent;
  }
  variable.size = variable.is_unsized ? 0 : size;
}

std::vector<Variable> parse_parameters(Context& context, uint64_t& offset) {
  Lexer& lexer = context.lexer;
  std::vector<Variable> parameters;
  lexer.expect('(');
  if (lexer.accept(')')) return parameters;
  do {
    if (parameters.size() == MAX_PARAMETERS) lexer.fail("too many parameters");
    Variable variable = parse_parameter(context);
    variable.offset = align_up(offset, variable.align);
    if (!variable.is_register) offset = variable.offset + variable.size;
    if (variable.size > MAX_FRAME_BYTES || offset > MAX_FRAME_BYTES)
      lexer.fail("parameters are too large");
    parameters.push_back(std::move(variable));
  } while (lexer.accept(','));
  lexer.expect(')');
  return parameters;
}

}  // namespace cucore::ptx
