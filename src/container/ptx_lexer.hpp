// Cuts PTX into words and marks, with comments and strings out of the way.
#pragma once

#include <string_view>

#include "container/byte_view.hpp"

namespace cucore::container {

struct PtxToken {
  enum Kind { END, WORD, NUMBER, STRING, MARK } kind = END;
  std::string_view text;  ///< of a string without its quotes
  uint64_t offset = 0;

  bool is(std::string_view wanted) const { return kind != STRING && text == wanted; }
  bool is_directive() const { return kind == WORD && text.size() > 1 && text[0] == '.'; }
  bool is_name() const { return kind == WORD && text[0] != '.'; }
};

class PtxLexer {
 public:
  explicit PtxLexer(const ByteView& view);

  const PtxToken& peek() const { return token_; }
  PtxToken next();
  /// Goes on behind the brace that closes the one that was just read, as fast as possible, and
  /// returns the text between them.
  std::string_view skip_block(uint64_t opening);
  /// Comments before the first token: compilers name themselves there.
  std::string_view preamble() const { return text_.substr(0, preamble_end_); }

  [[noreturn]] void fail(const PtxToken& where, std::string_view why) const {
    view_.fail(where.offset, why);
  }

 private:
  void advance();
  size_t skip_blank(size_t position) const;
  size_t skip_comment(size_t position) const;
  size_t skip_string(size_t position) const;
  size_t word_end(size_t position) const;

  const ByteView& view_;
  std::string_view text_;
  size_t position_ = 0;
  size_t preamble_end_ = 0;
  PtxToken token_;
};

}  // namespace cucore::container
