// Declarations in PTX.
#include "container/ptx_declaration.hpp"

#include <charconv>

namespace cucore::container {

namespace {

constexpr uint64_t kMaxObject = uint64_t{1} << 40;

/// Bytes of one element of ".u32", ".f64", ".b128", ".f16x2"; 0 for words that are no type. The
/// opaque types are handles of 8 bytes.
uint64_t type_size(std::string_view word) {
  struct Type {
    std::string_view name;
    uint64_t size;
  };
  static constexpr Type kTypes[] = {
      {".b8", 1},        {".u8", 1},     {".s8", 1},     {".b16", 2},    {".u16", 2},
      {".s16", 2},       {".f16", 2},    {".bf16", 2},   {".b32", 4},    {".u32", 4},
      {".s32", 4},       {".f32", 4},    {".f16x2", 4},  {".bf16x2", 4}, {".tf32", 4},
      {".b64", 8},       {".u64", 8},    {".s64", 8},    {".f64", 8},    {".f32x2", 8},
      {".b128", 16},     {".u128", 16},  {".s128", 16},  {".pred", 1},   {".e4m3", 1},
      {".e5m2", 1},      {".e4m3x2", 2}, {".e5m2x2", 2}, {".texref", 8}, {".surfref", 8},
      {".samplerref", 8}};
  for (const Type& type : kTypes) {
    if (type.name == word) return type.size;
  }
  return 0;
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
  uint64_t element = 0;
  uint64_t count = 1;
  std::optional<uint64_t> alignment;
  Declaration result;
  bool pointer = false;
  while (lexer.peek().is_directive()) {
    const PtxToken word = lexer.next();
    if (word.is(".align")) {
      const uint64_t value = read_alignment(lexer, word);
      // After .ptr it is the alignment of what the parameter points to.
      if (!pointer) alignment = value;
    } else if (word.is(".ptr")) {
      pointer = true;
    } else if (word.is(".attribute")) {
      result.managed = read_attribute(lexer) || result.managed;
    } else if (word.is(".v2") || word.is(".v4") || word.is(".v8")) {
      count = static_cast<uint64_t>(word.text[2] - '0');
    } else if (const uint64_t size = type_size(word.text)) {
      element = size;
    }
  }
  const PtxToken name = lexer.next();
  if (!name.is_name()) lexer.fail(name, "a declaration needs a name");
  if (element == 0) lexer.fail(name, "the type of " + std::string(name.text) + " is unknown");
  result.name = name.text;
  result.alignment = alignment.value_or(element * count);
  result.size = read_dimensions(lexer, element * count);
  return result;
}

}  // namespace cucore::container
