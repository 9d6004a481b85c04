// SPDX-License-Identifier: Apache-2.0
#include "array/text/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "support/concat.hpp"

namespace cucore::array {
namespace {

constexpr size_t LONGEST = 512;  // more than any number with at most 64 digits after the point

// ---- digits

Decimal parsed(bool negative, std::string_view text) {  // "1.25e-07"
  Decimal decimal{.negative = negative};
  const size_t mark = text.find('e');
  for (const char each : text.substr(0, mark))
    if (each != '.') decimal.digits += each;
  std::string_view exponent = text.substr(mark + 1);
  if (exponent.front() == '+') exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.exponent);
  const size_t last = decimal.digits.find_last_not_of('0');
  decimal.digits.resize(last == std::string::npos ? 1 : last + 1);
  return decimal;
}

template <class T>
Decimal shortest_of(T value) {
  char text[LONGEST];
  const auto end =
      std::to_chars(text, text + LONGEST, std::abs(value), std::chars_format::scientific).ptr;
  return parsed(std::signbit(value), {text, end});
}

std::string rounded_text(double value, std::chars_format format, int32_t precision) {
  char text[LONGEST];
  const auto end = std::to_chars(text, text + LONGEST, std::abs(value), format, precision).ptr;
  return {text, end};
}

// A 16-bit type: its significant bits, and the exponent of its least normal number.
struct Narrow {
  int32_t bits, least;
};

// The numbers that the type rounds to the value.
struct Interval {
  double low, high;
  bool closed;
  bool contains(double value) const {
    return closed ? value >= low && value <= high : value > low && value < high;
  }
};

Interval interval_of(double value, const Narrow& type) {
  int32_t exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  exponent = std::max(exponent, type.least + 1);
  const double unit = std::ldexp(1.0, exponent - type.bits);
  const bool closer = fraction == 0.5 && exponent > type.least + 1;
  return {.low = value - unit / (closer ? 4 : 2),
          .high = value + unit / 2,
          .closed = std::fmod(value / unit, 2.0) == 0};
}

double value_of(const Decimal& decimal) {
  const std::string text = concat(
      decimal.digits, "e", decimal.exponent + 1 - static_cast<int32_t>(decimal.digits.size()));
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The next larger number with as many digits.
Decimal next_of(Decimal decimal, size_t count) {
  decimal.digits.resize(count, '0');
  size_t at = count;
  while (at > 0 && decimal.digits[at - 1] == '9') decimal.digits[--at] = '0';
  if (at > 0) {
    ++decimal.digits[at - 1];
  } else {
    decimal.digits.insert(0, 1, '1');
    ++decimal.exponent;
  }
  return decimal;
}

Decimal shortest_of(double value, const Narrow& type) {
  const double size = std::abs(value);
  if (size == 0) return {.negative = std::signbit(value), .digits = "0"};
  const Interval interval = interval_of(size, type);
  for (int32_t count = 1;; ++count) {
    Decimal nearest =
        parsed(std::signbit(value), rounded_text(size, std::chars_format::scientific, count - 1));
    if (interval.contains(value_of(nearest))) return nearest;
    // Below a power of two, the interval is narrower.
    const Decimal next = next_of(nearest, static_cast<size_t>(count));
    if (value_of(nearest) < size && interval.contains(value_of(next))) return next;
  }
}

// ---- text

std::string signed_text(bool negative, std::string text) {
  return negative ? concat("-", text) : text;
}

std::string without_zeros(std::string text) {  // of a text with a point
  text.resize(text.find_last_not_of('0') + 1);
  return text;
}

std::string exponent_text(int32_t exponent, int32_t least_digits) {
  std::string digits = concat(std::abs(exponent));
  const auto least = static_cast<size_t>(least_digits);
  if (digits.size() < least) digits.insert(0, least - digits.size(), '0');
  return concat("e", exponent < 0 ? '-' : '+', digits);
}

}  // namespace

Decimal shortest(double value, Dtype dtype) {
  switch (real_of(dtype)) {
    case Dtype::FLOAT16:
      return shortest_of(value, Narrow{.bits = 11, .least = -14});
    case Dtype::BFLOAT16:
      return shortest_of(value, Narrow{.bits = 8, .least = -126});
    case Dtype::FLOAT32:
      return shortest_of(static_cast<float>(value));
    default:
      return shortest_of(value);
  }
}

std::string positional(const Decimal& decimal, double value, int32_t precision, bool exact) {
  const auto count = static_cast<int32_t>(decimal.digits.size());
  const int32_t last = decimal.exponent + 1 - count;  // the exponent of the last digit
  const int32_t fraction = std::max(-last, 0);
  if (fraction > precision || (exact && last > 0)) {
    const int32_t digits = std::min(fraction, precision);
    std::string text = rounded_text(value, std::chars_format::fixed, digits);
    return signed_text(decimal.negative, digits == 0 ? concat(text, ".") : without_zeros(text));
  }
  std::string digits = decimal.digits;
  if (decimal.exponent < 0)
    digits.insert(0, static_cast<size_t>(-decimal.exponent), '0');
  else if (count <= decimal.exponent)
    digits.append(static_cast<size_t>(decimal.exponent + 1 - count), '0');
  digits.insert(digits.size() - static_cast<size_t>(fraction), 1, '.');
  return signed_text(decimal.negative, std::move(digits));
}

std::string scientific(const Decimal& decimal, double value, int32_t precision,
                       int32_t least_digits, int32_t exponent_digits) {
  const auto fraction = static_cast<int32_t>(decimal.digits.size()) - 1;
  const int32_t wanted = std::min(std::max(fraction, least_digits), precision);
  std::string digits = decimal.digits;
  int32_t exponent = decimal.exponent;
  if (wanted != fraction) {  // these digits are those of the exact value
    const Decimal exact = parsed(false, rounded_text(value, std::chars_format::scientific, wanted));
    digits = exact.digits;
    exponent = exact.exponent;
    if (wanted > fraction) digits.resize(static_cast<size_t>(wanted) + 1, '0');
    digits.resize(std::max(digits.size(), static_cast<size_t>(least_digits) + 1), '0');
  }
  digits.insert(1, 1, '.');
  return signed_text(decimal.negative, concat(digits, exponent_text(exponent, exponent_digits)));
}

std::string scalar_text(double value, Dtype dtype) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  constexpr double MOST = 1e16, LEAST = 1e-4;
  constexpr int32_t ALL = 400;
  const Decimal decimal = shortest(value, dtype);
  const double size = std::abs(value);
  if (size == 0 || (size >= LEAST && size < MOST)) {
    std::string text = positional(decimal, value, ALL, false);
    return text.back() == '.' ? concat(text, "0") : text;
  }
  std::string text = scientific(decimal, value, ALL);
  if (const size_t point = text.find(".e"); point != std::string::npos) text.erase(point, 1);
  return text;
}

}  // namespace cucore::array
