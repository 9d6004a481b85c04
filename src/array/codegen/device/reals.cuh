// SPDX-License-Identifier: Apache-2.0
// Operations on f32 and f64 as NumPy defines them.
namespace reals {

// The exponent may exceed an int.
__device__ i32 exponent_of(i64 y) { return y > 100000 ? 100000 : y < -100000 ? -100000 : i32(y); }
__device__ f32 ldexp(f32 x, i64 y) { return ::ldexpf(x, exponent_of(y)); }
__device__ f64 ldexp(f64 x, i64 y) { return ::ldexp(x, exponent_of(y)); }

// The remainder has the sign of the divisor; a remainder of 0 too. Python defines both.
template <class T> __device__ T divmod(T x, T y, T* second) {
  T rest = m::fmod(x, y);
  if (y == 0) {
    *second = rest;
    return x / y;
  }
  T quotient = (x - rest) / y;
  if (rest == 0) {
    rest = m::copysign(T(0), y);
  } else if ((y < 0) != (rest < 0)) {
    rest += y;
    quotient -= 1;
  }
  *second = rest;
  if (quotient == 0) return m::copysign(T(0), x / y);
  const T down = m::floor(quotient);
  return quotient - down > T(0.5) ? down + 1 : down;
}
template <class T> __device__ T floor_divide(T x, T y) {
  T rest;
  return divmod(x, y, &rest);
}
template <class T> __device__ T remainder(T x, T y) {
  T rest;
  divmod(x, y, &rest);
  return rest;
}

// NaN wins. From sm_80 on, one instruction does that for f32.
#if __CUDA_ARCH__ >= 800
__device__ f32 maximum(f32 x, f32 y) { f32 r; asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y)); return r; }
__device__ f32 minimum(f32 x, f32 y) { f32 r; asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y)); return r; }
#endif
template <class T> __device__ T maximum(T x, T y) { return x != x ? x : y != y ? y : m::fmax(x, y); }
template <class T> __device__ T minimum(T x, T y) { return x != x ? x : y != y ? y : m::fmin(x, y); }

// NaN stays. The upper bound wins if it is below the lower one.
template <class T> __device__ T clip(T x, T low, T high) { return minimum(maximum(x, low), high); }

template <class T> __device__ T logaddexp(T x, T y) {
  if (x == y) return x + T(0.69314718055994531);  // infinities of one sign, too
  const T distance = x - y;
  if (distance > 0) return x + m::log1p(m::exp(-distance));
  return distance <= 0 ? y + m::log1p(m::exp(distance)) : distance;
}
template <class T> __device__ T logaddexp2(T x, T y) {
  if (x == y) return x + 1;
  const T distance = x - y, per_log2 = T(1.4426950408889634);
  if (distance > 0) return x + per_log2 * m::log1p(m::exp2(-distance));
  return distance <= 0 ? y + per_log2 * m::log1p(m::exp2(distance)) : distance;
}

// Infinities are close to themselves alone.
template <class T> __device__ bool isclose(T x, T y, T rtol, T atol, bool equal_nan) {
  if (x != x || y != y) return equal_nan && x != x && y != y;
  if (x == y) return true;
  const T distance = m::fabs(x - y);
  return distance - distance == 0 && m::fabs(y) - m::fabs(y) == 0 && distance <= atol + rtol * m::fabs(y);
}

}  // namespace reals
