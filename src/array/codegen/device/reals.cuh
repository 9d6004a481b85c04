// SPDX-License-Identifier: Apache-2.0
// Operations on f32 and f64 as NumPy defines them.
namespace reals {

__device__ f32 fmod_of(f32 x, f32 y) { return ::fmodf(x, y); }
__device__ f64 fmod_of(f64 x, f64 y) { return ::fmod(x, y); }
__device__ f32 floor_of(f32 x) { return ::floorf(x); }
__device__ f64 floor_of(f64 x) { return ::floor(x); }
__device__ f32 copysign_of(f32 x, f32 y) { return ::copysignf(x, y); }
__device__ f64 copysign_of(f64 x, f64 y) { return ::copysign(x, y); }
__device__ f32 greater_of(f32 x, f32 y) { return ::fmaxf(x, y); }
__device__ f64 greater_of(f64 x, f64 y) { return ::fmax(x, y); }
__device__ f32 less_of(f32 x, f32 y) { return ::fminf(x, y); }
__device__ f64 less_of(f64 x, f64 y) { return ::fmin(x, y); }
__device__ f32 exp_of(f32 x) { return ::expf(x); }
__device__ f64 exp_of(f64 x) { return ::exp(x); }
__device__ f32 log1p_of(f32 x) { return ::log1pf(x); }
__device__ f64 log1p_of(f64 x) { return ::log1p(x); }
__device__ f32 exp2_of(f32 x) { return ::exp2f(x); }
__device__ f64 exp2_of(f64 x) { return ::exp2(x); }
__device__ f32 abs_of(f32 x) { return ::fabsf(x); }
__device__ f64 abs_of(f64 x) { return ::fabs(x); }

// The exponent may exceed an int.
__device__ i32 exponent_of(i64 y) { return y > 100000 ? 100000 : y < -100000 ? -100000 : i32(y); }
__device__ f32 ldexp(f32 x, i64 y) { return ::ldexpf(x, exponent_of(y)); }
__device__ f64 ldexp(f64 x, i64 y) { return ::ldexp(x, exponent_of(y)); }

// The remainder has the sign of the divisor; a remainder of 0 too. Python defines both.
template <class T> __device__ T divmod(T x, T y, T* second) {
  T rest = fmod_of(x, y);
  if (y == 0) {
    *second = rest;
    return x / y;
  }
  T quotient = (x - rest) / y;
  if (rest == 0) {
    rest = copysign_of(T(0), y);
  } else if ((y < 0) != (rest < 0)) {
    rest += y;
    quotient -= 1;
  }
  *second = rest;
  if (quotient == 0) return copysign_of(T(0), x / y);
  const T down = floor_of(quotient);
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

template <class T> __device__ T maximum(T x, T y) { return x != x ? x : y != y ? y : greater_of(x, y); }
template <class T> __device__ T minimum(T x, T y) { return x != x ? x : y != y ? y : less_of(x, y); }

// NaN stays. The upper bound wins if it is below the lower one.
template <class T> __device__ T clip(T x, T low, T high) { return minimum(maximum(x, low), high); }

template <class T> __device__ T logaddexp(T x, T y) {
  if (x == y) return x + T(0.69314718055994531);  // infinities of one sign, too
  const T distance = x - y;
  if (distance > 0) return x + log1p_of(exp_of(-distance));
  return distance <= 0 ? y + log1p_of(exp_of(distance)) : distance;
}
template <class T> __device__ T logaddexp2(T x, T y) {
  if (x == y) return x + 1;
  const T distance = x - y, per_log2 = T(1.4426950408889634);
  if (distance > 0) return x + per_log2 * log1p_of(exp2_of(-distance));
  return distance <= 0 ? y + per_log2 * log1p_of(exp2_of(distance)) : distance;
}

// Infinities are close to themselves alone.
template <class T> __device__ bool isclose(T x, T y, T rtol, T atol, bool equal_nan) {
  if (x != x || y != y) return equal_nan && x != x && y != y;
  if (x == y) return true;
  const T distance = abs_of(x - y);
  return distance - distance == 0 && abs_of(y) - abs_of(y) == 0 && distance <= atol + rtol * abs_of(y);
}

}  // namespace reals
