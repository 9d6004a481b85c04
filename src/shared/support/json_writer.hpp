// SPDX-License-Identifier: Apache-2.0
// Writes JSON member by member, with one member per line. A tree in memory, as libraries have it,
// cannot be destroyed without memory.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/json_text.hpp"

namespace cucore {

class JsonWriter {
 public:
  void begin_object(std::string_view name = {}) { begin(name, '{'); }
  void begin_array(std::string_view name = {}) { begin(name, '['); }
  void end_object() { end('}'); }
  void end_array() { end(']'); }

  void text(std::string_view name, std::string_view value) { member(name, json_text(value)); }
  void count(std::string_view name, uint64_t value) { member(name, std::to_string(value)); }
  void null(std::string_view name) { member(name, "null"); }
  void flag(std::string_view name, bool value) { member(name, value ? "true" : "false"); }
  void number(std::string_view name, const std::optional<uint64_t>& value) {
    member(name, value ? std::to_string(*value) : "null");
  }
  // Numbers that are not finite become null, as JSON has none.
  void real(std::string_view name, double value) {
    if (!std::isfinite(value)) return member(name, "null");
    char digits[32];
    member(name, {digits, std::to_chars(digits, digits + sizeof digits, value).ptr});
  }

  // The text, which ends with a line break.
  std::string take() { return std::move(text_ += '\n'); }

 private:
  void begin(std::string_view name, char bracket) {
    head(name);
    text_ += bracket;
    ++depth_;
    is_first_ = true;
  }
  void end(char bracket) {
    --depth_;
    if (!is_first_) new_line();
    text_ += bracket;
    is_first_ = false;
  }
  void member(std::string_view name, std::string_view value) {
    head(name);
    text_ += value;
  }
  void head(std::string_view name) {
    if (depth_ > 0) {
      if (!is_first_) text_ += ',';
      new_line();
    }
    is_first_ = false;
    if (!name.empty()) (text_ += json_text(name)) += ": ";
  }
  void new_line() { text_.append(1, '\n').append(2 * depth_, ' '); }

  std::string text_;
  size_t depth_ = 0;
  bool is_first_ = true;
};

}  // namespace cucore
