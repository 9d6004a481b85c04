// Cuts PTX into words and marks.
#include "container/ptx_lexer.hpp"

#include <algorithm>

namespace cucore::container {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' ||
         c == '%';
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

PtxLexer::PtxLexer(const ByteView& view)
    : view_(view), text_(reinterpret_cast<const char*>(view.bytes().data()), view.size()) {
  preamble_end_ = position_ = skip_blank(0);
  advance();
}

PtxToken PtxLexer::next() {
  const PtxToken token = token_;
  advance();
  return token;
}

size_t PtxLexer::skip_comment(size_t position) const {
  if (text_[position + 1] == '/') return std::min(text_.find('\n', position), text_.size());
  const size_t end = text_.find("*/", position + 2);
  if (end == text_.npos) view_.fail(position, "a comment has no end");
  return end + 2;
}

size_t PtxLexer::skip_string(size_t position) const {
  for (size_t i = position + 1; i < text_.size() && text_[i] != '\n'; ++i) {
    if (text_[i] == '\\') {
      ++i;
    } else if (text_[i] == '"') {
      return i + 1;
    }
  }
  view_.fail(position, "a string has no end");
}

size_t PtxLexer::skip_blank(size_t position) const {
  while (position < text_.size()) {
    const char c = text_[position];
    const char following = position + 1 < text_.size() ? text_[position + 1] : '\0';
    if (is_blank(c)) {
      ++position;
    } else if (c == '/' && (following == '/' || following == '*')) {
      position = skip_comment(position);
    } else {
      break;
    }
  }
  return position;
}

size_t PtxLexer::word_end(size_t position) const {
  // Only numbers have a dot inside (".version 9.0", "0.5"); a directive begins a new word.
  const bool number = is_digit(text_[position]);
  size_t end = position + 1;
  while (end < text_.size() && (is_word(text_[end]) || (number && text_[end] == '.'))) ++end;
  return end;
}

void PtxLexer::advance() {
  position_ = skip_blank(position_);
  const size_t begin = position_;
  if (begin >= text_.size()) {
    token_ = {PtxToken::END, {}, begin};
    return;
  }
  const char c = text_[begin];
  if (c == '"') {
    position_ = skip_string(begin);
    token_ = {PtxToken::STRING, text_.substr(begin + 1, position_ - begin - 2), begin};
  } else if (is_word(c) || c == '.') {
    position_ = word_end(begin);
    const auto kind = is_digit(c) ? PtxToken::NUMBER : PtxToken::WORD;
    token_ = {kind, text_.substr(begin, position_ - begin), begin};
  } else {
    position_ = begin + 1;
    token_ = {PtxToken::MARK, text_.substr(begin, 1), begin};
  }
}

std::string_view PtxLexer::skip_block(uint64_t opening) {
  // Bodies are most of the text: only braces, strings and comments matter in them.
  position_ = opening + 1;
  for (int depth = 1; depth > 0;) {
    position_ = text_.find_first_of("{}\"/", position_);
    if (position_ == text_.npos) view_.fail(opening, "a brace is not closed");
    const char following = position_ + 1 < text_.size() ? text_[position_ + 1] : '\0';
    switch (text_[position_]) {
      case '{':
        ++depth, ++position_;
        break;
      case '}':
        --depth, ++position_;
        break;
      case '"':
        position_ = skip_string(position_);
        break;
      default:
        position_ = following == '/' || following == '*' ? skip_comment(position_) : position_ + 1;
    }
  }
  const std::string_view block = text_.substr(opening + 1, position_ - opening - 2);
  advance();
  return block;
}

}  // namespace cucore::container
