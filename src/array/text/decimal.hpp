// SPDX-License-Identifier: Apache-2.0
// Numbers of floating types as decimal text, with the digits that NumPy prints.
#pragma once

#include <cstdint>
#include <string>

#include "array/model/dtype.hpp"

namespace cucore::array {

// The fewest digits that identify a finite number among those of its type.
struct Decimal {
  bool negative = false;
  std::string digits = {};  // without zeros at either end; "0" of zero
  int32_t exponent = 0;     // of the first digit
};
Decimal shortest(double value, Dtype dtype);

// "-12.5", "3.": at most `precision` digits after the point, without zeros at the end. `exact`: the
// digits in front of the point are those of the value, not zeros behind the fewest digits.
std::string positional(const Decimal& decimal, double value, int32_t precision, bool exact);
// "1.5e-07": at most `precision` digits after the point, and at least `least_digits`. The exponent
// has at least `exponent_digits` digits.
std::string scientific(const Decimal& decimal, double value, int32_t precision,
                       int32_t least_digits = 0, int32_t exponent_digits = 2);

// As Python's str() of one number: "1.0", "1e+16".
std::string scalar_text(double value, Dtype dtype);

}  // namespace cucore::array
