// SPDX-License-Identifier: Apache-2.0
// Makes text from files, arguments and libraries safe for a terminal.
#include "escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace cucore::cli {
namespace {

struct Range {
  std::uint32_t first, last;
};

// Characters that are invisible, or that change the display of others.
constexpr Range HIDDEN[] = {
    {0x00, 0x1f},        // C0 controls
    {0x7f, 0x9f},        // delete, C1 controls
    {0xad, 0xad},        // soft hyphen
    {0x34f, 0x34f},      // combining grapheme joiner
    {0x61c, 0x61c},      // Arabic letter mark
    {0x115f, 0x1160},    // Hangul fillers
    {0x17b4, 0x17b5},    // Khmer inherent vowels
    {0x180b, 0x180f},    // Mongolian selectors and vowel separator
    {0x200b, 0x200f},    // zero width, directional marks
    {0x2028, 0x202e},    // line and paragraph separators, directional embeddings
    {0x2060, 0x206f},    // word joiner, directional isolates
    {0x2800, 0x2800},    // blank Braille pattern
    {0x3164, 0x3164},    // Hangul filler
    {0xfe00, 0xfe0f},    // variation selectors
    {0xfeff, 0xfeff},    // byte order mark
    {0xffa0, 0xffa0},    // halfwidth Hangul filler
    {0xfff0, 0xfffb},    // unassigned, interlinear annotation
    {0x1d173, 0x1d17a},  // musical controls
    {0xe0000, 0xe0fff},  // tags, variation selectors
};

bool is_hidden(std::uint32_t character) {
  return std::any_of(std::begin(HIDDEN), std::end(HIDDEN), [character](const Range& range) {
    return character >= range.first && character <= range.last;
  });
}

// A character and its number of bytes; 0 bytes if the text does not begin with UTF-8.
struct Decoded {
  std::uint32_t character = 0;
  std::size_t size = 0;
};

// The number of bytes of a character, by its first byte, and the least code point for that number.
struct Form {
  unsigned char mask, lead;
  std::uint32_t least;
};
constexpr Form FORMS[] = {
    {0x80, 0, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};

Decoded decode(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  for (std::size_t i = 0; i < std::size(FORMS); ++i) {
    const Form& form = FORMS[i];
    if ((first & form.mask) != form.lead) continue;
    if (text.size() <= i) return {};
    std::uint32_t character = first & static_cast<unsigned char>(~form.mask);
    for (const char c : text.substr(1, i)) {
      if ((c & 0xc0) != 0x80) return {};
      character = character << 6 | (static_cast<unsigned char>(c) & 0x3f);
    }
    const bool surrogate = character >= 0xd800 && character <= 0xdfff;
    if (character < form.least || character > 0x10ffff || surrogate) return {};
    return {character, i + 1};
  }
  return {};
}

std::string escape_of(std::uint32_t character) {
  switch (character) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return character < 0x80      ? fmt::format("\\x{:02x}", character)
             : character < 0x10000 ? fmt::format("\\u{:04x}", character)
                                   : fmt::format("\\U{:08x}", character);
  }
}

// Returns the number of leading layout bytes, which stay unchanged.
std::size_t layout_size(std::string_view text) {
  if (text.starts_with("\r\n")) return 2;
  return text[0] == '\n' || text[0] == '\t' ? 1 : 0;
}

}  // namespace

std::string escaped(std::string_view text, Layout layout) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t size = layout == Layout::TEXT ? layout_size(text) : 0;
    if (size == 0) {
      const Decoded decoded = decode(text);
      size = std::max<std::size_t>(decoded.size, 1);
      if (decoded.size == 0)
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      else if (is_hidden(decoded.character))
        out += escape_of(decoded.character);
      else
        out += text.substr(0, size);
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace cucore::cli
