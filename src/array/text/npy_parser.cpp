// SPDX-License-Identifier: Apache-2.0
#include "array/text/npy_parser.hpp"

#include <algorithm>
#include <charconv>

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

constexpr std::string_view KEYS[] = {"descr", "fortran_order", "shape"};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  NpyDictionary dictionary() {
    bool found[std::size(KEYS)] = {};
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      const auto row = std::find(std::begin(KEYS), std::end(KEYS), key);
      if (row == std::end(KEYS)) fail(concat("the key '", key, "' is unknown"));
      bool& is_found = found[row - std::begin(KEYS)];
      if (is_found) fail(concat("the key '", key, "' is there twice"));
      is_found = true;
      expect(':');
      read(key);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (at_ < text_.size()) fail("expected the end of the header");
    for (size_t key = 0; key < std::size(KEYS); ++key)
      if (!found[key]) fail(concat("the key '", KEYS[key], "' is missing"));
    return std::move(result_);
  }

 private:
  void read(std::string_view key) {
    if (key == "descr")
      result_.descr = type();
    else if (key == "shape")
      result_.shape = tuple();
    else
      result_.fortran_order = boolean();
  }

  // Types of several fields are lists.
  std::string type() {
    skip_spaces();
    if (at_ < text_.size() && text_[at_] == '[')
      throw Error(Status::DTYPE,
                  "from_npy: the elements have several fields; store each field in a file");
    return string();
  }

  std::string string() {
    skip_spaces();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("expected a string");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("the string has no end");
    std::string result(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return result;
  }

  bool boolean() {
    skip_spaces();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail("expected True or False");
  }

  // Python 2 wrote some numbers with an L.
  int64_t number() {
    skip_spaces();
    int64_t value = 0;
    const char* const first = text_.data() + at_;
    const auto [end, problem] = std::from_chars(first, text_.data() + text_.size(), value);
    if (problem != std::errc{} || value < 0) fail("expected a size from 0 to 2^63 - 1");
    at_ += static_cast<size_t>(end - first);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    return value;
  }

  Dims tuple() {
    Dims sizes;
    expect('(');
    while (!accept(')')) {
      if (sizes.size() == Dims::MAX)
        throw Error(Status::SHAPE,
                    concat("from_npy: the shape has more than ", Dims::MAX, " axes"));
      sizes.push_back(number());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  void skip_spaces() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }
  bool accept(char wanted) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(concat("expected '", wanted, "'"));
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Status::INVALID_ARGUMENT,
                concat("from_npy: the header is not valid at its byte ", at_, ": ", why));
  }

  const std::string_view text_;
  size_t at_ = 0;
  NpyDictionary result_;
};

}  // namespace

NpyDictionary parse_npy_dictionary(std::string_view text) { return Parser(text).dictionary(); }

}  // namespace cucore::array
