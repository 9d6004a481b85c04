// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic of one lane. Only files that are built once per instruction set include it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cpu/exec/handlers.hpp"
#include "cpu/exec/lanes.hpp"

namespace cucore::cpu::CUCPU_SIMD {

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

template <class T>
struct Twice;
template <>
struct Twice<uint16_t> {
  using Type = uint32_t;
};
template <>
struct Twice<int16_t> {
  using Type = int32_t;
};
template <>
struct Twice<uint32_t> {
  using Type = uint64_t;
};
template <>
struct Twice<int32_t> {
  using Type = int64_t;
};
template <>
struct Twice<uint64_t> {
  using Type = u128;
};
template <>
struct Twice<int64_t> {
  using Type = s128;
};
template <class T>
using WideOf = typename Twice<T>::Type;
template <class T>
using UnsignedOf = std::make_unsigned_t<T>;

// A multiplication that avoids overflow by promotion to int and undefined behaviour of signed
// types.
template <class T>
CUCPU_INLINE T low_product(T a, T b) {
  if constexpr (sizeof(T) == 2)
    return T(uint32_t(UnsignedOf<T>(a)) * uint32_t(UnsignedOf<T>(b)));
  else
    return T(UnsignedOf<T>(a) * UnsignedOf<T>(b));
}
template <class T>
CUCPU_INLINE WideOf<T> wide_product(T a, T b) {
  return WideOf<T>(a) * WideOf<T>(b);
}
template <class T>
CUCPU_INLINE T high_product(T a, T b) {
  return T(wide_product(a, b) >> (8 * sizeof(T)));
}

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return T(UnsignedOf<T>(a) + UnsignedOf<T>(b));
  }
};
struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return T(UnsignedOf<T>(a) - UnsignedOf<T>(b));
  }
};
struct Mul {
  template <class T>
  static T apply(T a, T b) {
    return low_product(a, b);
  }
};
struct MulHi {
  template <class T>
  static T apply(T a, T b) {
    return high_product(a, b);
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct MinRelu {
  template <class T>
  static T apply(T a, T b) {
    return Max::apply(Min::apply(a, b), T(0));
  }
};
struct MaxRelu {
  template <class T>
  static T apply(T a, T b) {
    return Max::apply(Max::apply(a, b), T(0));
  }
};
struct Neg {
  template <class T>
  static T apply(T a) {
    return T(UnsignedOf<T>(0) - UnsignedOf<T>(a));
  }
};
struct Abs {
  template <class T>
  static T apply(T a) {
    return a < 0 ? Neg::apply(a) : a;
  }
};
struct Mad {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(low_product(a, b), c);
  }
};
struct MadHi {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(high_product(a, b), c);
  }
};
struct Sad {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(c, a < b ? Sub::apply(b, a) : Sub::apply(a, b));
  }
};

CUCPU_INLINE int32_t clamp32(int64_t v) {
  return int32_t(v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v);
}
struct AddSat {
  static int32_t apply(int32_t a, int32_t b) { return clamp32(int64_t(a) + b); }
};
struct SubSat {
  static int32_t apply(int32_t a, int32_t b) { return clamp32(int64_t(a) - b); }
};
struct MadHiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return clamp32(int64_t(high_product(a, b)) + c);
  }
};

// Quotients of 32-bit integers are exact in double, because two of them differ by more than its
// precision. Division by zero returns all ones as quotient and as remainder.
struct Div {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return b ? uint32_t(int64_t(double(a) / double(b ? b : 1))) : ~uint32_t{0};
  }
  static int32_t apply(int32_t a, int32_t b) {
    const int64_t q = int64_t(double(a) / double(b ? b : 1));
    return b ? int32_t(uint32_t(uint64_t(q))) : -1;
  }
  static uint64_t apply(uint64_t a, uint64_t b) { return b ? a / b : ~uint64_t{0}; }
  static int64_t apply(int64_t a, int64_t b) {
    return b == 0 ? -1 : b == -1 ? Neg::apply(a) : a / b;
  }
  static uint16_t apply(uint16_t a, uint16_t b) { return b ? uint16_t(a / b) : uint16_t(0xffff); }
  static int16_t apply(int16_t a, int16_t b) { return b ? int16_t(a / b) : int16_t(-1); }
};
struct Rem {
  template <class T>
  static T apply(T a, T b) {
    return b ? Sub::apply(a, low_product(Div::apply(a, b), b)) : T(~T(0));
  }
};

struct Mul24 {
  static uint32_t apply(uint32_t a, uint32_t b) { return (a & 0xffffff) * (b & 0xffffff); }
  static int32_t apply(int32_t a, int32_t b) { return int32_t(uint32_t(product(a, b))); }
  static int64_t product(int32_t a, int32_t b) {
    return int64_t(int32_t(uint32_t(a) << 8) >> 8) * int64_t(int32_t(uint32_t(b) << 8) >> 8);
  }
};
struct Mul24Hi {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return uint32_t(uint64_t(a & 0xffffff) * (b & 0xffffff) >> 16);
  }
  static int32_t apply(int32_t a, int32_t b) {
    return int32_t(uint32_t(uint64_t(Mul24::product(a, b) >> 16)));
  }
};
struct Mad24 {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(Mul24::apply(a, b), c);
  }
};
struct Mad24Hi {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(Mul24Hi::apply(a, b), c);
  }
};
struct Mad24HiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return clamp32(int64_t(Mul24Hi::apply(a, b)) + c);
  }
};

}  // namespace cucore::cpu::CUCPU_SIMD
