// Reads PTX text a token at a time: no token list is built, the parser asks for what it expects.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace cucpu::ptx {

/// Thrown inside the parser only; parse() turns it into a Diagnostic.
struct ParseError {
  uint32_t line;
  std::string text;
};

/// Bytes that must follow the text, zero, so that the lexer may look ahead without asking.
inline constexpr size_t kTextPadding = 16;

enum CharClass : uint8_t {
  kCharWord = 1,    ///< letters, digits, _ $ %
  kCharDigit = 2,   ///< 0-9
  kCharBlank = 4,   ///< blank or line end
  kCharDotted = 8,  ///< word characters and dots: the name of an instruction
};

constexpr std::array<uint8_t, 256> make_char_classes() {
  std::array<uint8_t, 256> table{};
  for (int c = 0; c < 256; ++c) {
    bool digit = c >= '0' && c <= '9';
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    bool word = digit || letter || c == '_' || c == '$' || c == '%';
    bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
    table[c] =
        static_cast<uint8_t>((word ? kCharWord : 0) | (digit ? kCharDigit : 0) |
                             (blank ? kCharBlank : 0) | (word || c == '.' ? kCharDotted : 0));
  }
  return table;
}

inline constexpr std::array<uint8_t, 256> kCharClasses = make_char_classes();

inline bool is_class(char c, uint8_t mask) {
  return (kCharClasses[static_cast<uint8_t>(c)] & mask) != 0;
}

class Lexer {
 public:
  /// `text` must be followed by kTextPadding zero bytes.
  explicit Lexer(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  uint32_t line() const { return line_; }
  uint32_t offset() const { return static_cast<uint32_t>(at_ - begin_); }
  const char* position() const { return at_; }

  /// First character of the next token, 0 at the end of the text.
  char peek() {
    if (is_class(*at_, kCharBlank) || *at_ == '/') skip_blanks();
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

  /// Takes the dotted word `word` (".reg") when it is next and ends there.
  bool accept_word(std::string_view word);

  /// A word: letters, digits, _ $ %. Empty when something else is next.
  std::string_view word();
  /// A word, or an error that names `what`.
  std::string_view expect_word(const char* what);
  /// A dot and a word: the next directive or type. Empty when something else is next.
  std::string_view directive();
  /// An instruction's dotted name, "::" parts included.
  std::string_view dotted();
  /// Moves over characters that the caller has scanned itself.
  void advance_to(const char* position) { at_ = position; }

  /// A string in quotes, without them.
  std::string_view string();
  /// To behind the next `;`, or to the end.
  void skip_statement();
  /// Over a balanced block, the next token being `{`.
  void skip_block();
  void skip_line();

  [[noreturn]] void fail(std::string text) const { throw ParseError{line_, std::move(text)}; }
  [[noreturn]] void fail_near(const std::string& text);

 private:
  void skip_blanks();
  void skip_comment();
  [[noreturn]] void fail_expected(char c);

  const char* begin_;
  const char* at_;
  const char* end_;
  uint32_t line_ = 1;
};

}  // namespace cucpu::ptx
