// SPDX-License-Identifier: Apache-2.0
// Reference arithmetic: the host's rounding mode, and PTX's rules for subnormals, saturation and
// NaN.
#pragma once

#include <cfenv>

#include "typed.hpp"

namespace cucore::cpu::ops {

struct RoundingMode {
  const char* name;
  int mode;
};

inline constexpr RoundingMode ROUNDINGS[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

// Sets the mode for the life of the object; operands must pass through volatile.
class RoundingScope {
 public:
  explicit RoundingScope(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~RoundingScope() { std::fesetround(before_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  int before_;
};

template <typename T>
T flushed(T value) {
  bool subnormal = value != 0 && std::fabs(value) < std::numeric_limits<T>::min();
  return subnormal ? std::copysign(T(0), value) : value;
}

template <typename T>
T saturated(T value) {
  if (!(value > 0)) return 0;  // NaN too
  return value < 1 ? value : T(1);
}

// NaN results in f32 have one pattern. In f64 the result is the first operand that is NaN, made
// quiet, or the pattern of an invalid operation.
template <typename T, typename... A>
uint64_t result_bits(T value, A... operands) {
  if (value == value) return to_bits(value);
  if (sizeof(T) == 4) return 0x7FFFFFFF;
  uint64_t nan = 0;
  ((nan = nan == 0 && operands != operands ? to_bits(operands) : nan), ...);
  return nan == 0 ? 0xFFF8000000000000 : nan | 0x0008000000000000;
}

// .ftz: a result becomes zero if it is below the least normal number when rounded to f32's
// precision with an unbounded exponent. Rounding among subnormals could lift it to that number.
inline bool is_tiny(long double precise) {
  int exponent = 0;
  volatile long double fraction = std::frexp(precise, &exponent);
  volatile float rounded = static_cast<float>(fraction);
  return rounded != 0 && std::ldexp(double(std::fabs(rounded)), exponent) < 0x1p-126;
}

struct RealOptions {
  bool ftz = false, sat = false;
  int mode = FE_TONEAREST;

  std::string suffix() const { return std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : ""); }

  template <typename T, typename F, typename... A>
  uint64_t apply(F f, A... operands) const {
    RoundingScope scope(mode);
    T value = f((ftz ? flushed(T(operands)) : T(operands))...);
    if (sat) value = saturated(value);
    if (ftz && is_tiny(f(static_cast<long double>(flushed(T(operands)))...)))
      value = std::copysign(T(0), value);
    return result_bits(value, operands...);
  }
};

}  // namespace cucore::cpu::ops
