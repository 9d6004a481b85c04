// Reference arithmetic: rounding by the host's rounding mode, PTX's rules for subnormals,
// saturation and NaN.
#pragma once

#include <cfenv>

#include "typed.hpp"

namespace cucpu::ops {

struct RoundingMode {
  const char* name;
  int mode;
};

inline constexpr RoundingMode kRoundings[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

/// The mode for the lifetime of the object; operands must pass through volatile.
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

/// f32 results that are NaN have one pattern; f64 is compared as any NaN.
template <typename T>
uint64_t result_bits(T value) {
  if (value == value) return to_bits(value);
  return sizeof(T) == 4 ? 0x7FFFFFFF : 0x7FF8000000000000;
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
    if (ftz) value = flushed(value);
    return result_bits(value);
  }
};

}  // namespace cucpu::ops
