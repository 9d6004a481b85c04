// SPDX-License-Identifier: Apache-2.0
// Kernels of the corpus that compute: integer results are exact, transcendental ones close to the
// host's.
#include <bit>
#include <cmath>
#include <complex>

#include "corpus.hpp"

namespace cucore::cpu::test {
namespace {

using MathKernels = Corpus;
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

double math_sum(double v, bool single) {
  double r = std::sin(v) + std::cos(v) * std::exp(v) + std::pow(v, 1.7) + std::log(v) +
             std::tan(v) + std::sqrt(v) + 1 / std::sqrt(v) + std::erf(v) + std::tanh(v) +
             std::atan2(v, 2.) + std::fmod(v, 3.) + std::cbrt(v) + std::floor(v) + std::ceil(v) +
             std::round(v) + std::trunc(v) + std::rint(v) + std::fabs(v) + std::fmin(v, 3.) +
             v / 3.3 + 1. / v;
  if (single)
    return r - v + std::exp2(v) + std::log2(v) + std::lgamma(v) + std::ilogb(v) + std::ldexp(v, 3) +
           std::hypot(v, v);
  const uint64_t bits = std::bit_cast<uint64_t>(v);
  return r + std::copysign(v, -1.) + std::bit_cast<double>(bits ^ 1) + int(bits >> 32) +
         std::fma(v, v, v) + double(float(v)) + double((long long)(v)) +
         double((unsigned long long)(v));
}

// copysignf(v, -1) is -v: it cancels one |v| in single precision above.
TEST_P(MathKernels, SinglePrecision) {
  Array<float> x(64);
  std::vector<double> expected;
  for (size_t i = 0; i < 64; ++i) {
    x[i] = 0.25f + 0.11f * float(i);
    expected.push_back(math_sum(double(x[i]), true));
  }
  run(kernel("15_mathf", "k"), shape(1, 64), x, 64);
  for (size_t i = 0; i < 64; ++i)
    ASSERT_NEAR(x[i], expected[i], 1e-5 * std::fabs(expected[i]) + 3e-5) << i;
}

TEST_P(MathKernels, DoublePrecision) {
  Array<double> x(64);
  std::vector<double> expected;
  for (size_t i = 0; i < 64; ++i) {
    x[i] = 0.25 + 0.11 * double(i);
    expected.push_back(math_sum(x[i], false));
  }
  run(kernel("17_mathd", "k"), shape(1, 64), x, 64);
  for (size_t i = 0; i < 64; ++i)
    ASSERT_NEAR(x[i], expected[i], 1e-14 * std::fabs(expected[i]) + 1e-13) << i;
}

TEST_P(MathKernels, Integers64) {
  const int n = 11;
  std::vector<int64_t> a{0, 1, -1, 123456789012345, -987654321098765, INT64_MAX, INT64_MIN, 77};
  std::vector<uint64_t> b{0, 1, ~0ull, 123456789012345, 1ull << 63, 5, 999999999999, 3};
  Array<int64_t> da(a);
  Array<uint64_t> db(b);
  run(kernel("18_int64", "k"), shape(1, 8), da, db, n);
  for (size_t i = 0; i < 8; ++i) {
    const int64_t x = a[i];
    const uint64_t y = b[i];
    auto reverse = [](uint64_t v) {
      uint64_t r = 0;
      for (int k = 0; k < 64; ++k) r |= (v >> k & 1) << (63 - k);
      return r;
    };
    const uint64_t u = uint64_t(x);
    uint64_t e = uint64_t(x / 7) + uint64_t(x % 13) + uint64_t(x >> 3) * (u << 5) -
                 uint64_t(x / (n + 1)) + uint64_t(s128(x) * n >> 64) +
                 uint64_t(u ? std::countl_zero(u) : 64) + uint64_t(std::popcount(y)) +
                 uint64_t(u ? std::countr_zero(u) + 1 : 0) + reverse(y);
    ASSERT_EQ(uint64_t(da[i]), e) << i;
    const int64_t m = std::min<int64_t>(x, int64_t(y));
    e = y / n + y % (n + 3) + uint64_t(u128(y) * y >> 64) + (y > u) + (x < 0 ? 0 - u : u) +
        uint64_t(m) + std::max<uint64_t>(y, 3);
    ASSERT_EQ(db[i], e) << i;
  }
}

uint32_t bytes_of(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t both = uint64_t(b) << 32 | a;
  uint32_t r = 0;
  for (int k = 0; k < 4; ++k)
    r |= uint32_t(both >> (8 * (selector >> (4 * k) & 7)) & 0xff) << (8 * k);
  return r;
}

TEST_P(MathKernels, Integers32) {
  const int n = 5;
  std::vector<int> a{0, 1, -1, 123456789, -987654321, INT32_MAX, INT32_MIN + 9, 77};
  std::vector<unsigned> b{0, 1, ~0u, 123456789, 1u << 31, 5, 999999999, 3};
  Array<int> da(a);
  Array<unsigned> db(b);
  run(kernel("19_int32_ops", "k"), shape(1, 8), da, db, n);
  for (size_t i = 0; i < 8; ++i) {
    const int x = a[i];
    const unsigned y = b[i], u = unsigned(x), un = unsigned(n);
    auto reverse = [](unsigned v) {
      unsigned r = 0;
      for (int k = 0; k < 32; ++k) r |= (v >> k & 1) << (31 - k);
      return r;
    };
    const int64_t x24 = int64_t(int(u << 8) >> 8);
    unsigned e = unsigned(x / 7) + unsigned(x % 13) + unsigned(x / n) + unsigned(x % (n | 1)) +
                 unsigned(int64_t(x) * n >> 32) + unsigned(x24 * n) +
                 unsigned(u ? std::countl_zero(u) : 32) + unsigned(std::popcount(y)) + reverse(y) +
                 unsigned(std::abs(int64_t(x))) + unsigned(std::min(x, 3)) +
                 unsigned(std::max(x, n));
    e += unsigned(std::abs(int64_t(x) - n)) + y;        // __sad
    e += unsigned((int64_t(x) + n + 1) >> 1);           // __rhadd
    e += unsigned((uint64_t(y) << 32 | u) << n >> 32);  // funnel left: high word y
    e += unsigned((uint64_t(y) << 32 | u) >> n);        // funnel right
    e += bytes_of(u, y, 0x4321) + (u << n) + unsigned(x >> n) + (y >> n) + ~u + (x ? y : un) +
         (x && n) + !x;
    ASSERT_EQ(unsigned(da[i]), e) << i;
    unsigned dot = un, add = 0, max2 = 0, diff = 0;
    for (int k = 0; k < 4; ++k) {
      const int8_t p = int8_t(u >> 8 * k);
      dot += unsigned(int(p) * int(p));
      const uint8_t ux = uint8_t(u >> 8 * k), uy = uint8_t(y >> 8 * k);
      add |= unsigned(uint8_t(ux + uy)) << 8 * k;
      diff |= unsigned(ux > uy ? ux - uy : uy - ux) << 8 * k;
    }
    for (int k = 0; k < 2; ++k) {
      const int16_t p = int16_t(u >> 16 * k), q = int16_t(y >> 16 * k);
      max2 |= unsigned(uint16_t(std::max(p, q))) << 16 * k;
    }
    e = (y > un ? y - un : un - y) + 3 + unsigned(uint64_t(y) * un >> 32) + y / 10 + y % 10 +
        y / un + (y < un) + dot + add + max2 + diff;
    ASSERT_EQ(db[i], e) << i;
  }
}

TEST_P(MathKernels, Switch) {
  Array<int> o(64), op(64);
  for (size_t i = 0; i < 64; ++i) {
    o[i] = int(i) * 7 - 100;
    op[i] = i < 8 ? 0 : int(i % 12);
  }
  const auto before = o.values();
  run(kernel("29_switch", "k"), shape(2, 32), o, op, 60);
  for (size_t i = 8; i < 64; ++i) {
    int v = before[i];
    if (op[i] == 9) continue;  // reads elements that the first threads may already have written
    switch (op[i]) {
      case 0:
        v += 1;
        break;
      case 1:
        v *= 3;
        break;
      case 2:
        v = v / 5;
        break;
      case 3:
        v ^= 0x55;
        break;
      case 4:
        v = int(unsigned(v) << 3);
        break;
      case 5:
        v = -v;
        break;
      case 6:
        v = v * v + 7;
        break;
      case 7:
        v = std::popcount(unsigned(v));
        break;
      case 8:
        v |= 9;
        break;
      default:
        v = 0;
    }
    ASSERT_EQ(o[i], i < 60 ? v : before[i]) << i;
  }
}

int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int ack(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}

TEST_P(MathKernels, Recursion) {
  Array<int> o(64);
  run(kernel("30_recursion", "k"), shape(1, 64), o);
  for (int t = 0; t < 64; ++t) ASSERT_EQ(o[size_t(t)], fib(t & 15) + ack(2, t & 3)) << t;
}

TEST_P(MathKernels, NBody) {
  const int n = 256;
  Array<float> p(size_t(n) * 4), a(size_t(n) * 3);
  for (size_t i = 0; i < size_t(n) * 4; ++i) p[i] = float(i * 37 % 101) / 101.0f;
  run(kernel("39_nbody", "nb"), shape(2, 128), p, a, n);
  for (size_t i = 0; i < size_t(n); ++i) {
    double f[3] = {};
    for (size_t j = 0; j < size_t(n); ++j) {
      double d[3], r2 = 1e-6;
      for (size_t c = 0; c < 3; ++c) {
        d[c] = double(p[j * 4 + c]) - double(p[i * 4 + c]);
        r2 += d[c] * d[c];
      }
      const double r = double(p[j * 4 + 3]) / (r2 * std::sqrt(r2));
      for (size_t c = 0; c < 3; ++c) f[c] += d[c] * r;
    }
    for (size_t c = 0; c < 3; ++c) ASSERT_NEAR(a[i * 3 + c], f[c], 1e-3 + 1e-4 * std::fabs(f[c]));
  }
}

// The escape counts of the same expression, with fused operations where the compiler chose them.
TEST_P(MathKernels, Mandelbrot) {
  const int w = 128, h = 64;
  Array<unsigned char> o(size_t(w) * h);
  Shape s;
  s.grid[0] = w / 32;
  s.grid[1] = h / 8;
  s.block[0] = 32;
  s.block[1] = 8;
  const float dx = 2.5f / 128;
  run(kernel("40_mandel", "m"), s, o, w, h, -2.0f, -1.25f, dx, 100);
  int differ = 0;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      const double cx = -2.0 + double(dx) * x, cy = -1.25 + double(dx) * y;
      double zx = 0, zy = 0;
      int i = 0;
      for (; i < 100 && zx * zx + zy * zy < 4; ++i) {
        const double t = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = t;
      }
      differ += o[size_t(y * w + x)] != i;
    }
  EXPECT_LT(differ, w * h / 100);  // points on the border of the set depend on the rounding
}

TEST_P(MathKernels, Softmax) {
  const int rows = 5, columns = 300;
  Array<float> x(size_t(rows) * columns), y(size_t(rows) * columns);
  for (size_t i = 0; i < x.size(); ++i) x[i] = float(i * 37 % 101) / 9.0f - 4.0f;
  run(kernel("42_softmax", "sm"), shape(rows, 128), x, y, columns);
  for (size_t r = 0; r < size_t(rows); ++r) {
    double sum = 0;
    for (size_t c = 0; c < size_t(columns); ++c) sum += std::exp(double(x[r * columns + c]));
    for (size_t c = 0; c < size_t(columns); ++c) {
      const double expected = std::exp(double(x[r * columns + c])) / sum;
      ASSERT_NEAR(y[r * columns + c], expected, 1e-5 * expected);
    }
  }
}

TEST_P(MathKernels, Collatz) {
  const int n = 1000;
  Array<uint64_t> x(static_cast<size_t>(n));
  Array<int> o(static_cast<size_t>(n));
  for (size_t i = 0; i < size_t(n); ++i) x[i] = i + 1;
  run(kernel("48_divergent_loop", "collatz"), shape(8, 128), x, o, n);
  for (size_t i = 0; i < size_t(n); ++i) {
    int c = 0;
    for (uint64_t v = i + 1; v != 1; v = v & 1 ? 3 * v + 1 : v / 2) ++c;
    ASSERT_EQ(o[i], c);
  }
}

TEST_P(MathKernels, Fft) {
  Array<float> d(64 * 16);
  for (size_t i = 0; i < d.size(); ++i) d[i] = float(i * 7 % 23) - 11.0f;
  const auto in = d.values();
  run(kernel("57_complex_fft", "fft8"), shape(2, 32), d);
  for (size_t t = 0; t < 64; ++t) {
    std::complex<double> a[8];
    for (size_t i = 0; i < 8; ++i) a[i] = {in[t * 16 + 2 * i], in[t * 16 + 2 * i + 1]};
    for (size_t s = 4; s > 0; s >>= 1)
      for (size_t i = 0; i < 8; ++i) {
        if (i & s) continue;
        const auto u = a[i], v = a[i + s];
        a[i] = u + v;
        a[i + s] = (u - v) * std::polar(1.0, -3.14159265358979323846 * double(i % s) / double(s));
      }
    for (size_t i = 0; i < 8; ++i) {
      ASSERT_NEAR(d[t * 16 + 2 * i], a[i].real(), 2e-4);
      ASSERT_NEAR(d[t * 16 + 2 * i + 1], a[i].imag(), 2e-4);
    }
  }
}

TEST_P(MathKernels, Sha) {
  Array<unsigned> in(32 * 16), out(32);
  const Kernel& k = kernel("58_sha", "sha");
  auto* constants = static_cast<unsigned*>(AddressSpace::instance().host(global("K"), 256));
  for (unsigned i = 0; i < 64; ++i) constants[i] = 0x428a2f98u + i * 0x9e3779b9u;
  for (size_t i = 0; i < in.size(); ++i) in[i] = unsigned(i) * 2654435761u;
  run(k, shape(1, 32), in, out);
  auto rr = [](unsigned x, int n) { return std::rotr(x, n); };
  for (size_t t = 0; t < 32; ++t) {
    unsigned w[64];
    for (size_t i = 0; i < 16; ++i) w[i] = __builtin_bswap32(in[t * 16 + i]);
    for (size_t i = 16; i < 64; ++i)
      w[i] = w[i - 16] + (rr(w[i - 15], 7) ^ rr(w[i - 15], 18) ^ (w[i - 15] >> 3)) + w[i - 7] +
             (rr(w[i - 2], 17) ^ rr(w[i - 2], 19) ^ (w[i - 2] >> 10));
    unsigned a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
    for (size_t i = 0; i < 64; ++i) {
      const unsigned s =
          h + (rr(e, 6) ^ rr(e, 11) ^ rr(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + w[i];
      const unsigned u = (rr(a, 2) ^ rr(a, 13) ^ rr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + s, d = c, c = b, b = a, a = s + u;
    }
    ASSERT_EQ(out[t], a + b + c + d + e + f + g + h) << t;
  }
}

// Threads read their neighbours' elements while these write, so a single thread keeps it defined.
TEST_P(MathKernels, Int128) {
  std::vector<uint64_t> a{~0ull, ~0ull, 0x123456789abcdefull};
  Array<uint64_t> d(a);
  run(kernel("60_int128", "k"), shape(1, 1), d);
  const u128 x = u128(a[0]) * a[1] + a[2];
  EXPECT_EQ(d[0], uint64_t(x >> 64) + uint64_t(x % 1000000007u));
}

TEST_P(MathKernels, CudaStd) {
  Array<float> x(std::vector<float>{0.5f, 1.5f, -2.0f, 0.25f});
  run(kernel("63_cuda_std", "k"), shape(1, 1), x);
  std::complex<float> c(1.5f, -2.0f);
  c = c * c / std::complex<float>(2, 0.25f);
  EXPECT_NEAR(x[0], 1.0f + c.real(), 1e-6);
}

TEST_P(MathKernels, Half) {
  const int n = 40;
  Array<uint16_t> x(static_cast<size_t>(n));
  Array<uint32_t> y(static_cast<size_t>(n));
  Array<float> f(static_cast<size_t>(n));
  // 0.25, 0.5 and 1.5 as halves
  const uint16_t values[] = {0x3400, 0x3800, 0x3e00};
  const double numbers[] = {0.25, 0.5, 1.5};
  for (size_t i = 0; i < size_t(n); ++i) {
    x[i] = values[i % 3];
    y[i] = uint32_t(values[(i + 1) % 3]) << 16 | values[(i + 2) % 3];
  }
  run(kernel("13_half", "k"), shape(2, 32), x, y, f, n);
  for (size_t i = 1; i < size_t(n); ++i) {
    double b = numbers[(i + 2) % 3], a = numbers[i % 3];
    b = b * a + b;
    b = b + b * b;
    if (a > 1) b = std::sqrt(b);
    ASSERT_NEAR(f[i], std::max(a, b) + std::sin(a) + std::floor(a), 0.02) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Ptx, MathKernels, testing::Values(75, 90), sm_name);

}  // namespace
}  // namespace cucore::cpu::test
