// SPDX-License-Identifier: Apache-2.0
#include "ptx/link/pieces.hpp"

#include <utility>

#include "ptx/lexer.hpp"

namespace cucore::ptx::link {
namespace {

constexpr std::pair<std::string_view, Linkage> LINKAGES[] = {{".visible", Linkage::VISIBLE},
                                                             {".extern", Linkage::EXTERNAL},
                                                             {".weak", Linkage::WEAK},
                                                             {".common", Linkage::COMMON}};
constexpr std::string_view SPACES[] = {".global", ".const", ".shared", ".local", ".tex"};

bool is_space(std::string_view name) {
  for (std::string_view space : SPACES)
    if (name == space) return true;
  return false;
}

class PieceReader {
 public:
  explicit PieceReader(std::string_view text) : lexer_(text) {}

  Pieces read() {
    while (!lexer_.at_end()) statement();
    return std::move(out_);
  }

 private:
  void statement() {
    if (lexer_.accept(';')) return;
    const char* start = position();
    std::string_view name = lexer_.directive();
    if (name.empty()) lexer_.fail("malformed text");
    Linkage linkage = Linkage::INTERNAL;
    for (const auto& [word, value] : LINKAGES) {
      if (name != word) continue;
      linkage = value;
      start = position();
      name = lexer_.directive();
      break;
    }
    if (name == ".entry" || name == ".func") return function(start, linkage);
    if (is_space(name)) return variables(start, linkage);
    directive(start, name);
  }

  const char* position() {
    lexer_.peek();
    return lexer_.position();
  }
  std::string_view since(const char* start) const {
    return {start, static_cast<size_t>(lexer_.position() - start)};
  }

  void directive(const char* start, std::string_view name) {
    if (name == ".version") {
      version();
    } else if (name == ".target") {
      target();
    } else if (name == ".address_size") {
      lexer_.word();
    } else if (name == ".file") {
      file();
    } else if (name == ".section") {
      lexer_.dotted();
      lexer_.block();
    } else {
      const std::string_view first = lexer_.word();
      lexer_.skip_statement();
      const PieceKind kind = name == ".alias" ? PieceKind::ALIAS : PieceKind::PRAGMA;
      add({kind, Linkage::INTERNAL, first, since(start), {}, {}});
    }
  }

  void version() {
    lexer_.word();
    if (*lexer_.position() != '.') return;
    lexer_.advance_to(lexer_.position() + 1);
    lexer_.word();
  }

  void target() {
    do {
      const std::string_view word = lexer_.word();
      if (!word.starts_with("sm_") && !word.starts_with("compute_"))
        out_.target.modifiers.push_back(word);
    } while (lexer_.accept(','));
  }

  void file() {
    lexer_.word();
    lexer_.string();
    while (lexer_.accept(',')) lexer_.word();
  }

  // Moves past a balanced "( ... )", which contains no string.
  void parentheses() {
    lexer_.expect('(');
    for (int depth = 1; depth > 0 && !lexer_.at_end();) {
      const char c = lexer_.peek();
      depth += (c == '(') - (c == ')');
      lexer_.advance_to(lexer_.position() + 1);
    }
  }

  void function(const char* start, Linkage linkage) {
    if (lexer_.accept_word(".attribute")) parentheses();
    if (lexer_.peek() == '(') parentheses();
    const std::string_view name = lexer_.expect_word("a function's name");
    if (lexer_.peek() == '(') parentheses();
    const std::string_view head = since(start);
    const char* rest = position();
    while (lexer_.peek() != '{') {
      if (lexer_.peek() == ';' || lexer_.at_end()) {
        add({PieceKind::DECLARATION, linkage, name, head, since(rest), {}});
        lexer_.accept(';');
        return;
      }
      if (lexer_.accept_word(".pragma"))
        lexer_.skip_statement();
      else
        lexer_.advance_to(lexer_.position() + 1);
    }
    const std::string_view directives = since(rest);
    const char* body = position();
    lexer_.block();
    add({PieceKind::FUNCTION, linkage, name, head, directives, since(body)});
  }

  // Moves past the type of a variable, up to its name.
  void type_of_variable() {
    for (;;) {
      const char c = lexer_.peek();
      if (lexer_.at_end()) return;
      if (lexer_.accept_word(".attribute")) {
        parentheses();
      } else if (c == '.') {
        lexer_.directive();
      } else if (is_class(c, CHAR_WORD) && !is_class(c, CHAR_DIGIT) &&
                 !lexer_.accept_word("WARP_SZ")) {
        return;
      } else if (is_class(c, CHAR_DIGIT)) {
        lexer_.word();
      } else if (lexer_.peek() == c) {
        lexer_.advance_to(lexer_.position() + 1);
      }
    }
  }

  void variables(const char* start, Linkage linkage) {
    type_of_variable();
    const std::string_view head = since(start);
    for (;;) {
      const char* rest = position();
      const std::string_view name = lexer_.expect_word("a name");
      declarator();
      add({PieceKind::VARIABLE, linkage, name, head, since(rest), {}});
      if (lexer_.accept(';') || lexer_.at_end()) return;
      lexer_.expect(',');
    }
  }

  // Moves to the ',' or ';' after the dimensions and the initial value of a variable.
  void declarator() {
    for (int depth = 0; !lexer_.at_end();) {
      const char c = lexer_.peek();
      if (c == ';' || (c == ',' && depth == 0)) return;
      depth += (c == '{' || c == '(' || c == '[') - (c == '}' || c == ')' || c == ']');
      lexer_.advance_to(lexer_.position() + 1);
    }
  }

  void add(const Piece& piece) { out_.pieces.push_back(piece); }

  Lexer lexer_;
  Pieces out_;
};

}  // namespace

Pieces read_pieces(std::string_view text) { return PieceReader(text).read(); }

}  // namespace cucore::ptx::link
