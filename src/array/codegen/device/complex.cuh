// SPDX-License-Identifier: Apache-2.0
// Complex numbers. Special values follow Annex G of the C standard, as NumPy's do.
template <class R> struct alignas(2 * sizeof(R)) Complex {
  R re, im;
  Complex() = default;
  __device__ Complex(R re, R im = 0) : re(re), im(im) {}
  template <class Q> __device__ explicit Complex(Complex<Q> z) : re(R(z.re)), im(R(z.im)) {}
};
#define HAS_COMPLEX
typedef Complex<f32> c64;
typedef Complex<f64> c128;

template <class R> __device__ Complex<R> operator-(Complex<R> x) { return {-x.re, -x.im}; }
template <class R> __device__ Complex<R> operator+(Complex<R> x, Complex<R> y) { return {x.re + y.re, x.im + y.im}; }
template <class R> __device__ Complex<R> operator-(Complex<R> x, Complex<R> y) { return {x.re - y.re, x.im - y.im}; }
template <class R> __device__ bool truth(Complex<R> x) { return x.re != 0 || x.im != 0; }

namespace cx {

template <class R> __device__ bool is_nan(R x) { return x != x; }
template <class R> __device__ bool is_finite(R x) { return x - x == 0; }
template <class R> __device__ bool has_nan(Complex<R> x) { return is_nan(x.re) || is_nan(x.im); }

// ---- arithmetic

template <class R> __device__ Complex<R> times(R factor, Complex<R> x) { return {factor * x.re, factor * x.im}; }
template <class R> __device__ Complex<R> multiply(Complex<R> x, Complex<R> y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
// Smith's method: it divides by the larger part of the divisor first.
template <class R> __device__ Complex<R> divide(Complex<R> x, Complex<R> y) {
  const R re = m::fabs(y.re), im = m::fabs(y.im);
  if (re >= im) {
    if (re == 0 && im == 0) return {x.re / re, x.im / re};
    const R ratio = y.im / y.re, scale = 1 / (y.re + y.im * ratio);
    return {(x.re + x.im * ratio) * scale, (x.im - x.re * ratio) * scale};
  }
  const R ratio = y.re / y.im, scale = 1 / (y.im + y.re * ratio);
  return {(x.re * ratio + x.im) * scale, (x.im * ratio - x.re) * scale};
}
template <class R> __device__ Complex<R> reciprocal(Complex<R> x) {
  const bool wide = m::fabs(x.im) <= m::fabs(x.re);
  const R ratio = wide ? x.im / x.re : x.re / x.im, down = wide ? x.re + x.im * ratio : x.re * ratio + x.im;
  return wide ? Complex<R>(1 / down, -ratio / down) : Complex<R>(ratio / down, -1 / down);
}
template <class R> __device__ R abs(Complex<R> x) { return m::hypot(x.re, x.im); }
template <class R> __device__ Complex<R> sign(Complex<R> x) {
  const R size = abs(x);
  if (size == 0) return {R(0), R(0)};
  return {x.re / size, x.im / size};
}

// ---- order: real parts first; NaN is not less

template <class R> __device__ bool equal(Complex<R> x, Complex<R> y) { return x.re == y.re && x.im == y.im; }
template <class R> __device__ bool not_equal(Complex<R> x, Complex<R> y) { return !equal(x, y); }
template <class R> __device__ bool less(Complex<R> x, Complex<R> y) {
  return (x.re < y.re && !is_nan(x.im) && !is_nan(y.im)) || (x.re == y.re && x.im < y.im);
}
template <class R> __device__ bool less_equal(Complex<R> x, Complex<R> y) {
  return (x.re < y.re && !is_nan(x.im) && !is_nan(y.im)) || (x.re == y.re && x.im <= y.im);
}
template <class R> __device__ bool greater(Complex<R> x, Complex<R> y) { return less(y, x); }
template <class R> __device__ bool greater_equal(Complex<R> x, Complex<R> y) { return less_equal(y, x); }
template <class R> __device__ Complex<R> maximum(Complex<R> x, Complex<R> y) { return has_nan(x) || greater_equal(x, y) ? x : y; }
template <class R> __device__ Complex<R> minimum(Complex<R> x, Complex<R> y) { return has_nan(x) || less_equal(x, y) ? x : y; }
template <class R> __device__ Complex<R> fmax(Complex<R> x, Complex<R> y) { return has_nan(y) || greater_equal(x, y) ? x : y; }
template <class R> __device__ Complex<R> fmin(Complex<R> x, Complex<R> y) { return has_nan(y) || less_equal(x, y) ? x : y; }
template <class R> __device__ Complex<R> clip(Complex<R> x, Complex<R> low, Complex<R> high) { return minimum(maximum(x, low), high); }

// ---- nearness, and finite parts

// Infinities are close to themselves alone.
template <class R> __device__ bool isclose(Complex<R> x, Complex<R> y, Complex<R> rtol, Complex<R> atol, Complex<R> equal_nan) {
  if (has_nan(x) || has_nan(y)) return truth(equal_nan) && has_nan(x) && has_nan(y);
  if (equal(x, y)) return true;
  return is_finite(x.re) && is_finite(x.im) && is_finite(y.re) && is_finite(y.im) && abs(x - y) <= atol.re + rtol.re * abs(y);
}
template <class R> __device__ R finite_part(R x, R nan, R most, R least) {
  return is_nan(x) ? nan : is_finite(x) ? x : x > 0 ? most : least;
}
template <class R> __device__ Complex<R> nan_to_num(Complex<R> x, Complex<R> nan, Complex<R> most, Complex<R> least) {
  return {finite_part(x.re, nan.re, most.re, least.re), finite_part(x.im, nan.re, most.re, least.re)};
}

// ---- exponential and logarithm

template <class R> __device__ Complex<R> exp(Complex<R> z) {
  const R x = z.re, y = z.im;
  if (y == 0) return {m::exp(x), y};
  if (x == 0) return {m::cos(y), m::sin(y)};
  if (!is_finite(y)) {
    if (is_finite(x) || is_nan(x)) return {y - y, y - y};
    return x < 0 ? Complex<R>(R(0), R(0)) : Complex<R>(x, y - y);
  }
  const R half = m::exp(x / 2), all = m::exp(x);  // the product may be finite where exp(x) is not
  if (is_finite(all) || !is_finite(x)) return {all * m::cos(y), all * m::sin(y)};
  return {half * m::cos(y) * half, half * m::sin(y) * half};
}
template <class R> __device__ Complex<R> exp2(Complex<R> z) { return exp(times(R(0.69314718055994531), z)); }
template <class R> __device__ Complex<R> expm1(Complex<R> z) {
  if (z.im == 0) return {m::expm1(z.re) + R(0), z.im};  // +0 also of -0
  if (!is_finite(z.re) || !is_finite(z.im)) {
    const Complex<R> all = exp(z);
    return {all.re - 1, all.im};
  }
  const R half = m::sin(z.im / 2);
  return {m::expm1(z.re) * m::cos(z.im) - 2 * half * half, m::exp(z.re) * m::sin(z.im)};
}

// log(x * x + y * y) / 2. Near 1, the squares are summed with their rounding errors.
template <class R> __device__ R log_abs(R x, R y) {
  const R size = m::hypot(x, y);
  if (!(size > R(0.5) && size < R(2))) return m::log(size);
  const R xx = x * x, yy = y * y;
  const R lost = m::fma(x, x, -xx) + m::fma(y, y, -yy);
  const R large = xx > yy ? xx : yy, small = xx > yy ? yy : xx;
  return m::log1p(((large - 1) + small) + lost) / 2;
}
template <class R> __device__ Complex<R> log(Complex<R> z) { return {log_abs(z.re, z.im), m::atan2(z.im, z.re)}; }
template <class R> __device__ Complex<R> log2(Complex<R> z) { return times(R(1.4426950408889634), log(z)); }
template <class R> __device__ Complex<R> log10(Complex<R> z) { return times(R(0.43429448190325183), log(z)); }
template <class R> __device__ Complex<R> log1p(Complex<R> z) {
  const bool small = m::fabs(z.re) < R(0.5) && m::fabs(z.im) < R(0.5);
  const R re = small ? m::log1p(z.re * (z.re + 2) + z.im * z.im) / 2 : m::log(m::hypot(z.re + 1, z.im));
  return {re, m::atan2(z.im, z.re + 1)};
}

// ---- root and power

template <class R> __device__ Complex<R> sqrt(Complex<R> z) {
  R x = z.re, y = z.im;
  if (x == 0 && y == 0) return {R(0), y};
  if (!is_finite(y) && !is_nan(y)) return {y * y, y};
  if (is_nan(x)) return {x, x};
  if (!is_finite(x)) return x < 0 ? Complex<R>(m::fabs(y - y), m::copysign(x, y)) : Complex<R>(x, m::copysign(y - y, y));
  const R largest = m::fmax(m::fabs(x), m::fabs(y));
  const R scale = largest > R(1e30) ? R(0.25) : largest < R(1e-30) ? R(16777216) : R(1), back = largest > R(1e30) ? R(2) : largest < R(1e-30) ? R(1) / 4096 : R(1);
  x *= scale;
  y *= scale;
  const R root = m::sqrt((m::fabs(x) + m::hypot(x, y)) / 2);
  return x >= 0 ? Complex<R>(back * root, back * (y / (2 * root)))
                : Complex<R>(back * (m::fabs(y) / (2 * root)), back * m::copysign(root, y));
}
template <class R> __device__ Complex<R> pow(Complex<R> x, Complex<R> y) {
  if (y.re == 0 && y.im == 0) return {R(1), R(0)};
  if (x.re == 0 && x.im == 0) {
    const R result = y.re > 0 && y.im == 0 ? R(0) : R(0) / (x.re * x.re);  // NaN
    return {result, result};
  }
  const R size = y.re;
  if (y.im == 0 && size == 1) return x;
  if (y.im == 0 && (size == 2 || size == 3)) {  // without a factor 1, which makes NaN of infinities
    const Complex<R> squared = multiply(x, x);
    return size == 2 ? squared : multiply(x, squared);
  }
  if (y.im == 0 && size == m::floor(size) && m::fabs(size) < 100) {  // exact powers of small integers
    Complex<R> result(R(1), R(0)), factor = x;
    for (i32 rest = i32(m::fabs(size)); rest > 0; rest >>= 1) {
      if (rest & 1) result = multiply(result, factor);
      factor = multiply(factor, factor);
    }
    return size < 0 ? divide(Complex<R>(R(1), R(0)), result) : result;
  }
  return exp(multiply(y, log(x)));
}

// ---- hyperbolic functions, and those of angles by them

template <class R> constexpr R LARGE = sizeof(R) == 4 ? 9 : 22;  // sinh and cosh are equal beyond it

template <class R> __device__ Complex<R> sinh(Complex<R> z) {
  const R x = z.re, y = z.im, size = m::fabs(x);
  if (is_finite(x) && is_finite(y)) {
    if (y == 0) return {m::sinh(x), y};
    if (size < LARGE<R>) return {m::sinh(x) * m::cos(y), m::cosh(x) * m::sin(y)};
    const R half = m::exp(size / 2);
    return {m::copysign(half / 2, x) * m::cos(y) * half, half / 2 * m::sin(y) * half};
  }
  if (x == 0) return {m::copysign(R(0), x * (y - y)), y - y};
  if (y == 0) return {x, y};
  if (is_finite(x)) return {y - y, x * (y - y)};
  if (is_nan(x)) return {x, x};
  return is_finite(y) ? Complex<R>(x * m::cos(y), size * m::sin(y)) : Complex<R>(x, y - y);
}
template <class R> __device__ Complex<R> cosh(Complex<R> z) {
  const R x = z.re, y = z.im, size = m::fabs(x);
  if (is_finite(x) && is_finite(y)) {
    if (y == 0) return {m::cosh(x), x * y};
    if (size < LARGE<R>) return {m::cosh(x) * m::cos(y), m::sinh(x) * m::sin(y)};
    const R half = m::exp(size / 2);
    return {half / 2 * m::cos(y) * half, m::copysign(half / 2, x) * m::sin(y) * half};
  }
  if (x == 0) return {y - y, m::copysign(R(0), x * (y - y))};
  if (y == 0) return {x * x, m::copysign(R(0), x) * y};
  if (is_finite(x)) return {y - y, x * (y - y)};
  if (is_nan(x)) return {x, x};
  return is_finite(y) ? Complex<R>(size * m::cos(y), x * m::sin(y)) : Complex<R>(size, y - y);
}
template <class R> __device__ Complex<R> tanh(Complex<R> z) {
  const R x = z.re, y = z.im;
  if (is_nan(x)) return {x, y == 0 ? y : x * y};
  if (!is_finite(x)) return {m::copysign(R(1), x), m::copysign(R(0), is_finite(y) ? m::sin(y) * m::cos(y) : y)};
  if (!is_finite(y)) return {x == 0 ? x : y - y, y - y};
  if (m::fabs(x) >= LARGE<R>) {
    const R small = m::exp(-m::fabs(x));
    return {m::copysign(R(1), x), 4 * m::sin(y) * m::cos(y) * small * small};
  }
  const R t = m::tan(y), beta = 1 + t * t, s = m::sinh(x), rho = m::sqrt(1 + s * s), down = 1 + beta * s * s;
  return {beta * rho * s / down, t / down};
}

template <class R> __device__ Complex<R> rotate(Complex<R> z) { return {-z.im, z.re}; }  // i z
template <class R> __device__ Complex<R> rotate_back(Complex<R> z) { return {z.im, -z.re}; }
template <class R> __device__ Complex<R> sin(Complex<R> z) { return rotate_back(sinh(rotate(z))); }
template <class R> __device__ Complex<R> cos(Complex<R> z) { return cosh(rotate(z)); }
template <class R> __device__ Complex<R> tan(Complex<R> z) { return rotate_back(tanh(rotate(z))); }

// ---- their inverses, by the formulas of Kahan

#define PI R(3.14159265358979324)
template <class R> __device__ bool is_infinite(R x) { return !is_finite(x) && !is_nan(x); }
// The imaginary part of the product of conj(x) and y.
template <class R> __device__ R cross(Complex<R> x, Complex<R> y) { return x.re * y.im - x.im * y.re; }

template <class R> __device__ Complex<R> asin_finite(Complex<R> z) {
  const Complex<R> less = sqrt(Complex<R>(1 - z.re, -z.im)), more = sqrt(Complex<R>(1 + z.re, z.im));
  return {m::atan2(z.re, less.re * more.re - less.im * more.im), m::asinh(cross(less, more))};
}
template <class R> __device__ Complex<R> asinh(Complex<R> z) {
  const R x = z.re, y = z.im;
  if (is_finite(x) && is_finite(y)) return rotate_back(asin_finite(rotate(z)));
  if (is_infinite(x)) return {x, is_nan(y) ? y : is_finite(y) ? m::copysign(R(0), y) : m::copysign(PI / 4, y)};
  if (is_infinite(y)) return {m::copysign(y, x), is_nan(x) ? x : m::copysign(PI / 2, y)};
  return is_nan(x) && y == 0 ? z : Complex<R>(x + y, x + y);
}
template <class R> __device__ Complex<R> acos(Complex<R> z) {
  const R x = z.re, y = z.im;
  if (is_finite(x) && is_finite(y)) {
    const Complex<R> less = sqrt(Complex<R>(1 - x, -y)), more = sqrt(Complex<R>(1 + x, y));
    return {2 * m::atan2(less.re, more.re), m::asinh(cross(more, less))};
  }
  if (is_infinite(x)) {
    if (is_nan(y)) return {y, x};
    return {is_finite(y) ? (x > 0 ? R(0) : PI) : x > 0 ? PI / 4 : 3 * PI / 4, -m::copysign(x, y)};
  }
  if (is_infinite(y)) return {is_nan(x) ? x : PI / 2, -y};
  return x == 0 ? Complex<R>(PI / 2, y) : Complex<R>(x + y, x + y);
}
template <class R> __device__ Complex<R> acosh(Complex<R> z) {
  const Complex<R> w = acos(z);
  if (is_nan(w.re)) return {is_nan(w.im) ? w.im : m::fabs(w.im), w.re};
  return is_nan(w.im) ? Complex<R>(w.im, w.re) : Complex<R>(m::fabs(w.im), m::copysign(w.re, z.im));
}
template <class R> __device__ Complex<R> atanh(Complex<R> z) {
  const R x = z.re, y = z.im, size = m::fabs(x), far = R(sizeof(R) == 4 ? 1e7 : 1e15);
  if (x == 0) return {x, m::atan(y)};
  if (is_infinite(x)) return {m::copysign(R(0), x), is_nan(y) ? y : m::copysign(PI / 2, y)};
  if (is_infinite(y)) return {m::copysign(R(0), x), m::copysign(PI / 2, y)};
  if (is_nan(x) || is_nan(y)) return {x + y, x + y};
  if (size > far || m::fabs(y) > far) return {reciprocal(z).re, m::copysign(PI / 2, y)};
  const R re = m::log1p(4 * size / ((size - 1) * (size - 1) + y * y)) / 4;
  if (y == 0 && size <= 1) return {m::copysign(re, x), y};
  const R im = size == 1 ? m::atan2(R(2), -m::fabs(y)) : m::atan2(2 * m::fabs(y), (1 - size) * (1 + size) - y * y);
  return {m::copysign(re, x), m::copysign(im / 2, y)};
}
template <class R> __device__ Complex<R> asin(Complex<R> z) { return rotate_back(asinh(rotate(z))); }
template <class R> __device__ Complex<R> atan(Complex<R> z) { return rotate_back(atanh(rotate(z))); }
#undef PI

}  // namespace cx
