// SPDX-License-Identifier: Apache-2.0
// The character level of the PTX readers. Every loop stops at the zero byte after the text.
#include "ptx/lexer.hpp"

#include <cstring>

namespace cucore::ptx {

void Lexer::skip_blanks() {
  for (;;) {
    while (is_class(*at_, CHAR_BLANK)) line_ += *at_++ == '\n';
    if (*at_ == '/' && (at_[1] == '/' || at_[1] == '*')) {
      skip_comment();
    } else {
      if (is_class(*at_, CHAR_SPECIAL)) check_special();
      return;
    }
  }
}

void Lexer::skip_comment() {
  if (at_[1] == '/') {
    while (at_ < end_ && *at_ != '\n') ++at_;
    return;
  }
  const char* start = at_;
  const uint32_t first_line = line_;
  for (at_ += 2; at_ < end_; ++at_) {
    if (at_[0] == '*' && at_[1] == '/') {
      at_ += 2;
      return;
    }
    line_ += *at_ == '\n';
  }
  throw ParseError{first_line, "a comment has no end", static_cast<size_t>(start - begin_)};
}

// A division and a predicate are ordinary characters here; the rest is refused.
void Lexer::check_special() const {
  if (*at_ == '/' || at_ >= end_ || (*at_ == '@' && at_[1] != '@')) return;
  if (*at_ == '@') fail("'@@' begins debug data of a form that is no longer read");
  if (*at_ == '#') fail("'#' begins a line that compilers read differently");
  if (*at_ == '\\' || *at_ == '`') fail("'" + std::string(1, *at_) + "' stands outside a string");
  fail("byte " + std::to_string(static_cast<uint8_t>(*at_)) + " stands outside a string");
}

bool Lexer::accept_word(std::string_view word) {
  peek();
  if (static_cast<size_t>(end_ - at_) < word.size()) return false;
  if (std::memcmp(at_, word.data(), word.size()) != 0) return false;
  if (is_class(at_[word.size()], CHAR_INSIDE)) return false;
  at_ += word.size();
  return true;
}

std::string_view Lexer::word() {
  peek();
  const char* start = at_;
  at_ += *at_ == '%';
  while (is_class(*at_, CHAR_INSIDE)) ++at_;
  return {start, static_cast<size_t>(at_ - start)};
}

std::string_view Lexer::expect_word(const char* what) {
  std::string_view found = word();
  if (found.empty() || is_class(found[0], CHAR_DIGIT)) fail_near(std::string("expected ") + what);
  return found;
}

std::string_view Lexer::directive() {
  if (peek() != '.') return {};
  const char* start = at_++;
  while (is_class(*at_, CHAR_INSIDE)) ++at_;
  return {start, static_cast<size_t>(at_ - start)};
}

std::string_view Lexer::dotted() {
  peek();
  const char* start = at_;
  at_ += *at_ == '%';
  for (;;) {
    while (is_class(*at_, CHAR_DOTTED)) ++at_;
    if (at_[0] != ':' || at_[1] != ':') break;
    at_ += 2;
  }
  return {start, static_cast<size_t>(at_ - start)};
}

std::string_view Lexer::string() {
  expect('"');
  const char* start = at_;
  while (at_ < end_ && *at_ != '"' && *at_ != '\n') ++at_;
  if (at_ >= end_ || *at_ != '"') fail_at(start - 1, "a string has no end");
  // A reader that treats it as an escaped quote would continue past it.
  if (at_ > start && at_[-1] == '\\') fail("a string ends with a backslash");
  return {start, static_cast<size_t>(at_++ - start)};
}

void Lexer::skip_statement() {
  int depth = 0;
  while (!at_end()) {
    const char c = peek();
    if (c == '"') {
      string();
      continue;
    }
    depth += (c == '{') - (c == '}');
    if (depth < 0 || (c == ';' && depth > 0)) fail("a brace in a statement is not balanced");
    ++at_;
    if (c == ';') return;
  }
}

void Lexer::skip_to_semicolon() {
  while (!at_end())
    if (peek() == '"')
      string();
    else if (*at_++ == ';')
      return;
}

std::string_view Lexer::block() {
  expect('{');
  const char* start = at_;
  const uint32_t first_line = line_;
  // Most of a text is in blocks, in which only braces, strings and comments matter.
  for (int depth = 1; depth > 0;) {
    while (!is_class(*at_, CHAR_BLOCK)) ++at_;
    if (*at_ == '"') {
      string();
      continue;
    }
    if (!is_class(*at_, CHAR_SPECIAL)) {
      line_ += *at_ == '\n';
      depth += (*at_ == '{') - (*at_ == '}');
      ++at_;
      continue;
    }
    const char* before = at_;
    if (at_end())
      throw ParseError{first_line, "a brace is not closed",
                       static_cast<size_t>(start - 1 - begin_)};
    at_ += at_ == before;
  }
  return {start, static_cast<size_t>(at_ - 1 - start)};
}

void Lexer::fail_at(const char* position, std::string text) const {
  throw ParseError{line_, std::move(text), static_cast<size_t>(position - begin_)};
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

}  // namespace cucore::ptx
