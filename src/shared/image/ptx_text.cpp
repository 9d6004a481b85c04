// SPDX-License-Identifier: Apache-2.0
// Reads the outline of PTX text.
#include "image/ptx_text.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "image/ptx_classes.hpp"
#include "image/ptx_declaration.hpp"
#include "image/ptx_lexer.hpp"
#include "image/toolkit_text.hpp"

namespace cucore::image {

namespace {

constexpr size_t MAX_PARAMETERS = 4096;
constexpr uint64_t NO_NUMBER = UINT64_MAX;
// Earlier versions declared the parameters of a kernel in its body.
constexpr uint16_t FIRST_ISA = 14;

class PtxTextReader {
 public:
  PtxTextReader(const ByteView& view, MemoryBudget& budget) : lexer_(view), budget_(budget) {}

  ImageInfo read() {
    info_.toolkit = toolkit_of(lexer_.preamble());
    marks_pointers_ = marks_pointers(lexer_.preamble());
    read_version();
    read_target();
    while (lexer_.peek().kind != PtxToken::END) read_statement();
    finish();
    return std::move(info_);
  }

 private:
  void read_version() {
    const PtxToken word = lexer_.next();
    if (!word.is(".version")) lexer_.fail(word, "PTX begins with .version");
    const PtxToken number = lexer_.next();
    const size_t dot = std::min(number.text.find('.'), number.text.size());
    const uint64_t major = parse_number(number.text.substr(0, dot)).value_or(NO_NUMBER);
    const uint64_t minor =
        parse_number(number.text.substr(std::min(dot + 1, number.text.size()))).value_or(NO_NUMBER);
    if (number.kind != PtxToken::NUMBER || major > 99 || minor > 9)
      lexer_.fail(number, ".version needs a number as 9.0");
    info_.ptx_isa = static_cast<uint16_t>(major * 10 + minor);
    if (info_.ptx_isa < FIRST_ISA) lexer_.fail(number, ".version is below 1.4");
  }

  void read_target() {
    const PtxToken word = lexer_.next();
    if (!word.is(".target")) lexer_.fail(word, ".target must follow .version");
    while (true) {
      const PtxToken name = lexer_.next();
      if (!name.is_name()) lexer_.fail(name, ".target needs a name as sm_90");
      const auto arch = name.text.starts_with("sm_") ? Arch::parse(name.text) : std::nullopt;
      if (arch && info_.arch.empty()) info_.arch = *arch;
      if (!lexer_.peek().is(",")) break;
      lexer_.next();
    }
    if (info_.arch.empty()) lexer_.fail(word, ".target names no architecture");
    info_.arch.is_virtual = true;
  }

  void read_statement() {
    const PtxToken word = lexer_.next();
    if (const auto linkage = linkage_of(word)) {
      linkage_ = *linkage;
      return;
    }
    if (word.is(".attribute")) {
      read_attribute(lexer_);
      return;
    }
    read_declared(word);
    linkage_ = Linkage::LOCAL;
  }

  void read_declared(const PtxToken& word) {
    if (word.is(".entry")) {
      read_kernel();
    } else if (word.is(".func")) {
      read_function();
    } else if (word.is(".global") || word.is(".const")) {
      read_variables(word);
    } else if (word.is(".section")) {
      skip_section();
    } else if (word.is(".alias")) {
      read_alias();
    } else if (word.is(".file")) {
      skip_file();
    } else if (word.is(".address_size")) {
      if (!read_number(lexer_)) lexer_.fail(word, ".address_size needs a number");
    } else if (word.is_directive()) {
      // .shared, .pragma and later directives: a host cannot use them.
      skip_statement(word);
    } else if (word.is("}")) {
      lexer_.fail(word, "a brace closes nothing");
    } else if (!word.is(";")) {
      lexer_.fail(word, "a directive is missing");
    }
  }

  enum class Linkage { LOCAL, EXTERNAL, VISIBLE, WEAK };

  static std::optional<Linkage> linkage_of(const PtxToken& word) {
    if (word.is(".extern")) return Linkage::EXTERNAL;
    if (word.is(".visible")) return Linkage::VISIBLE;
    if (word.is(".weak") || word.is(".common")) return Linkage::WEAK;
    return std::nullopt;
  }

  void note_definition(const PtxToken& name) {
    if (linkage_ != Linkage::VISIBLE) return;
    take(grown_size<std::string>() + heap_size(name.text), name);
    info_.strong.emplace_back(name.text);
  }

  void take(uint64_t bytes, const PtxToken& where) {
    if (!budget_.take(bytes)) lexer_.fail(where, TOO_MUCH);
  }

  // Reads ".alias name, function;". ptxas makes a strong symbol of every alias that is not local.
  void read_alias() {
    const PtxToken name = lexer_.peek();
    skip_statement(name);
    if (name.is_name() && declared_.contains(name.text)) {
      take(grown_size<std::string>() + heap_size(name.text), name);
      info_.strong.emplace_back(name.text);
    }
  }

  // Skips to after the ";". A kernel inside would be hidden from this reader but visible to
  // compilers.
  void skip_statement(const PtxToken& word) {
    while (true) {
      const PtxToken token = lexer_.next();
      if (token.is(";")) return;
      if (token.kind == PtxToken::END || token.is("{") || token.is("}") || token.is(".entry") ||
          token.is(".func"))
        lexer_.fail(word, std::string(word.text) + " does not end with ;");
    }
  }

  // `.section .debug_str { ... }`
  void skip_section() {
    const PtxToken name = lexer_.next();
    if (name.kind != PtxToken::WORD || !lexer_.peek().is("{"))
      lexer_.fail(name, ".section has no block");
    lexer_.skip_block(lexer_.peek().offset);
  }

  // `.file 1 "name", time, size`
  void skip_file() {
    const PtxToken number = lexer_.next();
    if (number.kind != PtxToken::NUMBER || lexer_.next().kind != PtxToken::STRING)
      lexer_.fail(number, ".file needs a number and a string");
    while (lexer_.peek().is(",")) {
      lexer_.next();
      if (!read_number(lexer_)) lexer_.fail(number, ".file needs a number behind a comma");
    }
  }

  void skip_parentheses() {
    const PtxToken open = lexer_.next();
    for (int depth = 1; depth > 0;) {
      const PtxToken token = lexer_.next();
      if (token.kind == PtxToken::END) lexer_.fail(open, "a parenthesis is not closed");
      depth += token.is("(") - token.is(")");
    }
  }

  void read_kernel() {
    const PtxToken name = lexer_.next();
    if (!name.is_name()) lexer_.fail(name, ".entry needs a name");
    Symbol symbol;
    symbol.lowered_name = name.text;
    std::vector<Declaration> declarations;
    symbol.parameters.emplace();
    if (lexer_.peek().is("(")) symbol.parameters = read_parameters(declarations);
    KernelResources resources;
    resources.lowered_name = name.text;
    const auto body = read_kernel_directives(resources);
    if (!body) return;
    note_definition(name);
    settle_classes(symbol, declarations, *body, marks_pointers_);
    take(grown_size<Symbol>() + grown_size<KernelResources>() + MAP_NODE +
             grown_size<Parameter>(symbol.parameters->size()) + heap_size(name.text, 2),
         name);
    if (!kernels_.emplace(name.text, info_.symbols.size()).second)
      lexer_.fail(name, "the kernel " + std::string(name.text) + " is defined twice");
    info_.symbols.push_back(std::move(symbol));
    info_.resources.push_back(std::move(resources));
  }

  // Reads to the end of the body; returns nullopt for a declaration, which ends with ";".
  std::optional<std::string_view> read_kernel_directives(KernelResources& resources) {
    while (true) {
      const PtxToken token = lexer_.peek();
      if (token.is("{")) return lexer_.skip_block(token.offset);
      lexer_.next();
      if (token.is(";")) return std::nullopt;
      if (token.is(".pragma")) {
        skip_statement(token);  // its own ";" does not end the declaration
      } else if (token.is(".maxntid")) {
        resources.max_threads = product(read_list(token));
      } else if (token.is(".reqntid")) {
        resources.exact_block = read_list(token);
        resources.max_threads = product(*resources.exact_block);
      } else if (token.is_directive()) {
        if (lexer_.peek().kind == PtxToken::NUMBER) read_list(token);
      } else {
        lexer_.fail(token, "a function has no body");
      }
    }
  }

  std::vector<uint32_t> read_list(const PtxToken& directive) {
    std::vector<uint32_t> values;
    do {
      if (!values.empty()) lexer_.next();
      const auto value = read_number(lexer_);
      if (!value || *value > UINT32_MAX) lexer_.fail(directive, "the directive needs numbers");
      if (values.size() < 3) values.push_back(static_cast<uint32_t>(*value));
    } while (lexer_.peek().is(","));
    return values;
  }

  static std::optional<uint32_t> product(const std::vector<uint32_t>& values) {
    uint64_t all = 1;
    for (const uint32_t value : values) {
      if (value != 0 && all > UINT32_MAX / value) return std::nullopt;
      all *= value;
    }
    return static_cast<uint32_t>(all);
  }

  std::vector<Parameter> read_parameters(std::vector<Declaration>& declarations) {
    const PtxToken open = lexer_.next();
    std::vector<Parameter> parameters;
    uint64_t end = 0;
    while (!lexer_.peek().is(")")) {
      if (!parameters.empty() && !lexer_.next().is(",")) lexer_.fail(open, "a comma is missing");
      const PtxToken where = lexer_.peek();
      const Declaration one = read_parameter(lexer_);
      const uint64_t offset = (end + one.alignment - 1) / one.alignment * one.alignment;
      end = offset + one.size;
      if (end > UINT32_MAX || parameters.size() == MAX_PARAMETERS)
        lexer_.fail(where, "the parameters are too large");
      parameters.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(one.size),
                            static_cast<uint32_t>(one.alignment), one.parameter_class});
      declarations.push_back(one);
    }
    lexer_.next();
    return parameters;
  }

  void read_function() {
    if (lexer_.peek().is_directive() && lexer_.peek().is(".attribute")) {
      lexer_.next();
      read_attribute(lexer_);
    }
    if (lexer_.peek().is("(")) skip_parentheses();
    const PtxToken name = lexer_.next();
    if (!name.is_name()) lexer_.fail(name, ".func needs a name");
    if (lexer_.peek().is("(")) skip_parentheses();
    KernelResources unused;
    if (read_kernel_directives(unused)) {
      note_definition(name);
      add_other(name, SymbolKind::DEVICE_FUNCTION, 0);
    } else if (linkage_ == Linkage::VISIBLE || linkage_ == Linkage::WEAK) {
      take(MAP_NODE, name);
      declared_.insert(name.text);
    }
  }

  void read_variables(const PtxToken& space) {
    const PtxToken where = lexer_.peek();
    const Declaration one = read_variable(lexer_);
    const PtxToken name{PtxToken::WORD, one.name, where.offset};
    const SymbolKind kind = space.is(".const") ? SymbolKind::CONSTANT
                            : one.managed      ? SymbolKind::MANAGED
                                               : SymbolKind::GLOBAL;
    if (linkage_ != Linkage::EXTERNAL) add_other(name, kind, one.size);
    note_definition(name);
    // An initialiser may contain braces, and further names may follow; both end with ";".
    while (!lexer_.peek().is(";")) {
      const PtxToken token = lexer_.next();
      if (token.is(",") && lexer_.peek().is_name()) note_definition(lexer_.peek());
      if (token.kind == PtxToken::END) lexer_.fail(token, "a variable does not end with ;");
      if (token.is("{")) lexer_.skip_block(token.offset);
      if (token.is("}")) lexer_.fail(token, "a brace closes nothing");
    }
    lexer_.next();
  }

  void add_other(const PtxToken& name, SymbolKind kind, uint64_t size) {
    // Names with $ belong to the compiler: its strings and tables.
    if (name.text[0] == '$') return;
    take(grown_size<Symbol>() + heap_size(name.text), name);
    others_.push_back({{}, std::string(name.text), kind, size, std::nullopt});
  }

  void finish() {
    info_.symbols.insert(info_.symbols.end(), std::make_move_iterator(others_.begin()),
                         std::make_move_iterator(others_.end()));
  }

  PtxLexer lexer_;
  MemoryBudget& budget_;
  ImageInfo info_;
  std::vector<Symbol> others_;
  std::unordered_map<std::string_view, size_t> kernels_;
  std::unordered_set<std::string_view> declared_;  // functions visible to other modules
  Linkage linkage_ = Linkage::LOCAL;
  bool marks_pointers_ = false;
};

}  // namespace

ImageInfo read_ptx(ByteView text, MemoryBudget& budget) {
  const auto bytes = trim_zeros(text.bytes());
  const ByteView trimmed(text.what(), bytes, text.base());
  if (bytes.empty()) trimmed.fail(0, "it is empty");
  if (const void* zero = std::memchr(bytes.data(), 0, bytes.size())) {
    const auto offset = static_cast<const std::byte*>(zero) - bytes.data();
    trimmed.fail(static_cast<uint64_t>(offset), "a NUL inside the text");
  }
  return PtxTextReader(trimmed, budget).read();
}

bool looks_like_ptx(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\v\f"), text.size()));
    if (text.starts_with("//")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.starts_with("/*")) {
      const size_t end = text.find("*/", 2);
      text.remove_prefix(end == text.npos ? text.size() : end + 2);
    } else {
      return text.starts_with(".version");
    }
  }
}

}  // namespace cucore::image
