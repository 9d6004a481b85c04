// SPDX-License-Identifier: Apache-2.0
// JSON as libcucore writes META: ASCII without blanks, and without escapes other than \" and \\.
// The general parser reads a text character by character into two buffers.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace cucore::container {

// Passes one object to the events of a handler of nlohmann's parser. Returns false at anything
// else, which may be JSON, or if the handler refuses: then the general parser decides.
template <class Handler>
class PlainJson {
 public:
  PlainJson(std::string_view text, Handler& handler) : text_(text), handler_(handler) {}

  bool parse() { return next() == '{' && object() && at_ == text_.size(); }

 private:
  // A NUL at the end, which no text contains here.
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }

  // The handler refuses what is nested too deeply, which bounds the recursion.
  bool object() {
    ++at_;
    if (!handler_.start_object(0)) return false;
    if (!take('}')) {
      do {
        if (!string() || !handler_.key(string_) || !take(':') || !value()) return false;
      } while (take(','));
      if (!take('}')) return false;
    }
    return handler_.end_object();
  }

  bool array() {
    ++at_;
    if (!handler_.start_array(0)) return false;
    if (!take(']')) {
      do {
        if (!value()) return false;
      } while (take(','));
      if (!take(']')) return false;
    }
    return handler_.end_array();
  }

  bool value() {
    switch (next()) {
      case '{':
        return object();
      case '[':
        return array();
      case '"':
        return string() && handler_.string(string_);
      default:
        return number();
    }
  }

  bool string() {
    if (!take('"')) return false;
    string_.clear();
    for (;;) {
      const size_t begin = at_;
      while (is_plain(next())) ++at_;
      string_.append(text_, begin, at_ - begin);
      if (!take('\\')) return take('"');
      if (next() != '"' && next() != '\\') return false;
      string_ += text_[at_++];
    }
  }

  static bool is_plain(char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; }

  bool number() {
    const char* begin = text_.data() + at_;
    int64_t number = 0;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc()) return false;
    const std::string_view digits(begin, end);
    if (digits.starts_with("-0") || (digits.starts_with('0') && digits.size() > 1)) return false;
    at_ += digits.size();
    return handler_.number_integer(number);
  }

  std::string_view text_;
  Handler& handler_;
  size_t at_ = 0;
  std::string string_;
};

}  // namespace cucore::container
