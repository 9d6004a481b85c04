// SPDX-License-Identifier: Apache-2.0
// Module level of the PTX reader: directives, variables and functions.
#include "ptx/parser.hpp"

#include "ptx/body.hpp"
#include "ptx/constants.hpp"
#include "ptx/context.hpp"
#include "ptx/declarations.hpp"
#include "ptx/forms.hpp"
#include "ptx/log.hpp"

namespace cucore::ptx {
namespace {

constexpr int NEWEST_MAJOR = 9;
constexpr size_t MAX_TEXT_BYTES = size_t{1} << 30;

class ModuleParser {
 public:
  ModuleParser(Module& module, std::string_view text, Diagnostics& log)
      : context_(module, text, log), lexer_(context_.lexer), module_(module), bodies_(context_) {}

  void parse() {
    version();
    target();
    while (!lexer_.at_end()) statement();
    resolve_relocations();
  }

 private:
  void version() {
    if (!lexer_.accept_word(".version")) lexer_.fail_near("missing '.version' at the start");
    module_.version_major = static_cast<int>(small_number("a version", 1000));
    // "8.10" is not 8.1, because the minor version is a separate number.
    if (*lexer_.position() == '.') {
      lexer_.advance_to(lexer_.position() + 1);
      module_.version_minor = static_cast<int>(small_number("a version", 1000));
    }
    if (module_.version_major <= NEWEST_MAJOR && module_.version_major > 0) return;
    context_.log.unsupported_version = true;
    lexer_.fail("unsupported .version " + std::to_string(module_.version_major) + "." +
                std::to_string(module_.version_minor));
  }

  uint64_t small_number(const char* what, uint64_t limit) {
    std::string_view digits = lexer_.word();
    uint64_t value = 0;
    for (char c : digits) {
      if (!is_class(c, CHAR_DIGIT)) lexer_.fail(std::string("malformed ") + what);
      value = value * 10 + static_cast<uint64_t>(c - '0');
      if (value > limit) lexer_.fail(std::string("malformed ") + what);
    }
    if (digits.empty()) lexer_.fail_near(std::string("expected ") + what);
    return value;
  }

  // Reads ".target sm_90a, debug".
  void target() {
    if (!lexer_.accept_word(".target")) lexer_.fail_near("missing '.target'");
    do {
      std::string_view name = lexer_.expect_word("a target");
      if (name.starts_with("sm_") || name.starts_with("compute_")) architecture(name);
    } while (lexer_.accept(','));
    if (module_.target == 0) lexer_.fail("no sm_ target");
  }

  void architecture(std::string_view name) {
    name.remove_prefix(name.find('_') + 1);
    int number = 0;
    while (!name.empty() && is_class(name[0], CHAR_DIGIT) && number < 10000) {
      number = number * 10 + (name[0] - '0');
      name.remove_prefix(1);
    }
    bool suffix = name == "a" || name == "f";
    if (number == 0 || (!name.empty() && !suffix)) lexer_.fail("malformed target");
    module_.target = number;
    module_.target_suffix = suffix ? name[0] : char{0};
  }

  void statement() {
    if (lexer_.accept(';')) return;
    uint32_t line = lexer_.line();
    std::string_view name = lexer_.directive();
    Linkage linkage = Linkage::INTERNAL;
    if (take_linkage(name, linkage)) name = lexer_.directive();
    if (name == ".entry") return function(true, linkage, line);
    if (name == ".func") return function(false, linkage, line);
    if (name == ".global") return variables(Space::global, linkage);
    if (name == ".const") return variables(Space::constant, linkage);
    if (name == ".shared") return variables(Space::shared, linkage);
    if (name == ".local") return variables(Space::local, linkage);
    if (name == ".tex") return variables(Space::tex, linkage);
    if (linkage == Linkage::INTERNAL) return directive(name);
    lexer_.fail_near("expected a function or variable");
  }

  static bool take_linkage(std::string_view name, Linkage& linkage) {
    if (name == ".visible") linkage = Linkage::VISIBLE;
    if (name == ".extern") linkage = Linkage::EXTERNAL;
    if (name == ".weak") linkage = Linkage::WEAK;
    if (name == ".common") linkage = Linkage::COMMON;
    return linkage != Linkage::INTERNAL;
  }

  void directive(std::string_view name) {
    if (name == ".address_size") return address_size();
    if (name == ".file") return file();
    if (name == ".section") return section();
    if (name == ".pragma" || name == ".attribute") return lexer_.skip_statement();
    if (name == ".alias") return alias();
    lexer_.fail(name.empty() ? "malformed text" : "unknown directive '" + std::string(name) + "'");
  }

  void address_size() {
    uint64_t bits = small_number("an address size", 64);
    if (bits != 64) lexer_.fail("only .address_size 64 is supported");
    module_.address_size = 64;
  }

  // Skips `.file 1 "name", time, size`.
  void file() {
    SourceFile& added = module_.files.emplace_back();
    added.number = static_cast<uint32_t>(small_number("a file's number", UINT32_MAX));
    added.name = lexer_.string();
    while (lexer_.accept(',')) small_number("a file's time or size", UINT64_MAX / 20);
  }

  // Skips debug information.
  void section() {
    lexer_.dotted();
    lexer_.block();
  }

  // Reads ".alias name, target;". Both names must be declared before.
  void alias() {
    Function& name = module_.functions[declared_function()];
    lexer_.expect(',');
    uint32_t target = declared_function();
    lexer_.expect(';');
    if (&name == &module_.functions[target] || !name.is_declaration || name.is_entry ||
        module_.functions[target].is_entry || module_.functions[target].alias_of != NONE)
      lexer_.fail("malformed alias of '" + std::string(name.name) + "'");
    if (!same_signature(name, module_.functions[target]))
      lexer_.fail("'" + std::string(name.name) + "' and its alias have other parameters");
    name.alias_of = target;
  }

  uint32_t declared_function() {
    std::string_view name = lexer_.expect_word("a function");
    const ModuleSymbol* symbol = context_.find_symbol(name);
    if (symbol == nullptr || !symbol->is_function)
      lexer_.fail("unknown function '" + std::string(name) + "'");
    return symbol->index;
  }

  // Variables

  void variables(Space space, Linkage linkage) {
    if (space == Space::constant && lexer_.accept('[')) {  // a bank of older PTX
      small_number("a bank", 10);
      lexer_.expect(']');
    }
    parse_variables(context_, space, linkage,
                    [this](Variable&& variable) { declare_variable(std::move(variable)); });
  }

  void declare_variable(Variable&& variable) {
    if (variable.type == Type::pred) lexer_.fail("a variable cannot be .pred");
    auto index = static_cast<uint32_t>(module_.variables.size());
    if (lexer_.accept('=')) {
      // A declaration may be dropped, and its relocations with it.
      if (variable.linkage == Linkage::EXTERNAL)
        lexer_.fail("an .extern variable has no initial value");
      if (variable.space != Space::global && variable.space != Space::constant)
        lexer_.fail("only .global and .const variables have an initial value");
      is_opaque(variable.type) ? parse_opaque_initializer(lexer_, variable)
                               : parse_initializer(context_, variable, index);
    }
    const ModuleSymbol* earlier = context_.find_symbol(variable.name);
    if (earlier != nullptr) return redeclare_variable(*earlier, std::move(variable));
    context_.symbols.emplace(variable.name, ModuleSymbol{false, index});
    module_.variables.push_back(std::move(variable));
  }

  // `.extern x` may precede the definition.
  void redeclare_variable(const ModuleSymbol& earlier, Variable&& variable) {
    bool legal =
        !earlier.is_function && (variable.linkage == Linkage::EXTERNAL ||
                                 module_.variables[earlier.index].linkage == Linkage::EXTERNAL);
    if (!legal) lexer_.fail("'" + std::string(variable.name) + "' is declared twice");
    Variable& known = module_.variables[earlier.index];
    if (known.space != variable.space || size_of(known.type) != size_of(variable.type))
      lexer_.fail("'" + std::string(variable.name) + "' was declared otherwise before");
    if (variable.linkage == Linkage::EXTERNAL) return;
    auto place = static_cast<uint32_t>(module_.variables.size());
    // The relocations of this variable are the last ones.
    auto& all = context_.pending_relocations;
    for (size_t i = all.size(); i > 0 && all[i - 1].variable == place; --i)
      all[i - 1].variable = earlier.index;
    variable.is_indexed = known.is_indexed;
    known = std::move(variable);
  }

  void resolve_relocations() {
    for (const PendingRelocation& pending : context_.pending_relocations) {
      Relocation& relocation = module_.variables[pending.variable].relocations[pending.relocation];
      const ModuleSymbol* symbol = context_.find_symbol(pending.symbol);
      if (symbol == nullptr) {
        log_error(context_.log, pending.line,
                  "unknown symbol '" + std::string(pending.symbol) + "' in an initial value");
        continue;
      }
      relocation.is_function = symbol->is_function;
      relocation.index = symbol->index;
    }
  }

  // Functions

  void function(bool is_entry, Linkage linkage, uint32_t line) {
    Function read;
    read.is_entry = is_entry;
    read.linkage = linkage;
    read.line = line;
    if (lexer_.accept_word(".attribute")) skip_parentheses();
    signature(read);
    function_directives(read);
    Function& known = declare_function(std::move(read));
    if (lexer_.accept(';')) return;
    if (!known.is_declaration)
      lexer_.fail("function '" + std::string(known.name) + "' is defined twice");
    bodies_.parse(known);
  }

  void skip_parentheses() {
    lexer_.expect('(');
    for (int depth = 1; depth > 0;) {
      if (lexer_.at_end()) lexer_.fail("expected ')' at the end of the text");
      char c = lexer_.peek();
      if (c == '"') lexer_.fail("a string in an attribute");
      depth += (c == '(') - (c == ')');
      lexer_.advance_to(lexer_.position() + 1);
    }
  }

  void signature(Function& read) {
    uint64_t offset = 0;
    if (lexer_.peek() == '(') {
      if (read.is_entry) lexer_.fail("a kernel returns nothing");
      read.variables = parse_parameters(context_, offset);
      read.return_count = static_cast<uint32_t>(read.variables.size());
    }
    read.name = lexer_.expect_word("a function's name");
    if (lexer_.peek() == '(') {
      std::vector<Variable> inputs = parse_parameters(context_, offset);
      read.input_count = static_cast<uint32_t>(inputs.size());
      for (Variable& input : inputs) read.variables.push_back(std::move(input));
    }
    read.param_bytes = offset;
    read.param_frame_bytes = offset;
    if (!read.is_entry) return;
    for (const Variable& input : read.variables)
      if (input.is_register) lexer_.fail("a kernel has no register parameters");
  }

  // Reads the directives between the parameters and the body.
  void function_directives(Function& read) {
    while (lexer_.peek() == '.') {
      std::string_view name = lexer_.directive();
      if (name == ".maxntid")
        dimensions(read.max_threads);
      else if (name == ".reqntid")
        dimensions(read.required_threads);
      else if (name == ".reqnctapercluster")
        dimensions(read.required_cluster);
      else if (name == ".maxnreg")
        read.max_registers = count("a number of registers");
      else if (name == ".minnctapersm")
        read.min_blocks = count("a number of blocks");
      else if (name == ".maxclusterrank")
        read.max_cluster = count("a number of blocks");
      else if (name == ".explicitcluster")
        read.is_explicit_cluster = true;
      else if (name == ".noreturn")
        read.is_noreturn = true;
      else
        skip_directive(name);
    }
  }

  uint32_t count(const char* what) { return static_cast<uint32_t>(small_number(what, UINT32_MAX)); }

  void dimensions(std::array<uint32_t, 3>& sizes) {
    sizes = {1, 1, 1};
    for (uint32_t& size : sizes) {
      size = count("a size");
      if (!lexer_.accept(',')) return;
    }
  }

  // Skips directives without an effect here: `.pragma "..."`, `.abi_preserve 1`.
  void skip_directive(std::string_view name) {
    if (name == ".pragma") return lexer_.skip_statement();
    if (name == ".attribute") return skip_parentheses();
    if (name.size() < 2) lexer_.fail("malformed directive");
    do {
      if (is_class(lexer_.peek(), CHAR_DIGIT)) lexer_.word();
    } while (lexer_.accept(','));
  }

  Function& declare_function(Function&& read) {
    const ModuleSymbol* symbol = context_.find_symbol(read.name);
    if (symbol == nullptr) {
      auto index = static_cast<uint32_t>(module_.functions.size());
      context_.symbols.emplace(read.name, ModuleSymbol{true, index});
      return module_.functions.emplace_back(std::move(read));
    }
    if (!symbol->is_function) lexer_.fail("'" + std::string(read.name) + "' is a variable");
    Function& known = module_.functions[symbol->index];
    if (known.is_entry != read.is_entry || !same_signature(known, read))
      lexer_.fail("'" + std::string(read.name) + "' was declared with other parameters");
    // The parameter names of the definition replace those of the declaration.
    if (known.is_declaration && known.alias_of == NONE) known = std::move(read);
    return known;
  }

  static bool same_signature(const Function& a, const Function& b) {
    if (a.return_count != b.return_count || a.input_count != b.input_count) return false;
    for (uint32_t i = 0; i < a.return_count + a.input_count; ++i)
      if (!same_parameter(a.variables[i], b.variables[i])) return false;
    return true;
  }

  static bool same_parameter(const Variable& a, const Variable& b) {
    return a.is_register == b.is_register && a.size == b.size && a.is_unsized == b.is_unsized &&
           size_of(a.type) == size_of(b.type);
  }

  Context context_;
  Lexer& lexer_;
  Module& module_;
  BodyParser bodies_;
};

// Callers pass C strings and files, so zeros at the end are not part of the text.
std::string_view without_trailing_zeros(std::string_view text) {
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

}  // namespace

std::string Diagnostics::to_string() const {
  std::string all;
  for (const Diagnostic& error : errors)
    all += "ptx input, line " + std::to_string(error.line) + "; error   : " + error.text + "\n";
  return all;
}

std::unique_ptr<Module> parse(std::string_view text, Diagnostics& log) {
  text = without_trailing_zeros(text);
  if (text.size() > MAX_TEXT_BYTES) {
    log.errors.push_back({0, "the text is larger than 1 GiB"});
    return nullptr;
  }
  auto module = std::make_unique<Module>();
  module->text.reserve(text.size() + TEXT_PADDING);
  module->text.assign(text);
  module->text.append(TEXT_PADDING, '\0');
  try {
    ModuleParser(*module, std::string_view(module->text).substr(0, text.size()), log).parse();
  } catch (const ParseError& error) {
    log.errors.push_back({error.line, error.text});
  } catch (const TooManyErrors&) {
  }
  return log.errors.empty() ? std::move(module) : nullptr;
}

}  // namespace cucore::ptx
