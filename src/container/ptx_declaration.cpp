// Declarations in PTX.
#include "container/ptx_declaration.hpp"

#include <charconv>

namespace cucore::container {

namespace {

constexpr uint64_t kMaxObject = uint64_t{1} << 40;

using enum ParameterClass;

struct Type {
  std::string_view name;
  uint64_t size;  ///< bytes of one element
  ParameterClass parameter_class = INTEGER;
};

/// The opaque types are handles of 8 bytes. Packed numbers are bytes to a caller.
constexpr Type kTypes[] = {{".b8", 1},
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

/// nullptr for words that are not types.
const Type* find_type(std::string_view word) {
  for (const Type& type : kTypes) {
    if (type.name == word) return &type;
  }
  return nullptr;
}

uint64_t read_alignment(PtxLexer& lexer, const PtxToken& word) {
  const auto value = parse_number(lexer.next().text);
  if (!value || *value == 0 || (*value & (*value - 1)) != 0 || *value > 65536) {
    lexer.fail(word, ".align needs a power of two");
  }
  return *value;
}

uint64_t read_dimensions(PtxLexer& lexer, uint64_t size) {
  while (lexer.peek().is("[")) {
    const PtxToken open = lexer.next();
    uint64_t count = 0;
    if (!lexer.peek().is("]")) {
      const auto number = parse_number(lexer.next().text);
      if (!number) lexer.fail(open, "a dimension must be a number");
      count = *number;
    }
    if (!lexer.next().is("]")) lexer.fail(open, "a bracket is not closed");
    if (count != 0 && size > kMaxObject / count) lexer.fail(open, "the array is too large");
    size *= count;
  }
  return size;
}

}  // namespace

std::optional<uint64_t> parse_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
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

Declaration read_declaration(PtxLexer& lexer) {
  const Type* type = nullptr;
  uint64_t count = 1;
  std::optional<uint64_t> alignment;
  Declaration result;
  while (lexer.peek().is_directive()) {
    const PtxToken word = lexer.next();
    if (word.is(".align")) {
      const uint64_t value = read_alignment(lexer, word);
      // After .ptr it is the alignment of what the parameter points to.
      if (!result.is_pointer) alignment = value;
    } else if (word.is(".ptr")) {
      result.is_pointer = true;
    } else if (word.is(".attribute")) {
      result.managed = read_attribute(lexer) || result.managed;
    } else if (word.is(".v2") || word.is(".v4") || word.is(".v8")) {
      count = static_cast<uint64_t>(word.text[2] - '0');
    } else if (const Type* found = find_type(word.text)) {
      type = found;
    }
  }
  const PtxToken name = lexer.next();
  if (!name.is_name()) lexer.fail(name, "a declaration needs a name");
  if (type == nullptr) lexer.fail(name, "the type of " + std::string(name.text) + " is unknown");
  result.name = name.text;
  result.type = type->name;
  result.alignment = alignment.value_or(type->size * count);
  result.parameter_class = count > 1 || lexer.peek().is("[") ? AGGREGATE
                           : result.is_pointer               ? POINTER
                                                             : type->parameter_class;
  result.size = read_dimensions(lexer, type->size * count);
  return result;
}

}  // namespace cucore::container
