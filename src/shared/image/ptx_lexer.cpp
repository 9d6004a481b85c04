// SPDX-License-Identifier: Apache-2.0
// Splits PTX into tokens, with one token of look-ahead.
#include "image/ptx_lexer.hpp"

namespace cucore::image {

namespace {

std::string padded(const ByteView& view) {
  std::string text;
  text.reserve(view.size() + ptx::TEXT_PADDING);
  text.assign(reinterpret_cast<const char*>(view.bytes().data()), view.size());
  return text.append(ptx::TEXT_PADDING, '\0');
}

}  // namespace

PtxLexer::PtxLexer(const ByteView& view)
    : view_(view),
      text_(padded(view)),
      lexer_(std::string_view(text_).substr(0, text_.size() - ptx::TEXT_PADDING)) {
  advance();
  preamble_end_ = token_.offset;
}

PtxToken PtxLexer::next() {
  const PtxToken token = token_;
  advance();
  return token;
}

PtxToken PtxLexer::read_token() {
  const char c = lexer_.peek();
  const uint64_t offset = lexer_.offset();
  if (lexer_.at_end()) return {PtxToken::END, {}, offset};
  if (c == '"') return {PtxToken::STRING, lexer_.string(), offset};
  if (c == '.') return {PtxToken::WORD, lexer_.directive(), offset};
  // A dot is part of a number (".version 9.0", "0.5"); elsewhere it begins a directive.
  if (ptx::is_class(c, ptx::CHAR_DIGIT)) return {PtxToken::NUMBER, lexer_.dotted(), offset};
  if (ptx::is_class(c, ptx::CHAR_WORD)) return {PtxToken::WORD, lexer_.word(), offset};
  lexer_.expect(c);
  return {PtxToken::MARK, std::string_view(text_).substr(offset, 1), offset};
}

void PtxLexer::advance() {
  try {
    token_ = read_token();
  } catch (const ptx::ParseError& error) {
    view_.fail(error.offset, error.text);
  }
}

std::string_view PtxLexer::skip_block(uint64_t opening) {
  try {
    lexer_.advance_to(text_.data() + opening);
    const std::string_view block = lexer_.block();
    token_ = read_token();
    return block;
  } catch (const ptx::ParseError& error) {
    view_.fail(error.offset, error.text);
  }
}

}  // namespace cucore::image
