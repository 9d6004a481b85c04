// SPDX-License-Identifier: Apache-2.0
// Texts of JSON.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace cucore {

namespace detail {

// Returns the length of the UTF-8 sequence at `i`; 0: the bytes are not one, as
// overlong forms and surrogates.
inline size_t utf8_length(std::string_view text, size_t i) {
  const auto byte = [&](size_t at) { return at < text.size() ? uint8_t(text[at]) : 0u; };
  const auto follows = [&](size_t at) { return (byte(at) & 0xc0) == 0x80; };
  const unsigned first = byte(i), second = byte(i + 1);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4 || !follows(i + 1)) return 0;
  if (first < 0xe0) return 2;
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  if (overlong || beyond || !follows(i + 2)) return 0;
  if (first < 0xf0) return 3;
  return follows(i + 3) ? 4 : 0;
}

// Appends one character; an empty one stands for bytes that are not UTF-8.
inline void append_json(std::string& json, std::string_view character) {
  if (character.empty()) {
    json += "\\ufffd";
  } else if (character == "\"" || character == "\\") {
    json += '\\';
    json += character;
  } else if (static_cast<unsigned char>(character[0]) < 0x20) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(character[0]));
    json += escaped;
  } else {
    json += character;
  }
}

}  // namespace detail

// Returns the text with quotes. Bytes that are not UTF-8 become U+FFFD, because the text of a
// kernel can contain any bytes.
inline std::string json_text(std::string_view text) {
  std::string json(1, '"');
  for (size_t i = 0; i < text.size();) {
    const size_t length = detail::utf8_length(text, i);
    detail::append_json(json, text.substr(i, length));
    i += length ? length : 1;
  }
  return json + '"';
}

}  // namespace cucore
