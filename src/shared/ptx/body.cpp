// SPDX-License-Identifier: Apache-2.0
// Scopes, labels and declarations of function bodies.
#include "ptx/body.hpp"

#include "ptx/constants.hpp"
#include "ptx/declarations.hpp"
#include "ptx/log.hpp"

namespace cucore::ptx {
namespace {

constexpr size_t MAX_SCOPES = 128;

}  // namespace

void BodyParser::parse(Function& function) {
  begin(function);
  lexer_.expect('{');
  open_scope();
  while (!scopes_.empty()) {
    if (lexer_.at_end())
      lexer_.fail("the body of '" + std::string(function.name) + "' is not closed");
    const char* start = lexer_.position();
    try {
      statement();
    } catch (const ParseError& error) {
      recover(error, start);
    }
  }
}

void BodyParser::begin(Function& function) {
  function_ = &function;
  symbols_.clear();
  labels_.clear();
  scopes_.clear();
  pending_.clear();
  prototypes_.clear();
  target_lists_.clear();
  param_bytes_ = function.param_frame_bytes;
  last_label_ = 0;
  function.is_declaration = false;
  symbols_.open_scope();
  declare_parameters();
}

void BodyParser::declare_parameters() {
  for (uint32_t i = 0; i < function_->variables.size(); ++i) {
    Variable& variable = function_->variables[i];
    if (variable.is_register) {
      variable.reg = static_cast<uint32_t>(function_->registers.size());
      function_->registers.push_back(variable.type);
      function_->register_names.push_back({variable.name, variable.reg, 1, false});
      declare(variable.name, {SymbolKind::REG, variable.reg, 1});
    } else {
      declare(variable.name, {SymbolKind::VARIABLE, i, 1});
    }
  }
}

// Execution must not run past the end. A body gets a return if its last instruction may continue or
// it ends with a label.
void BodyParser::finish() {
  bool ends = false;
  if (!function_->instructions.empty() && function_->instructions.back().guard == NONE) {
    Opcode last = function_->instructions.back().form->op;
    ends =
        last == Opcode::ret || last == Opcode::exit || last == Opcode::trap || last == Opcode::bra;
    ends = ends && last_label_ < function_->instructions.size();
  }
  if (!ends) {
    auto first = static_cast<uint32_t>(function_->operands.size());
    append(context_.forms.find_or_decode("ret"), lexer_.position(), 0, NONE, false, first, 0);
  }
}

// Continues after the statement, so that one text reports several errors.
void BodyParser::recover(const ParseError& error, const char* start) {
  log_error(context_.log, error.line, error.text);
  const char* at = lexer_.position();
  bool statement_is_read = at > start && at[-1] == ';';
  if (!statement_is_read) lexer_.skip_to_semicolon();
}

void BodyParser::statement() {
  switch (lexer_.peek()) {
    case '{':
      return open_scope();
    case '}':
      return close_scope();
    case ';':
      lexer_.expect(';');
      return;
    case '.':
      return directive();
    case '@':
      return guarded_instruction();
    default:
      return named_statement();
  }
}

void BodyParser::open_scope() {
  if (!scopes_.empty()) lexer_.expect('{');
  if (scopes_.size() == MAX_SCOPES) lexer_.fail("scopes are nested too deeply");
  scopes_.push_back({pending_.size(), param_bytes_});
  symbols_.open_scope();
  labels_.open_scope();
}

void BodyParser::close_scope() {
  lexer_.expect('}');
  OpenScope scope = scopes_.back();
  scopes_.pop_back();
  param_bytes_ = scope.param_bytes;
  if (scopes_.empty()) finish();
  resolve_labels(scope.first_pending);
  symbols_.close_scope();
  labels_.close_scope();
}

// Unresolved names stay pending for the enclosing scope.
void BodyParser::resolve_labels(size_t first) {
  size_t kept = first;
  for (size_t i = first; i < pending_.size(); ++i)
    if (!resolve_label(pending_[i])) pending_[kept++] = pending_[i];
  if (scopes_.empty())
    for (size_t i = first; i < kept; ++i)
      log_error(context_.log, pending_[i].line,
                "unknown label '" + std::string(pending_[i].name) + "'");
  pending_.resize(kept);
}

bool BodyParser::resolve_label(const PendingLabel& pending) {
  const Symbol* label = labels_.find(pending.name);
  if (label == nullptr) return false;
  if (pending.use == LabelUse::OPERAND) {
    // A statement with an error has no operand.
    if (pending.index < function_->operands.size())
      function_->operands[pending.index].index = label->index;
  } else {
    function_->target_lists[pending.index][pending.place] = label->index;
  }
  return true;
}

// Reads a label or an instruction: both begin with a word.
void BodyParser::named_statement() {
  lexer_.peek();
  const char* start = lexer_.position();
  uint32_t line = lexer_.line();
  std::string_view name = lexer_.dotted();
  if (name.empty()) lexer_.fail_near("expected an instruction");
  if (*lexer_.position() == ':' || lexer_.peek() == ':') return label(name);
  instruction(start, line, name, NONE, false);
}

void BodyParser::label(std::string_view name) {
  lexer_.expect(':');
  if (name.find('.') != std::string_view::npos || is_class(name[0], CHAR_DIGIT))
    lexer_.fail("malformed label '" + std::string(name) + "'");
  if (lexer_.peek() == '.') {
    if (lexer_.accept_word(".callprototype")) return prototype(name);
    if (lexer_.accept_word(".branchtargets")) return branch_targets(name);
    if (lexer_.accept_word(".calltargets")) return call_targets(name);
  }
  auto index = static_cast<uint32_t>(function_->instructions.size());
  last_label_ = index;
  if (!labels_.declare(name, {SymbolKind::VARIABLE, index, 1}))
    log_error(context_.log, lexer_.line(), "label '" + std::string(name) + "' is defined twice");
}

void BodyParser::directive() {
  std::string_view name = lexer_.directive();
  if (name == ".reg") return declare_registers();
  if (name == ".loc") return source_location();
  if (name == ".param") return declare_variables(Space::param);
  if (name == ".local") return declare_variables(Space::local);
  if (name == ".shared") return declare_variables(Space::shared);
  if (name == ".pragma" || name == ".attribute") return lexer_.skip_statement();
  lexer_.fail("unknown directive '" + std::string(name) + "'");
}

void BodyParser::declare(std::string_view name, const Symbol& symbol) {
  if (!symbols_.declare(name, symbol)) lexer_.fail("'" + std::string(name) + "' is declared twice");
}

void BodyParser::declare_registers() {
  for (const char* vector : {".v2", ".v4"})
    if (lexer_.accept_word(vector)) lexer_.fail("vector registers are not supported");
  Type type = parse_type(lexer_);
  if (type >= Type::texref) lexer_.fail("a register cannot have this type");
  do {
    declare_register(lexer_.expect_word("a register's name"), type);
  } while (lexer_.accept(','));
  lexer_.expect(';');
}

void BodyParser::declare_register(std::string_view name, Type type) {
  uint64_t count = 1;
  bool is_range = lexer_.accept('<');
  if (is_range) {
    count = parse_integer_atom(lexer_, "a number of registers");
    lexer_.expect('>');
  }
  if (count > context_.registers_left ||
      count + function_->registers.size() > MAX_FUNCTION_REGISTERS)
    lexer_.fail("too many registers");
  context_.registers_left -= count;
  auto first = static_cast<uint32_t>(function_->registers.size());
  auto number = static_cast<uint32_t>(count);
  declare(name, {is_range ? SymbolKind::RANGE : SymbolKind::REG, first, number});
  if (number == 0) return;
  function_->registers.resize(first + number, type);
  function_->register_names.push_back({name, first, number, is_range});
}

void BodyParser::declare_variables(Space space) {
  parse_variables(context_, space, Linkage::INTERNAL, [&](Variable&& variable) {
    if (lexer_.peek() == '=') lexer_.fail("a variable of a function has no initial value");
    if (variable.type == Type::pred) lexer_.fail("a variable cannot be .pred");
    place_variable(variable);
    auto index = static_cast<uint32_t>(function_->variables.size());
    declare(variable.name, {SymbolKind::VARIABLE, index, 1});
    function_->variables.push_back(std::move(variable));
  });
}

// Places a variable in its frame. Local variables live as long as the call. Parameters of a call
// end with their scope, so consecutive calls reuse the same bytes.
void BodyParser::place_variable(Variable& variable) {
  Function& function = *function_;
  if (variable.space == Space::shared) return;
  uint64_t& end = variable.space == Space::local ? function.local_bytes : param_bytes_;
  variable.offset = align_up(end, variable.align);
  if (variable.size > MAX_FRAME_BYTES || variable.offset + variable.size > MAX_FRAME_BYTES)
    lexer_.fail("variable '" + std::string(variable.name) + "' is too large");
  end = variable.offset + variable.size;
  if (variable.space == Space::local)
    function.local_align = std::max(function.local_align, variable.align);
  function.param_frame_bytes = std::max(function.param_frame_bytes, param_bytes_);
}

// Reads ".loc 1 10 5, function_name $L, inlined_at 1 20 3", which has no semicolon.
void BodyParser::source_location() {
  SourceLine line;
  static_cast<SourcePosition&>(line) = source_position();
  while (lexer_.accept(',')) {
    if (lexer_.expect_word("'function_name' or 'inlined_at'") == "inlined_at") {
      line.inlined_at = source_position();
      continue;
    }
    line.inlined_symbol = lexer_.word();
    if (lexer_.accept('+')) line.inlined_offset = parse_integer_atom(lexer_, "an offset");
  }
  line.first_instruction = static_cast<uint32_t>(function_->instructions.size());
  function_->source_lines.push_back(line);
}

SourcePosition BodyParser::source_position() {
  uint32_t numbers[3] = {};
  for (uint32_t& number : numbers)
    if (is_class(lexer_.peek(), CHAR_DIGIT))
      number = static_cast<uint32_t>(parse_integer_atom(lexer_, "a source position"));
  return {numbers[0], numbers[1], numbers[2]};
}

// Reads "name: .callprototype (.param .b32 _) _ (.param .b64 _);".
void BodyParser::prototype(std::string_view name) {
  Prototype prototype;
  prototype.name = name;
  uint64_t offset = 0;
  if (lexer_.peek() == '(') prototype.returns = parse_parameters(context_, offset);
  lexer_.expect_word("'_'");
  if (lexer_.peek() == '(') prototype.inputs = parse_parameters(context_, offset);
  prototype.is_noreturn = lexer_.accept_word(".noreturn");
  lexer_.skip_statement();
  prototypes_[name] = static_cast<uint32_t>(function_->prototypes.size());
  function_->prototypes.push_back(std::move(prototype));
}

void BodyParser::branch_targets(std::string_view name) {
  auto list = static_cast<uint32_t>(function_->target_lists.size());
  std::vector<uint32_t>& targets = function_->target_lists.emplace_back();
  target_lists_[name] = list;
  do {
    std::string_view label = lexer_.expect_word("a label");
    auto place = static_cast<uint32_t>(targets.size());
    targets.push_back(0);
    pending_.push_back({label, LabelUse::TARGET_LIST, list, place, lexer_.line()});
  } while (lexer_.accept(','));
  lexer_.expect(';');
}

// Reads "name: .calltargets f, g;", the possible targets of a call; all have the parameters of the
// first one.
void BodyParser::call_targets(std::string_view name) {
  std::string_view target = lexer_.expect_word("a function");
  const ModuleSymbol* symbol = context_.find_symbol(target);
  if (symbol == nullptr || !symbol->is_function)
    lexer_.fail("unknown function '" + std::string(target) + "'");
  Prototype prototype;
  prototype.name = name;
  prototype.function = symbol->index;
  lexer_.skip_statement();
  prototypes_[name] = static_cast<uint32_t>(function_->prototypes.size());
  function_->prototypes.push_back(std::move(prototype));
}

}  // namespace cucore::ptx
