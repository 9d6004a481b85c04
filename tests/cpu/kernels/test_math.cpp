// SPDX-License-Identifier: Apache-2.0
// The mathematical functions of CUDA. Each must be within the error of the CUDA programming guide,
// compared with a wider type on the host. The generators of curand are compared with their
// definition.
#include <cmath>
#include <limits>
#include <numbers>

#include "device.hpp"

namespace cucore::cpu::kernels {
namespace {

using Math = Kernels;
using Wide = long double;

// `expression` of x (and y), its value, and the error in units of the last place of f32 and f64.
struct Function {
  const char* expression;
  Wide (*exact)(Wide x, Wide y);
  double low, high;  // range of x
  double single, both;
};

Wide bessel_i0(Wide x) {
  Wide sum = 1, term = 1;
  for (int k = 1; k < 200; ++k) sum += term *= (x / 2 / k) * (x / 2 / k);
  return sum;
}

// Standard normal distribution.
Wide normcdf(Wide x) { return 0.5L * std::erfc(-x / std::sqrt(2.0L)); }
Wide erfcx(Wide x) { return x < 25 ? std::exp(x * x) * std::erfc(x) : 0.5641895835477562869L / x; }

const Wide PI = std::numbers::pi_v<Wide>;

const Function FUNCTIONS[] = {
    {"sin(x)", [](Wide x, Wide) { return std::sin(x); }, -1000, 1000, 2, 2},
    {"cos(x)", [](Wide x, Wide) { return std::cos(x); }, -1e5, 1e5, 2, 2},
    {"tan(x)", [](Wide x, Wide) { return std::tan(x); }, -50, 50, 4, 2},
    {"asin(x)", [](Wide x, Wide) { return std::asin(x); }, -1, 1, 2, 2},
    {"acos(x)", [](Wide x, Wide) { return std::acos(x); }, -1, 1, 2, 2},
    {"atan(x)", [](Wide x, Wide) { return std::atan(x); }, -50, 50, 2, 2},
    {"atan2(x, y)", [](Wide x, Wide y) { return std::atan2(x, y); }, -50, 50, 3, 2},
    {"sinh(x)", [](Wide x, Wide) { return std::sinh(x); }, -30, 30, 3, 2},
    {"cosh(x)", [](Wide x, Wide) { return std::cosh(x); }, -30, 30, 2, 2},
    {"tanh(x)", [](Wide x, Wide) { return std::tanh(x); }, -10, 10, 2, 2},
    {"asinh(x)", [](Wide x, Wide) { return std::asinh(x); }, -100, 100, 3, 3},
    {"acosh(x)", [](Wide x, Wide) { return std::acosh(x); }, 1, 100, 4, 3},
    {"atanh(x)", [](Wide x, Wide) { return std::atanh(x); }, -0.999, 0.999, 3, 2},
    {"exp(x)", [](Wide x, Wide) { return std::exp(x); }, -80, 80, 2, 1},
    {"exp2(x)", [](Wide x, Wide) { return std::exp2(x); }, -120, 120, 2, 1},
    {"exp10(x)", [](Wide x, Wide) { return std::pow(10.0L, x); }, -30, 30, 2, 1},
    {"expm1(x)", [](Wide x, Wide) { return std::expm1(x); }, -10, 10, 1, 1},
    {"log(x)", [](Wide x, Wide) { return std::log(x); }, 1e-30, 1e30, 1, 1},
    {"log2(x)", [](Wide x, Wide) { return std::log2(x); }, 1e-30, 1e30, 1, 1},
    {"log10(x)", [](Wide x, Wide) { return std::log10(x); }, 1e-30, 1e30, 2, 1},
    {"log1p(x)", [](Wide x, Wide) { return std::log1p(x); }, -0.9, 100, 1, 1},
    {"pow(fabs(x), y)", [](Wide x, Wide y) { return std::pow(std::fabs(x), y); }, 0.01, 30, 4, 2},
    {"cbrt(x)", [](Wide x, Wide) { return std::cbrt(x); }, -1e10, 1e10, 1, 1},
    {"rcbrt(x)", [](Wide x, Wide) { return 1 / std::cbrt(x); }, 0.001, 1e10, 1, 1},
    {"sqrt(x)", [](Wide x, Wide) { return std::sqrt(x); }, 0, 1e30, 0.5, 0.5},
    {"rsqrt(x)", [](Wide x, Wide) { return 1 / std::sqrt(x); }, 1e-30, 1e30, 2, 1},
    {"hypot(x, y)", [](Wide x, Wide y) { return std::hypot(x, y); }, -1e9, 1e9, 3, 2},
    {"rhypot(x, y)", [](Wide x, Wide y) { return 1 / std::hypot(x, y); }, 1, 1e9, 2, 1},
    {"sinpi(x)", [](Wide x, Wide) { return std::sin(PI * x); }, -0.5, 0.5, 1, 2},
    {"cospi(x)", [](Wide x, Wide) { return std::cos(PI * x); }, -0.25, 0.25, 1, 2},
    {"erf(x)", [](Wide x, Wide) { return std::erf(x); }, -5, 5, 2, 2},
    {"erfc(x)", [](Wide x, Wide) { return std::erfc(x); }, -5, 8, 4, 5},
    {"erfcx(x)", [](Wide x, Wide) { return erfcx(x); }, -2, 8, 4, 4},
    {"erfinv(x)", nullptr, -0.99, 0.99, 2, 5},
    {"erfcinv(x)", nullptr, 0.01, 1.99, 4, 6},
    {"normcdf(x)", [](Wide x, Wide) { return normcdf(x); }, -8, 5, 5, 5},
    {"normcdfinv(x)", nullptr, 0.01, 0.99, 5, 8},
    {"lgamma(x)", [](Wide x, Wide) { return std::lgamma(x); }, 3, 500, 6, 4},
    {"tgamma(x)", [](Wide x, Wide) { return std::tgamma(x); }, 0.1, 30, 5, 10},
    {"fmod(x, y)", [](Wide x, Wide y) { return std::fmod(x, y); }, -1e6, 1e6, 0, 0},
    {"remainder(x, y)", [](Wide x, Wide y) { return std::remainder(x, y); }, -1e6, 1e6, 0, 0},
    {"fdim(x, y)", [](Wide x, Wide y) { return std::fdim(x, y); }, -100, 100, 0.5, 0.5},
    {"fma(x, y, x)", [](Wide x, Wide y) { return x * y + x; }, -100, 100, 0.5, 0.5},
    {"ldexp(x, (int)y)", [](Wide x, Wide y) { return std::ldexp(x, int(y)); }, -100, 100, 0, 0},
    {"scalbn(x, -(int)y)", [](Wide x, Wide y) { return std::ldexp(x, -int(y)); }, -9, 9, 0, 0},
    {"logb(x)", [](Wide x, Wide) { return std::logb(x); }, 0.001, 1e9, 0, 0},
    {"ilogb(x)", [](Wide x, Wide) { return Wide(std::ilogb(x)); }, 0.001, 1e9, 0, 0},
    {"floor(x) + ceil(x)", [](Wide x, Wide) { return std::floor(x) + std::ceil(x); }, -99, 99, 0,
     0},
    {"round(x)", [](Wide x, Wide) { return std::round(x); }, -99, 99, 0, 0},
    {"rint(x) + nearbyint(x)", [](Wide x, Wide) { return 2 * std::rint(x); }, -99, 99, 0, 0},
    {"trunc(x)", [](Wide x, Wide) { return std::trunc(x); }, -99, 99, 0, 0},
    {"(T)llround(x) + lrint(x)", [](Wide x, Wide) { return std::round(x) + std::rint(x); }, -99, 99,
     0, 0},
    {"copysign(x, y)", [](Wide x, Wide y) { return std::copysign(x, y); }, -99, 99, 0, 0},
    {"cyl_bessel_i0(x)", [](Wide x, Wide) { return bessel_i0(x); }, -8, 8, 6, 6}};

// Functions around 0 lose relative precision; their bound is absolute.
const Function BESSEL[] = {
    {"j0(x)", [](Wide x, Wide) { return Wide(::j0l(x)); }, -8, 8, 9, 7},
    {"j1(x)", [](Wide x, Wide) { return Wide(::j1l(x)); }, -8, 8, 9, 7},
    {"jn(3, x)", [](Wide x, Wide) { return Wide(::jnl(3, x)); }, 0.1, 8, 90, 90},
    {"y0(x)", [](Wide x, Wide) { return Wide(::y0l(x)); }, 0.1, 8, 9, 7},
    {"y1(x)", [](Wide x, Wide) { return Wide(::y1l(x)); }, 0.5, 8, 9, 7},
    {"yn(3, x)", [](Wide x, Wide) { return Wide(::ynl(3, x)); }, 1.5, 8, 90, 90}};

// "sin(x)" becomes "sinf(x)", because users also write C names and not only C++ overloads.
std::string with_type(const std::string& text, bool single) {
  return single ? "(T)(" + text + ")" : text;
}

template <class T, size_t N>
std::string kernels_of(const Function (&functions)[N]) {
  const bool single = sizeof(T) == 4;
  std::string source = single ? "typedef float T;\n" : "typedef double T;\n";
  for (size_t k = 0; k < N; ++k)
    source +=
        "extern \"C\" __global__ void f" + std::to_string(k) +
        "(const T* a, const T* b, T* out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
        "if (i < n) { T x = a[i], y = b[i]; (void)y; out[i] = " +
        with_type(functions[k].expression, single) + "; } }\n";
  return source;
}

template <class T>
Wide unit_of(Wide value) {
  using L = std::numeric_limits<T>;
  const T near = std::fabs(T(value));
  const T base = std::max(near, L::min());
  return Wide(std::nextafter(base, L::infinity())) - Wide(base);
}

// The inverse functions are tested by applying the original function.
Wide inverse(const std::string& name, Wide x) {
  Wide low = name[0] == 'n' ? -9 : -7, high = -low;
  const bool falls = name.find("erfc") == 0;
  for (int k = 0; k < 200; ++k) {
    const Wide middle = (low + high) / 2;
    const Wide value = name[0] == 'n' ? normcdf(middle)
                       : falls        ? std::erfc(middle)
                                      : std::erf(middle);
    ((value < x) != falls ? low : high) = middle;
  }
  return low;
}

template <class T, size_t N>
void compare(const Program& program, const Function (&functions)[N], bool absolute) {
  constexpr int COUNT = 512;
  for (size_t k = 0; k < N; ++k) {
    const Function& f = functions[k];
    std::vector<T> x, y;
    for (int i = 0; i < COUNT; ++i) {
      const double at = double(i) / (COUNT - 1);
      const bool decades = f.low > 0 && f.high / f.low > 1e4;
      x.push_back(
          T(decades ? f.low * std::pow(f.high / f.low, at) : f.low + (f.high - f.low) * at));
      y.push_back(T(0.37 + (i * 7919 % 257) * 0.061));
    }
    const Buffer<T> a(x), b(y), out(size_t{COUNT});
    ASSERT_NO_THROW(program.run(("f" + std::to_string(k)).c_str(), {4, 128}, a, b, out, COUNT))
        << f.expression;
    const auto got = out.read();
    Wide worst = 0;
    int where = 0;
    for (int i = 0; i < COUNT; ++i) {
      const Wide exact = f.exact ? f.exact(x[i], y[i]) : inverse(f.expression, x[i]);
      const Wide unit = absolute ? std::numeric_limits<T>::epsilon() : unit_of<T>(exact);
      const Wide error = std::fabs(Wide(got[i]) - exact) / unit;
      if (!(error <= worst)) worst = error, where = i;
    }
    EXPECT_LE(double(worst), (sizeof(T) == 4 ? f.single : f.both) + 0.51)
        << f.expression << " of " << x[where] << ", " << y[where] << " gave " << got[where];
  }
}

TEST_P(Math, SinglePrecision) {
  compare<float>(*compiled(kernels_of<float>(FUNCTIONS)), FUNCTIONS, false);
  compare<float>(*compiled(kernels_of<float>(BESSEL)), BESSEL, true);
}

TEST_P(Math, DoublePrecision) {
  compare<double>(*compiled(kernels_of<double>(FUNCTIONS)), FUNCTIONS, false);
  compare<double>(*compiled(kernels_of<double>(BESSEL)), BESSEL, true);
}

TEST_P(Math, SpecialValues) {
  const auto program = compiled(R"cuda(
extern "C" __global__ void k(unsigned* out, float zero) {
  float inf = 1 / zero, nan = zero / zero; double d0 = zero, dinf = 1 / d0, dnan = d0 / d0; unsigned n = 0;
  auto put = [&](bool b) { out[n++] = b; };
  put(sinf(inf) != sinf(inf)); put(expf(-inf) == 0 && expf(inf) == inf); put(logf(zero) == -inf && logf(-1.f) != logf(-1.f));
  put(powf(nan, 0) == 1 && powf(1, nan) == 1 && powf(-inf, 3) == -inf && powf(-2, 3) == -8); put(sqrtf(-0.f) == 0 && signbit(sqrtf(-0.f)));
  put(atan2f(-0.f, -1) < -3 && atan2f(0.f, -1) > 3); put(fmaxf(nan, 2) == 2 && fminf(nan, inf) == inf); put(tgammaf(0.5f) > 1.77f && lgammaf(-1) == inf);
  put(exp(dinf) == dinf && exp(-dinf) == 0); put(log(-d0) == -dinf); put(pow(dnan, 0) == 1 && pow(-8.0, 1.0 / 3) != pow(-8.0, 1.0 / 3)); put(fmod(5.0, dinf) == 5 && fmod(dinf, 5.0) != fmod(dinf, 5.0));
  put(isnan(nan) && isinf(dinf) && !isfinite(dnan) && signbit(-0.0)); put(__float2int_rz(1e20f) == 2147483647 && __float2uint_rz(-5.f) == 0 && __float2int_rn(nan) == 0);
  put(__double2ll_rz(1e30) == 9223372036854775807ll && __double2int_rn(2.5) == 2 && __double2int_ru(2.1) == 3); put(__fadd_ru(1.f, 1e-10f) > 1 && __fadd_rd(1.f, 1e-10f) == 1 && __dmul_ru(1.1, 1.1) > __dmul_rd(1.1, 1.1));
  int e; put(frexp(48.0, &e) == 0.75 && e == 6); double whole; put(modf(-3.25, &whole) == -0.25 && whole == -3); int q; put(remquo(29.0, 3.0, &q) == -1 && (q & 7) == 2);
  float s, c; sincosf(1.f, &s, &c); put(fabsf(s * s + c * c - 1) < 1e-6f); put(nextafterf(1.f, 2.f) > 1 && nextafter(1.0, 0.0) < 1); put(norm3d(2.0, 3.0, 6.0) == 7 && rnorm4d(1.0, 1.0, 1.0, 1.0) == 0.5);
  put(__sinf(0.5f) > 0.47f && __expf(1.f) > 2.71f && __fdividef(6, 3) == 2 && __powf(2, 3) > 7.99f && __saturatef(3) == 1);
  put(__brev(1) == 0x80000000u && __clz(1) == 31 && __ffsll(1ll << 40) == 41 && __mulhi(1 << 20, 1 << 20) == 256 && __umul64hi(1ull << 40, 1ull << 40) == 65536 && __byte_perm(0x01020304, 0x05060708, 0x7531) == 0x05070103);
  put(__sad(-5, 5, 1) == 11 && __usad(3, 8, 1) == 6 && __hadd(-3, 2) == -1 && __rhadd(3, 4) == 4 && __dp4a(0x01020304, 0x01010101, 5) == 15 && __vadd4(0xFF010203, 0x01010101) == 0x00020304 && __vabsdiffu4(0x05000000, 0x07000000) == 0x02000000 && __vmaxs2(0x8000FFFF, 0x00010000) == 0x00010000);
  put(__funnelshift_l(0x80000001u, 0x7u, 4) == 0x78u && __funnelshift_rc(1, 2, 40) == 2 && __fns(0xF0, 0, 2) == 5);
  out[63] = n;
})cuda");
  const Buffer<unsigned> out(64);
  program->run("k", {1, 1}, out, 0.0f);
  const auto got = out.read();
  ASSERT_GT(got[63], 20u);
  for (unsigned i = 0; i < got[63]; ++i) EXPECT_EQ(got[i], 1u) << "line " << i;
}

// Philox 4x32 with ten rounds, as published.
void philox(unsigned (&counter)[4], unsigned key0, unsigned key1, unsigned (&out)[4]) {
  unsigned c[4] = {counter[0], counter[1], counter[2], counter[3]};
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
    const unsigned next[4] = {unsigned(b >> 32) ^ c[1] ^ key0, unsigned(b),
                              unsigned(a >> 32) ^ c[3] ^ key1, unsigned(a)};
    std::copy(next, next + 4, c);
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  std::copy(c, c + 4, out);
}

TEST_P(Math, RandomNumbers) {
  const auto program = compiled(R"cuda(
#include <curand_kernel.h>
extern "C" __global__ void philox(unsigned* out, float* reals) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t s; curand_init(1234567ull, i, 0, &s);
  uint4 v = curand4(&s); out[i * 5] = v.x; out[i * 5 + 1] = v.y; out[i * 5 + 2] = v.z; out[i * 5 + 3] = v.w; out[i * 5 + 4] = curand(&s);
  reals[i * 2] = curand_uniform(&s); reals[i * 2 + 1] = curand_normal(&s);
}
extern "C" __global__ void others(unsigned* out, float* reals) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState x; curand_init(42, 0, i, &x);
  out[i] = curand(&x);
  curandStateMRG32k3a m; curand_init(42, i, 0, &m);
  reals[i * 2] = curand_uniform(&m); reals[i * 2 + 1] = (float)curand_poisson(&m, 4.0) + (float)curand_normal_double(&m) * 0;
})cuda");
  constexpr unsigned ALL = 512;
  const Buffer<unsigned> out(ALL * 5);
  const Buffer<float> reals(size_t{ALL * 2});
  program->run("philox", {4, 128}, out, reals);
  auto got = out.read();
  auto numbers = reals.read();
  double mean = 0, normal = 0, square = 0;
  for (unsigned i = 0; i < ALL; ++i) {
    unsigned expected[4], counter[4] = {0, 0, i, 0};
    philox(counter, 1234567, 0, expected);
    for (unsigned k = 0; k < 4; ++k) ASSERT_EQ(got[i * 5 + k], expected[k]) << i;
    counter[0] = 1;
    philox(counter, 1234567, 0, expected);
    ASSERT_EQ(got[i * 5 + 4], expected[0]) << i;
    mean += numbers[i * 2] / ALL;
    normal += numbers[i * 2 + 1] / ALL;
    square += double(numbers[i * 2 + 1]) * numbers[i * 2 + 1] / ALL;
  }
  EXPECT_NEAR(mean, 0.5, 0.05);
  EXPECT_NEAR(normal, 0, 0.2);
  EXPECT_NEAR(square, 1, 0.25);
  program->run("others", {4, 128}, out, reals);
  got = out.read();
  numbers = reals.read();
  // XORWOW: a number at an offset equals the sequence's number after as many steps.
  unsigned low = 42u ^ 0xAAD26B49u, high = 0xF7DCEFDDu, s0 = 1099087573u * low,
           s1 = 2591861531u * high;
  unsigned d = 6615241 + s1 + s0;
  unsigned v[5] = {123456789u + s0, 362436069u ^ s0, 521288629u + s1, 88675123u ^ s1,
                   5783321u + s0};
  mean = normal = 0;
  for (unsigned i = 0; i < ALL; ++i) {
    const unsigned t = v[0] ^ v[0] >> 2;
    for (int k = 0; k < 4; ++k) v[k] = v[k + 1];
    v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
    d += 362437;
    ASSERT_EQ(got[i], v[4] + d) << i;
    mean += numbers[i * 2] / ALL;
    normal += numbers[i * 2 + 1] / ALL;
  }
  EXPECT_NEAR(mean, 0.5, 0.05);
  EXPECT_NEAR(normal, 4, 0.3);
}

INSTANTIATE_TEST_SUITE_P(Builds, Math, testing::ValuesIn(MATH_BUILDS), name_of);

}  // namespace
}  // namespace cucore::cpu::kernels
