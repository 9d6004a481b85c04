// SPDX-License-Identifier: Apache-2.0
// Declarations in PTX.
#include "image/ptx_declaration.hpp"

#include <algorithm>
#include <charconv>

namespace cucore::image {

namespace {

constexpr uint64_t MAX_OBJECT = uint64_t{1} << 40;

using enum ParameterClass;

struct Type {
  std::string_view name;
  uint64_t size;  // per element
  ParameterClass parameter_class = INTEGER;
};

// The opaque types are handles of 8 bytes. A caller passes packed numbers as bytes.
constexpr Type TYPES[] = {{".b8", 1},
                          {".u8", 1},
                          {".s8", 1},
                          {".b16", 2},
                          {".u16", 2},
                          {".s16", 2},
                          {".f16", 2, FLOAT},
                          {".bf16", 2, FLOAT},
                          {".b32", 4},
                          {".u32", 4},
                          {".s32", 4},
                          {".f32", 4, FLOAT},
                          {".f16x2", 4, AGGREGATE},
                          {".bf16x2", 4, AGGREGATE},
                          {".tf32", 4, FLOAT},
                          {".b64", 8},
                          {".u64", 8},
                          {".s64", 8},
                          {".f64", 8, FLOAT},
                          {".f32x2", 8, AGGREGATE},
                          {".b128", 16, AGGREGATE},
                          {".u128", 16, AGGREGATE},
                          {".s128", 16, AGGREGATE},
                          {".pred", 1, UNKNOWN},
                          {".e4m3", 1, FLOAT},
                          {".e5m2", 1, FLOAT},
                          {".e4m3x2", 2, AGGREGATE},
                          {".e5m2x2", 2, AGGREGATE},
                          {".texref", 8},
                          {".surfref", 8},
                          {".samplerref", 8}};

// Returns nullptr for a token that is not a type.
const Type* find_type(const PtxToken& word) {
  for (const Type& type : TYPES)
    if (word.is(type.name)) return &type;
  return nullptr;
}

// A kernel cannot have predicate parameters, and the driver has no value for the opaque types.
bool can_be_parameter(const Type& type) {
  return type.parameter_class != UNKNOWN && !type.name.ends_with("ref");
}

bool is_vector(const PtxToken& word) { return word.is(".v2") || word.is(".v4") || word.is(".v8"); }

uint64_t read_alignment(PtxLexer& lexer, const PtxToken& word) {
  const auto value = read_number(lexer);
  if (!value || *value == 0 || (*value & (*value - 1)) != 0 || *value > 65536)
    lexer.fail(word, ".align needs a power of two");
  return *value;
}

uint64_t read_dimensions(PtxLexer& lexer, uint64_t size) {
  while (lexer.peek().is("[")) {
    const PtxToken open = lexer.next();
    uint64_t count = 0;
    if (!lexer.peek().is("]")) {
      const auto number = read_number(lexer);
      if (!number) lexer.fail(open, "a dimension must be a number");
      count = *number;
    }
    if (!lexer.next().is("]")) lexer.fail(open, "a bracket is not closed");
    if (count != 0 && size > MAX_OBJECT / count) lexer.fail(open, "the array is too large");
    size *= count;
  }
  return size;
}

// Reads ".ptr .global .align 16", the target of the pointer. It does not change the pointer's own
// layout.
bool read_pointer(PtxLexer& lexer) {
  if (!lexer.peek().is(".ptr")) return false;
  lexer.next();
  for (const std::string_view space : {".global", ".const", ".local", ".shared"}) {
    if (!lexer.peek().is(space)) continue;
    lexer.next();
    break;
  }
  if (lexer.peek().is(".align")) read_alignment(lexer, lexer.next());
  return true;
}

uint64_t read_vector(PtxLexer& lexer) {
  const PtxToken word = lexer.peek();
  if (!is_vector(word)) return 1;
  lexer.next();
  return static_cast<uint64_t>(word.text[2] - '0');
}

void read_name(PtxLexer& lexer, Declaration& result) {
  const PtxToken name = lexer.next();
  if (!name.is_name()) lexer.fail(name, "a declaration needs a name");
  result.name = name.text;
}

// Reads name and dimensions, the last parts of a declaration.
void finish_declaration(PtxLexer& lexer, Declaration& result, const Type& type, uint64_t count,
                        uint64_t alignment) {
  result.type = type.name;
  // The alignment of a type is the minimum that compilers use.
  result.alignment = std::max(alignment, type.size * count);
  result.parameter_class = count > 1 || lexer.peek().is("[") ? AGGREGATE
                           : result.is_pointer               ? POINTER
                                                             : type.parameter_class;
  result.size = read_dimensions(lexer, type.size * count);
}

}  // namespace

std::optional<uint64_t> parse_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.starts_with("0b") || text.starts_with("0B")) {
    base = 2;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
  }
  if (!text.empty() && (text.back() == 'U' || text.back() == 'u')) text.remove_suffix(1);
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || rest != end || text.empty()) return std::nullopt;
  return value;
}

std::optional<uint64_t> read_number(PtxLexer& lexer) {
  const PtxToken number = lexer.next();
  if (number.kind != PtxToken::NUMBER) return std::nullopt;
  return parse_number(number.text);
}

bool read_attribute(PtxLexer& lexer) {
  if (!lexer.peek().is("(")) lexer.fail(lexer.peek(), ".attribute needs a parenthesis");
  const PtxToken open = lexer.next();
  bool managed = false;
  for (int depth = 1; depth > 0;) {
    const PtxToken token = lexer.next();
    if (token.kind == PtxToken::END) lexer.fail(open, "a parenthesis is not closed");
    depth += token.is("(") - token.is(")");
    managed = managed || token.is(".managed");
  }
  return managed;
}

Declaration read_parameter(PtxLexer& lexer) {
  const PtxToken space = lexer.next();
  if (!space.is(".param")) lexer.fail(space, "a parameter needs .param, a type and a name");
  uint64_t alignment = 1;
  if (lexer.peek().is(".align")) alignment = read_alignment(lexer, lexer.next());
  const uint64_t count = read_vector(lexer);
  const PtxToken word = lexer.next();
  const Type* type = find_type(word);
  if (type == nullptr || !can_be_parameter(*type))
    lexer.fail(word, "the type of a parameter is unknown: " + std::string(word.text));
  Declaration result;
  result.is_pointer = read_pointer(lexer);
  read_name(lexer, result);
  const PtxToken behind = lexer.peek();
  finish_declaration(lexer, result, *type, count, alignment);
  if (result.size == 0) lexer.fail(behind, "a parameter of a kernel has no size");
  return result;
}

Declaration read_variable(PtxLexer& lexer) {
  const Type* type = nullptr;
  uint64_t count = 1;
  uint64_t alignment = 1;
  Declaration result;
  while (lexer.peek().is_directive()) {
    const PtxToken word = lexer.next();
    if (word.is(".align"))
      alignment = read_alignment(lexer, word);
    else if (word.is(".attribute"))
      result.managed = read_attribute(lexer) || result.managed;
    else if (is_vector(word))
      count = static_cast<uint64_t>(word.text[2] - '0');
    else if (const Type* found = find_type(word))
      type = found;
  }
  const PtxToken name = lexer.peek();
  read_name(lexer, result);
  if (type == nullptr) lexer.fail(name, "the type of " + std::string(name.text) + " is unknown");
  finish_declaration(lexer, result, *type, count, alignment);
  return result;
}

}  // namespace cucore::image
