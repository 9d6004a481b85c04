// SPDX-License-Identifier: Apache-2.0
// Splits PTX text into tokens. All code that must find the end of a comment, string or block uses
// this class, so that readers of a text agree. Text on which compilers disagree, or that
// is not standard PTX, is refused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cucore::ptx {

// An error in a text, with its position.
struct ParseError {
  uint32_t line;
  std::string text;
  size_t offset = 0;
};

// The text must be followed by this many zero bytes, so that the lexer can look ahead without a
// check.
inline constexpr size_t TEXT_PADDING = 16;

enum CharClass : uint8_t {
  CHAR_WORD = 1,      // letters, digits, _ $ %
  CHAR_DIGIT = 2,     // 0-9
  CHAR_BLANK = 4,     // blank or line end
  CHAR_DOTTED = 8,    // characters inside a word, and dots: the name of an instruction
  CHAR_SPECIAL = 16,  // may begin a comment, or must not stand outside comments and strings
  CHAR_BLOCK = 32,    // stops the search for the end of a block
  CHAR_INSIDE = 64,   // characters inside a word, except %, which begins one
};

constexpr std::array<uint8_t, 256> make_char_classes() {
  std::array<uint8_t, 256> table{};
  for (int c = 0; c < 256; ++c) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool inside = digit || letter || c == '_' || c == '$';
    const bool word = inside || c == '%';
    // \v is absent, because ptxas refuses it.
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    const bool printable = c > ' ' && c < 0x7f;
    // ptxas treats text after '#' as positions in a source file, and "@@" as old debug data.
    const bool special =
        (!printable && !blank) || c == '/' || c == '#' || c == '@' || c == '\\' || c == '`';
    const bool block = special || c == '{' || c == '}' || c == '"' || c == '\n';
    table[static_cast<size_t>(c)] = static_cast<uint8_t>(
        (word ? CHAR_WORD : 0) | (digit ? CHAR_DIGIT : 0) | (blank ? CHAR_BLANK : 0) |
        (inside || c == '.' ? CHAR_DOTTED : 0) | (inside ? CHAR_INSIDE : 0) |
        (special ? CHAR_SPECIAL : 0) | (block ? CHAR_BLOCK : 0));
  }
  return table;
}

inline constexpr std::array<uint8_t, 256> CHAR_CLASSES = make_char_classes();

inline bool is_class(char c, uint8_t mask) {
  return (CHAR_CLASSES[static_cast<uint8_t>(c)] & mask) != 0;
}

class Lexer {
 public:
  // `text` must be followed by TEXT_PADDING zero bytes.
  explicit Lexer(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  uint32_t line() const { return line_; }
  size_t offset() const { return static_cast<size_t>(at_ - begin_); }
  const char* position() const { return at_; }

  // Returns the first character of the next token, 0 at the end of the text.
  char peek() {
    if (is_class(*at_, CHAR_BLANK | CHAR_SPECIAL)) skip_blanks();
    return *at_;
  }
  bool at_end() { return peek() == 0 && at_ >= end_; }

  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail_expected(c);
  }

  // Takes the dotted word `word` (".reg") if it is next and complete.
  bool accept_word(std::string_view word);

  // Takes a word: letters, digits, _ $, and % as the first character. Returns "" if another token
  // is next.
  std::string_view word();
  // Takes a word, or fails with an error that names `what`.
  std::string_view expect_word(const char* what);
  // Takes a dot and a word: the next directive or type. Returns "" if another token is next.
  std::string_view directive();
  // Takes an instruction's dotted name, with its "::" parts.
  std::string_view dotted();
  // Moves past characters that the caller has scanned.
  void advance_to(const char* position) { at_ = position; }

  // Takes a quoted string and returns it without the quotes. PTX has no escapes: the string ends at
  // the next quote.
  std::string_view string();
  // Moves past the next `;`, or to the end. Braces before it must be balanced.
  void skip_statement();
  // Does the same after an error, and ignores braces.
  void skip_to_semicolon();
  // Moves past a balanced block whose `{` is the next token. Returns the text between the braces.
  std::string_view block();

  [[noreturn]] void fail(std::string text) const { fail_at(at_, std::move(text)); }
  [[noreturn]] void fail_near(const std::string& text);

 private:
  void skip_blanks();
  void skip_comment();
  void check_special() const;
  [[noreturn]] void fail_at(const char* position, std::string text) const;
  [[noreturn]] void fail_expected(char c);

  const char* begin_;
  const char* at_;
  const char* end_;
  uint32_t line_ = 1;
};

}  // namespace cucore::ptx
