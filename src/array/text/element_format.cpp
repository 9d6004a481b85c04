// SPDX-License-Identifier: Apache-2.0
#include "array/text/element_format.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "array/ir/number.hpp"
#include "array/text/decimal.hpp"
#include "array/text/element.hpp"
#include "support/concat.hpp"

namespace cucore::array {
namespace {

std::string padded_left(std::string text, size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string integer_text(Dtype dtype, const std::byte* element) {
  const int64_t value = integer_at(dtype, element);
  return dtype == Dtype::UINT64 ? concat(static_cast<uint64_t>(value)) : concat(value);
}

// The text of numbers of one type: positional, or all with an exponent.
class RealFormat {
 public:
  RealFormat(Dtype dtype, std::span<const double> values, const PrintOptions& options, bool plus)
      : dtype_(dtype), precision_(options.precision), plus_(plus) {
    choose_exponents(values, options.suppress_small);
    for (const double value : values)
      if (std::isfinite(value)) measure(value);
    if (exponents_) {
      precision_ = static_cast<int32_t>(right_);
      right_ += exponent_digits_ + 2;
    }
    for (const double value : values)
      if (!std::isfinite(value)) make_room(value);
  }

  std::string operator()(double value) const {
    if (!std::isfinite(value)) return padded_left(special(value), left_ + right_ + 1);
    const Decimal decimal = shortest(value, dtype_);
    std::string text = exponents_ ? scientific(decimal, value, precision_, precision_,
                                               static_cast<int32_t>(exponent_digits_))
                                  : positional(decimal, value, precision_, true);
    if (plus_ && !decimal.negative) text.insert(0, 1, '+');
    // The arguments of a call have no order, so no other one reads a text that is moved.
    const size_t padded = left_ + (text.size() - text.find('.'));
    text = padded_left(std::move(text), padded);
    const size_t width = left_ + right_ + 1;
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
  }

 private:
  // The limits and the quotient are rounded to the type.
  void choose_exponents(std::span<const double> values, bool suppress_small) {
    constexpr double LARGE = 1e8, SMALL = 1e-4, SPREAD = 1000;
    double most = 0, least = std::numeric_limits<double>::infinity();
    for (const double value : values) {
      const double size = std::abs(value);
      if (!std::isfinite(value) || size == 0) continue;
      most = std::max(most, size);
      least = std::min(least, size);
    }
    if (most == 0) return;
    const Dtype type = real_of(dtype_);
    exponents_ =
        most >= rounded(LARGE, type) ||
        (!suppress_small && (least < rounded(SMALL, type) || rounded(most / least, type) > SPREAD));
  }

  void measure(double value) {
    const Decimal decimal = shortest(value, dtype_);
    const std::string text = exponents_ ? scientific(decimal, value, precision_)
                                        : positional(decimal, value, precision_, true);
    const size_t point = text.find('.'), mark = std::min(text.find('e'), text.size());
    left_ = std::max(left_, point + (plus_ && !decimal.negative ? 1 : 0));
    right_ = std::max(right_, mark - point - 1);
    if (exponents_) exponent_digits_ = std::max(exponent_digits_, text.size() - mark - 2);
  }

  // Room for an infinity, also if there is only a NaN.
  void make_room(double value) {
    const size_t size = plus_ || value < 0 ? 4 : 3;
    if (size > right_ + 1) left_ = std::max(left_, size - right_ - 1);
  }

  std::string special(double value) const {
    if (std::isnan(value)) return plus_ ? "+nan" : "nan";
    return value < 0 ? "-inf" : plus_ ? "+inf" : "inf";
  }

  const Dtype dtype_;
  int32_t precision_;
  const bool plus_;  // positive numbers have a sign
  bool exponents_ = false;
  size_t left_ = 0, right_ = 0;  // characters on the sides of the point
  size_t exponent_digits_ = 0;
};

template <class Read>
std::vector<double> values_of(Dtype dtype, std::span<const std::byte> elements, Read read) {
  std::vector<double> values;
  for (size_t at = 0; at < elements.size(); at += size_of(dtype))
    values.push_back(read(dtype, &elements[at]));
  return values;
}

ElementFormat integer_format(Dtype dtype, std::span<const std::byte> elements) {
  size_t width = 0;
  for (size_t at = 0; at < elements.size(); at += size_of(dtype))
    width = std::max(width, integer_text(dtype, &elements[at]).size());
  return [=](const std::byte* element) { return padded_left(integer_text(dtype, element), width); };
}

ElementFormat complex_format(Dtype dtype, std::span<const std::byte> elements,
                             const PrintOptions& options) {
  const RealFormat real(dtype, values_of(dtype, elements, real_at), options, false);
  const RealFormat imag(dtype, values_of(dtype, elements, imag_at), options, true);
  return [=](const std::byte* element) {
    std::string second = imag(imag_at(dtype, element));
    second.insert(second.find_last_not_of(' ') + 1, 1, 'j');
    return concat(real(real_at(dtype, element)), second);
  };
}

// Without the point of whole numbers.
std::string part_text(Dtype dtype, double part) {
  std::string text = scalar_text(part, dtype);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string complex_text(Dtype dtype, const std::byte* element) {
  const double real = real_at(dtype, element), imag = imag_at(dtype, element);
  const std::string second = concat(part_text(dtype, imag), "j");
  if (real == 0 && !std::signbit(real)) return second;
  const bool has_sign = second.front() == '-';
  return concat("(", part_text(dtype, real), has_sign ? "" : "+", second, ")");
}

}  // namespace

ElementFormat format_of(Dtype dtype, std::span<const std::byte> elements,
                        const PrintOptions& options) {
  switch (kind_of(dtype)) {
    case Kind::BOOL:
      return [](const std::byte* element) {
        return std::string(integer_at(Dtype::BOOL, element) ? " True" : "False");
      };
    case Kind::SIGNED:
    case Kind::UNSIGNED:
      return integer_format(dtype, elements);
    case Kind::COMPLEX:
      return complex_format(dtype, elements, options);
    case Kind::REAL:
      break;
  }
  const RealFormat format(dtype, values_of(dtype, elements, real_at), options, false);
  return [=](const std::byte* element) { return format(real_at(dtype, element)); };
}

std::string scalar_text(Dtype dtype, const std::byte* element) {
  switch (kind_of(dtype)) {
    case Kind::BOOL:
      return integer_at(dtype, element) ? "True" : "False";
    case Kind::REAL:
      return scalar_text(real_at(dtype, element), dtype);
    case Kind::COMPLEX:
      return complex_text(dtype, element);
    default:
      return integer_text(dtype, element);
  }
}

}  // namespace cucore::array
