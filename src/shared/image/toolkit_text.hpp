// SPDX-License-Identifier: Apache-2.0
// Reads "Cuda compilation tools, release 13.0, V13.0.88", the signature of NVIDIA's tools.
#pragma once

#include <cstdint>
#include <string_view>

namespace cucore::image {

// Returns major * 10 + minor of the release in the text, or 0.
inline uint16_t toolkit_of(std::string_view text) {
  constexpr std::string_view MARK = "release ";
  const size_t found = text.find(MARK);
  if (found == text.npos) return 0;
  unsigned parts[2] = {0, 0};
  size_t position = found + MARK.size();
  for (unsigned& part : parts) {
    const size_t begin = position;
    while (position < text.size() && text[position] >= '0' && text[position] <= '9' &&
           position - begin < 3)
      part = part * 10 + static_cast<unsigned>(text[position++] - '0');
    if (position == begin ||
        (&part == parts && (position >= text.size() || text[position++] != '.')))
      return 0;
  }
  return parts[1] > 9 ? 0 : static_cast<uint16_t>(parts[0] * 10 + parts[1]);
}

// Returns the exact build, "V13.0.88", or "".
inline std::string_view build_of(std::string_view text) {
  constexpr std::string_view MARK = "Cuda compilation tools, release ";
  const size_t found = text.find(MARK);
  if (found == text.npos) return {};
  const size_t begin = text.find_first_not_of("0123456789., ", found + MARK.size());
  if (begin == text.npos || text[begin] != 'V') return {};
  const size_t end = text.find_first_not_of("0123456789.", begin + 1);
  const std::string_view build = text.substr(begin, end == text.npos ? end : end - begin);
  return build.size() < 2 || build.size() > 32 ? std::string_view() : build;
}

}  // namespace cucore::image
