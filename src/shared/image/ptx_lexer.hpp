// SPDX-License-Identifier: Apache-2.0
// Splits PTX into tokens, with one token of look-ahead; errors name the offset in the image.
#pragma once

#include <string>
#include <string_view>

#include "image/byte_view.hpp"
#include "ptx/lexer.hpp"

namespace cucore::image {

struct PtxToken {
  enum Kind { END, WORD, NUMBER, STRING, MARK } kind = END;
  std::string_view text;  // a string is without its quotes
  uint64_t offset = 0;

  bool is(std::string_view wanted) const { return kind != STRING && text == wanted; }
  bool is_directive() const { return kind == WORD && text.size() > 1 && text[0] == '.'; }
  bool is_name() const { return kind == WORD && text[0] != '.'; }
};

class PtxLexer {
 public:
  // The texts of tokens are valid for the life of the lexer.
  explicit PtxLexer(const ByteView& view);
  PtxLexer(const PtxLexer&) = delete;
  PtxLexer& operator=(const PtxLexer&) = delete;

  const PtxToken& peek() const { return token_; }
  PtxToken next();
  // Continues after the brace that closes the one at `opening`, on a fast path, and returns the
  // text between them.
  std::string_view skip_block(uint64_t opening);
  // Returns the comments before the first token, which name the compiler.
  std::string_view preamble() const { return std::string_view(text_).substr(0, preamble_end_); }

  [[noreturn]] void fail(const PtxToken& where, std::string_view why) const {
    view_.fail(where.offset, why);
  }

 private:
  void advance();
  PtxToken read_token();

  const ByteView& view_;
  const std::string text_;  // with the lexer's padding
  ptx::Lexer lexer_;
  size_t preamble_end_ = 0;
  PtxToken token_;
};

}  // namespace cucore::image
