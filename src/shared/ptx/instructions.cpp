// SPDX-License-Identifier: Apache-2.0
// Reads instructions and their operands.
#include <cstring>
#include <utility>

#include "ptx/body.hpp"
#include "ptx/constants.hpp"
#include "ptx/forms.hpp"
#include "ptx/special_registers.hpp"

namespace cucore::ptx {

void BodyParser::guarded_instruction() {
  lexer_.peek();
  const char* start = lexer_.position();
  uint32_t line = lexer_.line();
  lexer_.expect('@');
  bool negated = lexer_.accept('!');
  std::optional<uint32_t> guard;
  lexer_.peek();
  std::string_view name = scan_register(guard);
  if (!guard || function_->registers[*guard] != Type::pred)
    lexer_.fail("'" + std::string(name) + "' is not a predicate");
  std::string_view opcode = lexer_.dotted();
  if (opcode.empty()) lexer_.fail_near("expected an instruction");
  instruction(start, line, opcode, *guard, negated);
}

void BodyParser::instruction(const char* start, uint32_t line, std::string_view name,
                             uint32_t guard, bool negated) {
  if (name[0] < 'a' || name[0] > 'z')
    lexer_.fail("'" + std::string(name) + "' is not an instruction");
  const Form* form = context_.forms.find_or_decode(name);
  bool is_old =
      form->op == Opcode::mad && is_float(form->types[0]) && form->rounding == Rounding::none;
  if (is_old && context_.module.target >= 20)
    lexer_.fail("'" + std::string(name) + "' needs a rounding for targets from sm_20");
  uint8_t count = 0;
  auto first = [this] { return static_cast<uint32_t>(function_->operands.size()); };
  if (form->op == Opcode::unsupported) {
    lexer_.skip_statement();
  } else if (form->op == Opcode::call) {
    count = call(*form);
    lexer_.expect(';');
  } else {
    WrittenOperands written;
    read_operands(*form, written);
    count = place_operands(context_, *function_, *form, written);
  }
  append(form, start, line, guard, negated, first() - count, count);
}

void BodyParser::append(const Form* form, const char* start, uint32_t line, uint32_t guard,
                        bool negated, uint32_t first_operand, uint8_t operand_count) {
  Instruction& added = function_->instructions.emplace_back();
  added.form = form;
  added.guard = guard;
  added.guard_negated = negated;
  added.operand_count = operand_count;
  added.first_operand = first_operand;
  added.line = line;
  added.text_offset = static_cast<uint32_t>(start - context_.module.text.data());
  added.text_length = static_cast<uint32_t>(lexer_.position() - start);
}

// Returns true for instructions on predicates that have no slot for a negated one.
static bool computes_predicates(const Form& form) {
  const bool is_logic = form.op == Opcode::and_ || form.op == Opcode::or_ ||
                        form.op == Opcode::xor_ || form.op == Opcode::not_;
  return (is_logic || form.op == Opcode::mov) && form.types[0] == Type::pred;
}

// Adds a register with the complement of a negated predicate.
Operand BodyParser::complement(Operand negated) {
  negated.negated = false;
  return add_register("%complement", Type::pred, "not.pred", negated);
}

// Reads the operands to the `;`, inclusive.
void BodyParser::read_operands(const Form& form, WrittenOperands& written) {
  if (lexer_.accept(';')) return;
  coordinates_ = sampler_ = Operand{};
  std::string_view pattern = spec_of(form.op).pattern;
  char first_slot = pattern.empty() ? '\0' : pattern[0];
  if (first_slot == 'l') {
    add_operand(written, label_operand());
    return lexer_.expect(';');
  }
  for (;;) {
    bool is_targets = form.op == Opcode::brx_idx && written.count == 1;
    Operand read = is_targets ? targets_operand() : operand(form);
    if (read.negated && written.count > 0 && computes_predicates(form)) read = complement(read);
    add_operand(written, read);
    if (coordinates_.kind == OperandKind::VECTOR)
      add_operand(written, std::exchange(coordinates_, Operand{}));
    if (sampler_.kind != OperandKind::NONE) {
      add_operand(written, std::exchange(sampler_, Operand{}));
      written.has_sampler = true;
    }
    char c = lexer_.peek();
    if (c == '|' && written.count == 1)
      written.has_pair = true;
    else if (c != ',')
      return lexer_.expect(';');
    lexer_.expect(c);
  }
}

void BodyParser::add_operand(WrittenOperands& written, const Operand& operand) {
  if (written.count == MAX_OPERANDS) lexer_.fail("too many operands");
  written.items[written.count++] = operand;
}

Operand BodyParser::operand(const Form& form) {
  char c = lexer_.peek();
  switch (c) {
    case '%':
      return percent_operand(form);
    case '[':
      return memory_operand(form);
    case '{':
      return vector_operand(form);
    case '!':
      return negated_operand();
    case '-':
      if (form.op == Opcode::vmad && !is_class(lexer_.position()[1], CHAR_DIGIT))
        return minus_operand(form);
      break;
    default:
      break;
  }
  bool word = is_class(c, CHAR_WORD) && !is_class(c, CHAR_DIGIT);
  return word ? named_operand(form) : constant_operand();
}

// Reads "-%r1.h0" of vmad.
Operand BodyParser::minus_operand(const Form& form) {
  lexer_.expect('-');
  Operand result = operand(form);
  if (result.kind != OperandKind::REG || result.negated)
    lexer_.fail_near("expected a register behind '-'");
  result.negated = true;
  return result;
}

// Reads the parts behind a register of a video instruction: ".b0", ".h1", ".h32", ".b7654".
Operand BodyParser::selected(const Form& form, Operand operand) {
  if (!is_video(form.op) || *lexer_.position() != '.') return operand;
  std::string_view text = lexer_.directive();
  VideoSelector selector;
  if (text.size() > 1 && text[1] == 'b') selector.part_bytes = 1;
  if (text.size() > 1 && text[1] == 'h') selector.part_bytes = 2;
  bool fits = selector.part_bytes != 0 && text.size() >= 3 && text.size() <= 6;
  for (size_t i = 2; i < text.size() && fits; ++i) {
    fits = text[i] >= '0' && text[i] <= '7';
    selector.parts = selector.parts << 3 | static_cast<uint32_t>(text[i] - '0');
    ++selector.count;
  }
  if (!fits) lexer_.fail("malformed selector '" + std::string(text) + "'");
  operand.bits = selector.packed();
  return operand;
}

// Reads "!%p" or a constant such as "!5"; of registers, only a predicate can be negated.
Operand BodyParser::negated_operand() {
  const Lexer start = lexer_;
  lexer_.expect('!');
  const char c = lexer_.peek();
  const bool is_name = is_class(c, CHAR_WORD) && !is_class(c, CHAR_DIGIT);
  if (!is_name || lexer_.accept_word("WARP_SZ")) {
    lexer_ = start;
    return constant_operand();
  }
  std::optional<uint32_t> found;
  scan_register(found);
  if (!found) lexer_.fail_near("expected a predicate behind '!'");
  Operand negated = register_operand(*found);
  negated.negated = true;
  return negated;
}

Operand BodyParser::percent_operand(const Form& form) {
  std::optional<uint32_t> found;
  std::string_view name = scan_register(found);
  if (found) return selected(form, register_operand(*found));
  std::optional<Operand> special = special_register(name);
  if (!special) lexer_.fail("unknown register '" + std::string(name) + "'");
  return form.op == Opcode::mov ? *special : move_to_register(*special);
}

// Hashes the name and its stem without trailing digits in one pass.
std::string_view BodyParser::scan_register(std::optional<uint32_t>& found) {
  const char* start = lexer_.position();
  const char* at = start;
  const char* stem = start;
  uint64_t hash = HASH_START, stem_hash = HASH_START;
  for (; is_class(*at, CHAR_WORD); ++at) {
    hash = hash_step(hash, *at);
    if (is_class(*at, CHAR_DIGIT)) continue;
    stem = at + 1;
    stem_hash = hash;
  }
  lexer_.advance_to(at);
  std::string_view name(start, static_cast<size_t>(at - start));
  found = find_register(name, hash, static_cast<size_t>(stem - start), stem_hash);
  return name;
}

// "%r12" is register 12 of the range `%r<n>`, unless a nearer scope declares that exact name.
std::optional<uint32_t> BodyParser::find_register(std::string_view name, uint64_t hash, size_t stem,
                                                  uint64_t stem_hash) {
  uint32_t whole_depth = 0, range_depth = 0;
  bool numbered = stem < name.size() && stem > 0;
  bool try_whole = !numbered || symbols_.has_numbered_names();
  const Symbol* whole = try_whole ? symbols_.find(name, hash, &whole_depth) : nullptr;
  const Symbol* range =
      numbered ? symbols_.find(name.substr(0, stem), stem_hash, &range_depth) : nullptr;
  bool is_range = range != nullptr && range->kind == SymbolKind::RANGE &&
                  (whole == nullptr || range_depth > whole_depth);
  if (!is_range) {
    if (whole == nullptr || whole->kind != SymbolKind::REG) return std::nullopt;
    return whole->index;
  }
  uint64_t number = 0;
  bool canonical = name.size() - stem <= 9 && (name[stem] != '0' || name.size() == stem + 1);
  for (size_t i = stem; i < name.size() && canonical; ++i) number = number * 10 + (name[i] - '0');
  if (!canonical || number >= range->count) return std::nullopt;
  return range->index + static_cast<uint32_t>(number);
}

Operand BodyParser::register_operand(uint32_t index) const {
  Operand result;
  result.kind = OperandKind::REG;
  result.index = index;
  return result;
}

std::optional<Operand> BodyParser::special_register(std::string_view name) {
  auto found = find_special_register(name);
  if (!found) return std::nullopt;
  Operand result;
  result.kind = OperandKind::SPECIAL;
  result.index = *found;
  if (*lexer_.position() != '.') return result;
  static constexpr std::string_view COMPONENTS[] = {".x", ".y", ".z", ".w"};
  std::string_view component = lexer_.directive();
  for (uint8_t i = 0; i < 4; ++i) {
    if (component != COMPONENTS[i]) continue;
    result.component = i;
    return result;
  }
  lexer_.fail("unknown component '" + std::string(component) + "'");
}

// Instructions other than mov read a special register through an added register.
Operand BodyParser::move_to_register(const Operand& special) {
  const bool wide = is_wide_special_register(special.index);
  return add_register("%special", wide ? Type::u64 : Type::u32, wide ? "mov.u64" : "mov.u32",
                      special);
}

// Adds a register, and an instruction that sets it.
Operand BodyParser::add_register(std::string_view name, Type type, std::string_view opcode,
                                 const Operand& source) {
  if (context_.registers_left == 0 || function_->registers.size() >= MAX_FUNCTION_REGISTERS)
    lexer_.fail("too many registers");
  --context_.registers_left;
  const auto index = static_cast<uint32_t>(function_->registers.size());
  function_->registers.push_back(type);
  function_->register_names.push_back({name, index, 1, false});
  const auto first = static_cast<uint32_t>(function_->operands.size());
  function_->operands.push_back(register_operand(index));
  function_->operands.push_back(source);
  const Form* form = context_.forms.find_or_decode(opcode);
  append(form, lexer_.position(), lexer_.line(), NONE, false, first, 2);
  return register_operand(index);
}

// Reads a register without `%` (inline assembly), a variable, a function or `_`.
Operand BodyParser::named_operand(const Form& form) {
  const char* start = lexer_.position();
  std::optional<uint32_t> found;
  std::string_view name = scan_register(found);
  if (found) return selected(form, register_operand(*found));
  if (name == "_") {
    Operand sink;
    sink.kind = OperandKind::SINK;
    return sink;
  }
  if (name == "WARP_SZ") {
    lexer_.advance_to(start);
    return constant_operand();
  }
  return variable_operand(OperandKind::SYMBOL, name);
}

// Reads a name with an optional "+ 4" or "[2]".
Operand BodyParser::variable_operand(OperandKind kind, std::string_view name) {
  Operand result;
  result.kind = kind;
  Variable* variable = nullptr;
  const Symbol* local = symbols_.find(name);
  const ModuleSymbol* symbol = local == nullptr ? context_.find_symbol(name) : nullptr;
  if (local != nullptr && local->kind == SymbolKind::VARIABLE) {
    result.base = Base::LOCAL_VARIABLE;
    result.index = local->index;
    variable = &function_->variables[local->index];
  } else if (symbol != nullptr) {
    result.base = Base::MODULE_VARIABLE;
    result.index = symbol->index;
    if (symbol->is_function) {
      if (kind == OperandKind::MEMORY) lexer_.fail("a function has no memory to access");
      result.kind = OperandKind::FUNCTION;
      return result;
    }
    variable = &context_.module.variables[symbol->index];
  } else {
    lexer_.fail("unknown symbol '" + std::string(name) + "'");
  }
  char c = lexer_.peek();
  if (c == '+' || c == '-') {
    result.bits = parse_integer(lexer_, "an offset");
  } else if (c == '[') {
    lexer_.expect('[');
    result.bits = parse_integer(lexer_, "an index") * size_of(variable->type) * variable->vector;
    variable->is_indexed = true;
    lexer_.expect(']');
  }
  return result;
}

Operand BodyParser::constant_operand() {
  Operand result;
  result.kind = OperandKind::IMMEDIATE;
  if (small_integer(result)) return result;
  Constant constant = parse_constant(lexer_);
  result.literal = constant.literal;
  result.bits = constant.bits;
  return result;
}

// Most constants are short decimal numbers, which do not need the expression parser.
bool BodyParser::small_integer(Operand& result) {
  const char* at = lexer_.position();
  bool negative = *at == '-';
  at += negative;
  if (!is_class(*at, CHAR_DIGIT) || (*at == '0' && is_class(at[1], CHAR_WORD))) return false;
  const char* first = at;
  uint64_t value = 0;
  for (; is_class(*at, CHAR_DIGIT); ++at) value = value * 10 + static_cast<uint64_t>(*at - '0');
  if (at - first > 18 || (*at != ',' && *at != ';' && *at != ']' && *at != '}')) return false;
  lexer_.advance_to(at);
  result.literal = Literal::INTEGER;
  result.bits = negative ? 0 - value : value;
  return true;
}

// Reads "{x, y}", "sampler, {x, y}", or the only coordinate of a line of texels.
Operand BodyParser::coordinate_operand(const Form& form) {
  if (lexer_.peek() == '{') return vector_operand(form);
  const Operand item = operand(form);
  if (spec_of(form.op).rule == Rule::TEXTURE && lexer_.accept(',')) {
    if (sampler_.kind != OperandKind::NONE) lexer_.fail("a texture with two samplers");
    sampler_ = item;
    return coordinate_operand(form);
  }
  if (item.kind != OperandKind::REG && item.kind != OperandKind::IMMEDIATE)
    lexer_.fail("a coordinate must be a register or a constant");
  Operand result;
  result.kind = OperandKind::VECTOR;
  result.index = static_cast<uint32_t>(function_->elements.size());
  result.count = 1;
  function_->elements.push_back(item);
  return result;
}

// The coordinates of a tensor or of texels, "[map, {x, y}]", are the next operand.
Operand BodyParser::memory_operand(const Form& form) {
  lexer_.expect('[');
  Operand result;
  char c = lexer_.peek();
  if (is_class(c, CHAR_DIGIT) || (c != 0 && std::strchr("-+~!(", c))) {
    result.bits = parse_integer(lexer_, "an address");
  } else {
    std::optional<uint32_t> found;
    std::string_view name = scan_register(found);
    if (name.empty()) lexer_.fail_near("expected an address");
    if (found) {
      result = register_operand(*found);
      result.base = Base::REG;
      c = lexer_.peek();
      if (c == '+') {
        lexer_.expect('+');
        Operand offset = constant_operand();
        if (offset.literal != Literal::INTEGER) lexer_.fail("an offset must be an integer");
        result.bits = offset.bits;
      } else if (c == '-') {
        result.bits = parse_integer(lexer_, "an offset");
      }
    } else {
      result = variable_operand(OperandKind::MEMORY, name);
    }
  }
  result.kind = OperandKind::MEMORY;
  if (form.dimensions != 0 && lexer_.accept(',')) coordinates_ = coordinate_operand(form);
  lexer_.expect(']');
  return result;
}

Operand BodyParser::vector_operand(const Form& form) {
  lexer_.expect('{');
  Operand result;
  result.kind = OperandKind::VECTOR;
  result.index = static_cast<uint32_t>(function_->elements.size());
  do {
    if (result.count == MAX_ELEMENTS) lexer_.fail("too many elements");
    function_->elements.push_back(operand_of_vector(form));
    ++result.count;
  } while (lexer_.accept(','));
  lexer_.expect('}');
  return result;
}

// Elements are registers, constants and sinks; a special register is first moved to a register.
Operand BodyParser::operand_of_vector(const Form& form) {
  char c = lexer_.peek();
  if (c == '{' || c == '[') lexer_.fail_near("expected an element");
  Operand item = operand(form);
  if (item.negated) lexer_.fail("a negated predicate cannot be an element");
  if (item.kind == OperandKind::SPECIAL) item = move_to_register(item);
  if (item.kind == OperandKind::SYMBOL || item.kind == OperandKind::FUNCTION)
    lexer_.fail("an address cannot be an element");
  return item;
}

Operand BodyParser::label_operand() {
  std::string_view name = lexer_.expect_word("a label");
  Operand result;
  result.kind = OperandKind::LABEL;
  // place_operands appends it as the only operand.
  auto place = static_cast<uint32_t>(function_->operands.size());
  pending_.push_back({name, LabelUse::OPERAND, place, 0, lexer_.line()});
  return result;
}

Operand BodyParser::targets_operand() {
  std::string_view name = lexer_.expect_word("a list of branch targets");
  auto found = target_lists_.find(name);
  if (found == target_lists_.end())
    lexer_.fail("unknown list of branch targets '" + std::string(name) + "'");
  Operand result;
  result.kind = OperandKind::TARGETS;
  result.index = found->second;
  return result;
}

}  // namespace cucore::ptx
