// SPDX-License-Identifier: Apache-2.0
#include "number_check.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace cucore::cli {
namespace {

// Returns whether the whole text is a number, which it assigns.
template <class Number>
bool read_number(const std::string& text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end;
}

template <class Number>
CLI::Validator whole_number(Number least) {
  return CLI::Validator(
      [least](std::string& text) -> std::string {
        Number number = 0;
        if (read_number(text, number) && number >= least) return {};
        return fmt::format("is '{}'; expected a number from {} to {}", text, least,
                           std::numeric_limits<Number>::max());
      },
      "");
}

}  // namespace

CLI::Validator from_one() { return whole_number(std::uint32_t{1}); }
CLI::Validator from_zero() { return whole_number(std::uint32_t{0}); }
CLI::Validator of_64_bits() { return whole_number(std::uint64_t{0}); }

CLI::Validator above_zero() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        double number = 0;
        if (read_number(text, number) && number > 0 && std::isfinite(number)) return {};
        return fmt::format("is '{}'; expected a number above 0", text);
      },
      "");
}

}  // namespace cucore::cli
