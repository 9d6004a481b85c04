// SPDX-License-Identifier: Apache-2.0
// Operations on integers as NumPy defines them: nothing traps, and sums wrap.
namespace ints {

template <class T> struct Unsigned;
template <> struct Unsigned<i8> { typedef u8 type; };
template <> struct Unsigned<i16> { typedef u16 type; };
template <> struct Unsigned<i32> { typedef u32 type; };
template <> struct Unsigned<i64> { typedef u64 type; };
template <> struct Unsigned<u8> { typedef u8 type; };
template <> struct Unsigned<u16> { typedef u16 type; };
template <> struct Unsigned<u32> { typedef u32 type; };
template <> struct Unsigned<u64> { typedef u64 type; };

template <class T> constexpr bool IS_SIGNED = T(-1) < T(0);
template <class T> constexpr u32 WIDTH = sizeof(T) * 8;

template <class T> __device__ T negate(T x) { return T(typename Unsigned<T>::type(0) - typename Unsigned<T>::type(x)); }
template <class T> __device__ T multiply(T x, T y) { return T(u64(x) * u64(y)); }

template <class T> __device__ typename Unsigned<T>::type magnitude(T x) {
  typedef typename Unsigned<T>::type U;
  return x < 0 ? U(U(0) - U(x)) : U(x);
}

// Rounded towards zero. Division by 0 is 0; the least integer divided by -1 stays.
template <class T> __device__ T divide(T x, T y) {
  if (y == 0) return 0;
  if (IS_SIGNED<T> && y == T(-1)) return negate(x);
  return T(x / y);
}
template <class T> __device__ T fmod(T x, T y) {
  if (y == 0 || (IS_SIGNED<T> && y == T(-1))) return 0;
  return T(x % y);
}
template <class T> __device__ T floor_divide(T x, T y) {
  const T quotient = divide(x, y);
  return IS_SIGNED<T> && (x < 0) != (y < 0) && y != 0 && multiply(quotient, y) != x ? T(quotient - 1) : quotient;
}
template <class T> __device__ T remainder(T x, T y) {
  const T rest = fmod(x, y);
  return IS_SIGNED<T> && rest != 0 && (rest < 0) != (y < 0) ? T(rest + y) : rest;
}
template <class T> __device__ T divmod(T x, T y, T* second) {
  *second = remainder(x, y);
  return floor_divide(x, y);
}

// Of a negative exponent, the fraction rounded towards zero.
template <class T> __device__ T power(T x, T y) {
  if (IS_SIGNED<T> && y < 0) return x == 1 ? T(1) : x == T(-1) ? (y & 1 ? T(-1) : T(1)) : T(0);
  T result = 1;
  for (typename Unsigned<T>::type rest = y; rest != 0; rest >>= 1) {
    if (rest & 1) result = multiply(result, x);
    x = multiply(x, x);
  }
  return result;
}

template <class T> __device__ T left_shift(T x, T y) {
  typedef typename Unsigned<T>::type U;
  return U(y) < WIDTH<T> ? T(U(x) << U(y)) : T(0);
}
template <class T> __device__ T right_shift(T x, T y) {
  typedef typename Unsigned<T>::type U;
  return U(y) < WIDTH<T> ? T(x >> U(y)) : x < 0 ? T(-1) : T(0);
}

template <class T> __device__ T gcd(T x, T y) {
  typename Unsigned<T>::type a = magnitude(x), b = magnitude(y);
  while (a != 0) {
    const typename Unsigned<T>::type rest = b % a;
    b = a;
    a = rest;
  }
  return T(b);
}
template <class T> __device__ T lcm(T x, T y) {
  typedef typename Unsigned<T>::type U;
  const U divisor = U(gcd(x, y));
  return divisor == 0 ? T(0) : multiply(T(magnitude(x) / divisor), T(magnitude(y)));
}

// Comparisons of int64 with uint64: exact, without a common type.
__device__ bool equal(i64 x, u64 y) { return x >= 0 && u64(x) == y; }
__device__ bool less(i64 x, u64 y) { return x < 0 || u64(x) < y; }
__device__ bool less_equal(i64 x, u64 y) { return x < 0 || u64(x) <= y; }
__device__ bool equal(u64 x, i64 y) { return equal(y, x); }
__device__ bool less(u64 x, i64 y) { return !less_equal(y, x); }
__device__ bool less_equal(u64 x, i64 y) { return !less(y, x); }
template <class A, class B> __device__ bool not_equal(A x, B y) { return !equal(x, y); }
template <class A, class B> __device__ bool greater(A x, B y) { return less(y, x); }
template <class A, class B> __device__ bool greater_equal(A x, B y) { return less_equal(y, x); }

}  // namespace ints
