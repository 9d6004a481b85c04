// What PTX asks of every floating-point result: subnormals flushed under .ftz, one NaN, saturation.
#ifndef CUCPU_EXEC_REALS_HPP
#define CUCPU_EXEC_REALS_HPP

#include "cpu/exec/lanes.hpp"

namespace cucpu::CUCPU_SIMD {

// A subnormal becomes a zero of its sign.
CUCPU_INLINE float flushed(float v) {
  const u32 b = bits_of<u32>(v);
  return bits_of<float>((b & 0x7f800000) ? b : b & 0x80000000);
}

// f32 results that are NaN are this NaN; f64 results keep their payload.
CUCPU_INLINE float canonical(float v) { return v == v ? v : bits_of<float>(u32{0x7fffffff}); }
CUCPU_INLINE double canonical(double v) { return v; }

// To [0, 1], NaN to 0.
template <class T>
CUCPU_INLINE T saturated(T v) {
  v = v > T(0) ? v : T(0);
  return v < T(1) ? v : T(1);
}

template <bool Ftz, class T>
CUCPU_INLINE T source(T v) {
  if constexpr (Ftz && sizeof(T) == 4)
    return flushed(v);
  else
    return v;
}
template <bool Ftz, bool Sat, class T>
CUCPU_INLINE T result(T v) {
  if constexpr (Sat) v = saturated(v);
  if constexpr (Ftz && sizeof(T) == 4) v = flushed(v);
  return canonical(v);
}

}  // namespace cucpu::CUCPU_SIMD

#endif
