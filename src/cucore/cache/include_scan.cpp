// SPDX-License-Identifier: Apache-2.0
#include "cache/include_scan.hpp"

#include <algorithm>

namespace cucore::cache {
namespace {

// A backslash at the end of a line joins it with the next, also inside a directive.
bool has_splices(std::string_view text) {
  for (size_t at = 0; (at = text.find('\\', at)) != text.npos; ++at)
    if (at + 1 < text.size() && (text[at + 1] == '\n' || text[at + 1] == '\r')) return true;
  return false;
}

std::string without_splices(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      if (text[i + 1] == '\n') {
        ++i;
        continue;
      }
      if (text[i + 1] == '\r' && i + 2 < text.size() && text[i + 2] == '\n') {
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

// Spaces and tabs also separate the words of a directive.
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  IncludeScan run() {
    for (size_t at = 0; (at = text_.find("include", at)) != text_.npos; at += 7) look(at);
    // Libraries wrap the query into a macro of their own: "_CCCL_HAS_INCLUDE(<x>)".
    for (size_t at = 0; (at = text_.find("HAS_INCLUDE", at)) != text_.npos; at += 11)
      probe(at + 11, false);
    for (const char* word : {"__TIME__", "__DATE__", "__TIMESTAMP__"})
      if (text_.find(word) != text_.npos) out_.has_time = true;
    if (text_.find("embed") != text_.npos) look_for_embeds();
    return std::move(out_);
  }

 private:
  // The text before "include" decides the kind: '#' a directive, "__has_" a query.
  void look(size_t at) {
    size_t end = at + 7;
    bool is_next = false;
    if (text_.substr(end).starts_with("_next")) {
      is_next = true;
      end += 5;
    }
    if (end < text_.size() && is_word(text_[end])) return;
    if (at >= 6 && text_.substr(at - 6, 6) == "__has_") return probe(end, is_next);
    if (follows_hash(at)) name_at(skip_blanks(end), is_next, false);
  }

  void probe(size_t at, bool is_next) {
    at = skip_blanks(at);
    if (at < text_.size() && text_[at] == '(') name_at(skip_blanks(at + 1), is_next, true);
  }

  void look_for_embeds() {
    for (size_t at = 0; (at = text_.find("embed", at)) != text_.npos; at += 5)
      if (follows_hash(at)) out_.has_embed = true;
  }

  void name_at(size_t at, bool is_next, bool is_probe) {
    const char open = at < text_.size() ? text_[at] : '\0';
    const char close = open == '"' ? '"' : open == '<' ? '>' : '\0';
    const size_t end = close ? text_.find_first_of(std::string{close, '\n'}, at + 1) : text_.npos;
    if (end == text_.npos || text_[end] == '\n') {
      out_.has_computed = out_.has_computed || !is_probe;
      return;
    }
    IncludeName name{std::string(text_.substr(at + 1, end - at - 1)), open == '"', is_next,
                     is_probe};
    out_.names.push_back(std::move(name));
  }

  // Comments may be between the parts of a directive.
  size_t skip_blanks(size_t at) const {
    while (at < text_.size()) {
      if (is_blank(text_[at])) {
        ++at;
      } else if (text_.substr(at, 2) == "/*") {
        const size_t end = text_.find("*/", at + 2);
        if (end == text_.npos) return text_.size();
        at = end + 2;
      } else {
        break;
      }
    }
    return at;
  }
  bool follows_hash(size_t at) const {
    while (at > 0 && is_blank(text_[at - 1])) --at;
    if (at > 0 && text_[at - 1] == '#') return true;
    const std::string_view before = text_.substr(0, at);
    if (before.ends_with("%:") || before.ends_with("?\?=")) return true;
    return before.ends_with("*/") && follows_hash_and_comment(at - 2);
  }
  // The comment may contain the text of a comment's beginning.
  bool follows_hash_and_comment(size_t end) const {
    const size_t last = end < 2 ? text_.npos : text_.rfind("*/", end - 2);
    const size_t first = last == text_.npos ? 0 : last + 2;
    for (size_t at = first; (at = text_.find("/*", at)) < end; ++at)
      if (follows_hash(at)) return true;
    return false;
  }

  const std::string_view text_;
  IncludeScan out_;
};

}  // namespace

IncludeScan scan_includes(std::string_view text) {
  if (!has_splices(text)) return Scanner(text).run();
  const std::string joined = without_splices(text);
  return Scanner(joined).run();
}

}  // namespace cucore::cache
