// SPDX-License-Identifier: Apache-2.0
// Checks and repairs UTF-8.
#include "container/text.hpp"

#include <cstdint>
#include <cstring>

namespace cucore::container {

namespace {

// Returns the first position from `at` on that is not known to be ASCII. Most text is ASCII, and
// eight bytes cost as much as one.
size_t skip_ascii(std::string_view text, size_t at) {
  constexpr uint64_t HIGH_BITS = 0x8080808080808080;
  uint64_t bytes = 0;
  for (; text.size() - at >= sizeof bytes; at += sizeof bytes) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if ((bytes & HIGH_BITS) != 0) break;
  }
  return at;
}

// Returns the length of the sequence that begins here; 0 if it is invalid.
size_t sequence_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(text[i])); };
  const uint32_t first = byte(at);
  if (first < 0x80) return 1;
  const size_t length = first < 0xc2   ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  if (length == 0 || length > text.size() - at) return 0;
  uint32_t code = first & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(at + i) & 0x3f);
  }
  constexpr uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < LEAST[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
  return length;
}

}  // namespace

size_t find_bad_utf8(std::string_view text) {
  for (size_t i = skip_ascii(text, 0); i < text.size(); i = skip_ascii(text, i)) {
    const size_t length = sequence_length(text, i);
    if (length == 0) return i;
    i += length;
  }
  return text.npos;
}

std::string clean_text(std::string_view text) {
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  if (find_bad_utf8(text) == text.npos && text.find('\0') == text.npos) return std::string(text);
  std::string clean;
  for (size_t i = 0; i < text.size();) {
    const size_t length = text[i] == '\0' ? 0 : sequence_length(text, i);
    if (length == 0) {
      clean += "\xEF\xBF\xBD";
      ++i;
    } else {
      clean += text.substr(i, length);
      i += length;
    }
  }
  return clean;
}

std::vector<std::string> clean_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> clean;
  for (const std::string& text : texts) clean.push_back(clean_text(text));
  return clean;
}

}  // namespace cucore::container
