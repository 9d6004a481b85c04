// SPDX-License-Identifier: Apache-2.0
#include "sizes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>

#include "failure.hpp"

namespace cucore::cli {

std::uint64_t parse_size(const std::string& text, std::string_view option) {
  std::uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data(), last, value);
  const std::string_view suffix(end, static_cast<std::size_t>(last - end));
  const std::string_view units = "KMGT";
  const std::size_t unit = suffix.empty() ? 0 : units.find(suffix[0]) + 1;
  const bool fits = value <= UINT64_MAX >> (10 * unit);
  if (failure != std::errc() || suffix.size() > 1 || (!suffix.empty() && unit == 0) || !fits)
    throw usage(
        fmt::format("{} is '{}'; expected a number with K, M, G or T, such as 500M", option, text));
  return value << (10 * unit);
}

}  // namespace cucore::cli
