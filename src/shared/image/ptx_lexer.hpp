// SPDX-License-Identifier: Apache-2.0
// PTX as tokens, one ahead, whose errors name the offset in the image.
#pragma once

#include <string>
#include <string_view>

#include "image/byte_view.hpp"
#include "ptx/lexer.hpp"

namespace cucore::image {

struct PtxToken {
  enum Kind { END, WORD, NUMBER, STRING, MARK } kind = END;
  std::string_view text;  // of a string without its quotes
  uint64_t offset = 0;

  bool is(std::string_view wanted) const { return kind != STRING && text == wanted; }
  bool is_directive() const { return kind == WORD && text.size() > 1 && text[0] == '.'; }
  bool is_name() const { return kind == WORD && text[0] != '.'; }
};

class PtxLexer {
 public:
  // The texts of tokens are valid as long as the lexer.
  explicit PtxLexer(const ByteView& view);
  PtxLexer(const PtxLexer&) = delete;
  PtxLexer& operator=(const PtxLexer&) = delete;

  const PtxToken& peek() const { return token_; }
  PtxToken next();
  // Goes on behind the brace that closes the one at `opening`, as fast as possible, and returns
  // the text between them.
  std::string_view skip_block(uint64_t opening);
  // Comments before the first token: compilers name themselves there.
  std::string_view preamble() const { return std::string_view(text_).substr(0, preamble_end_); }

  [[noreturn]] void fail(const PtxToken& where, std::string_view why) const {
    view_.fail(where.offset, why);
  }

 private:
  void advance();
  PtxToken read_token();

  const ByteView& view_;
  const std::string text_;  // with the padding that the lexer needs
  ptx::Lexer lexer_;
  size_t preamble_end_ = 0;
  PtxToken token_;
};

}  // namespace cucore::image
