// Character level of the PTX reader. Every loop stops at the zero byte behind the text.
#include "cpu/ptx/lexer.hpp"

#include <cstring>

namespace cucpu::ptx {

void Lexer::skip_blanks() {
  for (;;) {
    while (is_class(*at_, kCharBlank)) line_ += *at_++ == '\n';
    if (*at_ != '/' || (at_[1] != '/' && at_[1] != '*')) return;
    skip_comment();
  }
}

void Lexer::skip_comment() {
  if (at_[1] == '/') return skip_line();
  uint32_t first_line = line_;
  for (at_ += 2; at_ < end_; ++at_) {
    if (at_[0] == '*' && at_[1] == '/') {
      at_ += 2;
      return;
    }
    line_ += *at_ == '\n';
  }
  throw ParseError{first_line, "comment is not closed"};
}

void Lexer::skip_line() {
  while (at_ < end_ && *at_ != '\n') ++at_;
}

bool Lexer::accept_word(std::string_view word) {
  peek();
  if (static_cast<size_t>(end_ - at_) < word.size()) return false;
  if (std::memcmp(at_, word.data(), word.size()) != 0) return false;
  if (is_class(at_[word.size()], kCharWord)) return false;
  at_ += word.size();
  return true;
}

std::string_view Lexer::word() {
  peek();
  const char* start = at_;
  while (is_class(*at_, kCharWord)) ++at_;
  return {start, static_cast<size_t>(at_ - start)};
}

std::string_view Lexer::expect_word(const char* what) {
  std::string_view found = word();
  if (found.empty() || is_class(found[0], kCharDigit)) fail_near(std::string("expected ") + what);
  return found;
}

std::string_view Lexer::directive() {
  if (peek() != '.') return {};
  const char* start = at_++;
  while (is_class(*at_, kCharWord)) ++at_;
  return {start, static_cast<size_t>(at_ - start)};
}

std::string_view Lexer::dotted() {
  peek();
  const char* start = at_;
  for (;;) {
    while (is_class(*at_, kCharDotted)) ++at_;
    if (at_[0] != ':' || at_[1] != ':') break;
    at_ += 2;
  }
  return {start, static_cast<size_t>(at_ - start)};
}

std::string_view Lexer::string() {
  expect('"');
  const char* start = at_;
  while (at_ < end_ && *at_ != '"' && *at_ != '\n') at_ += *at_ == '\\' && at_[1] != 0 ? 2 : 1;
  if (at_ >= end_ || *at_ != '"') fail("string is not closed");
  return {start, static_cast<size_t>(at_++ - start)};
}

void Lexer::skip_statement() {
  for (;;) {
    char c = peek();
    if (c == '"') {
      string();
      continue;
    }
    if (at_ >= end_) return;
    ++at_;
    if (c == ';') return;
  }
}

void Lexer::skip_block() {
  uint32_t first_line = line_;
  expect('{');
  for (int depth = 1; depth > 0;) {
    char c = peek();
    if (at_ >= end_) throw ParseError{first_line, "block is not closed"};
    if (c == '"') {
      string();
      continue;
    }
    depth += (c == '{') - (c == '}');
    ++at_;
  }
}

void Lexer::fail_near(const std::string& text) {
  std::string_view next;
  if (!at_end()) {
    next = word();
    if (next.empty()) next = {at_, 1};
  }
  fail(next.empty() ? text + " at the end of the text"
                    : text + " near '" + std::string(next) + "'");
}

void Lexer::fail_expected(char c) { fail_near(std::string("expected '") + c + "'"); }

}  // namespace cucpu::ptx
