// SPDX-License-Identifier: Apache-2.0
#include "ptx/link/rewrite.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "ptx/lexer.hpp"

namespace cucore::ptx::link {
namespace {

class Copier {
 public:
  Copier(std::string_view text, Part part, const Changes& changes, std::string& out)
      : text_(text), changes_(changes), out_(out), is_body_(part == Part::BODY) {}

  void copy() {
    while (at_ < text_.size()) token();
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : char{0};
  }
  void copy_to(size_t end) {
    end = std::min(end, text_.size());
    out_.append(text_, at_, end - at_);
    at_ = end;
  }

  void token() {
    const char c = peek();
    if (c == '/' && peek(1) == '/') return copy_to(text_.find('\n', at_));
    if (c == '/' && peek(1) == '*') return copy_past("*/", 2);
    if (c == '"') return copy_past("\"", 1);
    if (c == '.') return directive();
    if (is_class(c, CHAR_WORD)) return word();
    if (!is_class(c, CHAR_BLANK)) punctuation(c);
    copy_to(at_ + 1);
  }

  void copy_past(std::string_view end, size_t skip) {
    const size_t found = text_.find(end, at_ + skip);
    copy_to(found == std::string_view::npos ? found : found + end.size());
  }

  // A brace at the begin of a statement opens a scope, others enclose the parts of a vector.
  void punctuation(char c) {
    if (c == '=') in_value_ = true;
    if (c == '{') in_vector_ = !at_start_;
    if (c == '}' && std::exchange(in_vector_, false)) return;
    if (c == '@') {
      after_guard_ = true;
    } else if (c != '!') {
      at_start_ = c == ';' || c == ':' || ((c == '{' || c == '}') && !in_vector_);
    }
  }

  size_t end_of_word(size_t at) const {
    at += at < text_.size() && text_[at] == '%';
    while (at < text_.size() && is_class(text_[at], CHAR_INSIDE)) ++at;
    return at;
  }

  // Copies ".reg" or ".f32". A `.loc` has no semicolon.
  void directive() {
    const size_t end = end_of_word(at_ + 1);
    const bool is_location = is_body_ && text_.substr(at_, end - at_) == ".loc";
    copy_to(end);
    at_start_ = false;
    if (is_location) location();
  }

  void blanks() {
    size_t end = at_;
    while (end < text_.size() && is_class(text_[end], CHAR_BLANK)) ++end;
    copy_to(end);
  }

  // Reads "1 10 5, function_name $L, inlined_at 1 20 3" and writes the first three numbers. The
  // rest refers to debug sections, which are left out.
  void location() {
    for (int i = 0; i < 3; ++i) {
      blanks();
      if (!is_class(peek(), CHAR_DIGIT)) break;
      const size_t end = end_of_word(at_);
      i == 0 ? file(text_.substr(at_, end - at_)) : void(out_.append(text_, at_, end - at_));
      at_ = end;
    }
    while (skip_blanks(), peek() == ',') {
      ++at_;
      skip_blanks();
      at_ = end_of_word(at_);
      while (skip_blanks(), is_class(peek(), CHAR_DIGIT) || peek() == '$' || peek() == '+')
        at_ = peek() == '+' ? at_ + 1 : end_of_word(at_);
    }
    out_ += '\n';
    at_start_ = true;
  }

  void skip_blanks() {
    while (is_class(peek(), CHAR_BLANK)) ++at_;
  }

  void file(std::string_view digits) {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const auto known = changes_.files.find(number);
    if (error != std::errc() || known == changes_.files.end())
      out_.append(digits);
    else
      out_ += std::to_string(known->second);
  }

  void word() {
    const size_t end = std::max(end_of_word(at_), at_ + 1);
    const std::string_view name = text_.substr(at_, end - at_);
    const auto known = changes_.names.find(name);
    if (known != changes_.names.end() && is_name(name, end)) {
      out_ += known->second;
      at_ = end;
    } else {
      copy_to(end);
    }
    if (!std::exchange(after_guard_, false)) at_start_ = false;
  }

  // Returns true if the word is the name of a symbol and not an instruction, a modifier or a word
  // of an initial value.
  bool is_name(std::string_view word, size_t end) const {
    const char next = end < text_.size() ? text_[end] : char{0};
    if (next == '.') return false;
    if (!is_body_) return !(word == "generic" && next == '(' && in_value_);
    return !at_start_ || after_guard_ || is_label(end);
  }

  bool is_label(size_t end) const {
    while (end < text_.size() && is_class(text_[end], CHAR_BLANK)) ++end;
    return text_.substr(end, 1) == ":" && text_.substr(end, 2) != "::";
  }

  const std::string_view text_;
  const Changes& changes_;
  std::string& out_;
  const bool is_body_;
  size_t at_ = 0;
  bool at_start_ = true;
  bool after_guard_ = false;
  bool in_vector_ = false;
  bool in_value_ = false;
};

// New names have smaller numbers than this.
constexpr uint64_t MAX_SUFFIX = uint64_t{1} << 40;

}  // namespace

void copy_changed(std::string_view text, Part part, const Changes& changes, std::string& out) {
  if (changes.names.empty() && changes.files.empty())
    out.append(text);
  else
    Copier(text, part, changes, out).copy();
}

uint64_t largest_suffix(std::string_view text) {
  uint64_t largest = 0;
  for (size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data() + at + 1, end, number);
    if (result.ec == std::errc() && number < MAX_SUFFIX) largest = std::max(largest, number);
  }
  return largest;
}

std::unordered_set<std::string_view> range_names(std::string_view text) {
  std::unordered_set<std::string_view> names;
  for (size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    size_t end = at;
    while (end > 0 && is_class(text[end - 1], CHAR_BLANK)) --end;
    size_t start = end;
    while (start > 0 && is_class(text[start - 1], CHAR_WORD)) --start;
    names.insert(text.substr(start, end - start));
  }
  return names;
}

bool may_be_register(std::string_view word, const std::unordered_set<std::string_view>& ranges) {
  if (word.starts_with('%')) return true;
  // A function has less than ten million registers.
  for (size_t digits = 0; digits <= 7 && digits < word.size(); ++digits) {
    if (ranges.count(word.substr(0, word.size() - digits)) != 0) return true;
    if (!is_class(word[word.size() - digits - 1], CHAR_DIGIT)) return false;
  }
  return false;
}

}  // namespace cucore::ptx::link
