// SPDX-License-Identifier: Apache-2.0
// Products of dense matrices as tensor cores compute them, eight columns at a time.
#ifdef __AVX__
#include <immintrin.h>
#endif

#include "cpu/exec/families.hpp"
#include "cpu/exec/lanes.hpp"

namespace cucore::cpu::CUCPU_SIMD {
namespace {

using ptx::Element;

constexpr unsigned COLUMNS = 8;
// Limits of the largest exponent, so that its powers of 2 are normal numbers. Zeros are below them,
// and an infinity is above: with an exponent of 1024 or more, its power would be 0 or negative.
constexpr int32_t LEAST_EXPONENT = -400, MOST_EXPONENT = 400;

typedef double Doubles __attribute__((vector_size(64)));
typedef int64_t Longs __attribute__((vector_size(64)));
typedef float Floats __attribute__((vector_size(32)));
typedef int32_t Ints __attribute__((vector_size(32)));

CUCPU_INLINE void truncate(Doubles& v) {
#if defined(__AVX512F__)
  v = Doubles(_mm512_maskz_roundscale_pd(0xff, __m512d(v), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
#elif defined(__AVX__)
  __m256d half[2];
  __builtin_memcpy(half, &v, sizeof v);
  half[0] = _mm256_round_pd(half[0], _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  half[1] = _mm256_round_pd(half[1], _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  __builtin_memcpy(&v, half, sizeof v);
#else
  for (unsigned i = 0; i < COLUMNS; ++i) v[i] = __builtin_trunc(v[i]);
#endif
}

// Sets v to 2^e.
CUCPU_INLINE void power(Doubles& v, const Ints& e) {
  v = Doubles((__builtin_convertvector(e, Longs) + 1023) << 52);
}

template <class V, class T>
CUCPU_INLINE void load(V& v, const T* from) {
  __builtin_memcpy(&v, from, sizeof v);
}
template <class V, class T>
CUCPU_INLINE void store(T* to, const V& v) {
  __builtin_memcpy(to, &v, sizeof v);
}

// Sets x to the exponents of values; those below the least normal number have its exponent.
CUCPU_INLINE void exponents(Ints& x, const Doubles& v, int least) {
  const Longs size = Longs(v) & INT64_MAX;
  Ints e = __builtin_convertvector(size >> 52, Ints) - 1023;
  e = e < least ? Ints{} + least : e;
  const Ints zero = __builtin_convertvector(size == 0, Ints);
  x = zero ? Ints{} + NO_EXPONENT : e;
}

// Cuts to f32 toward zero, with `dropped` bits less. A sum beyond the range is infinite.
CUCPU_INLINE void cut_to_single(Doubles& v, int dropped) {
  const Floats nearest = __builtin_convertvector(v, Floats);
  const Doubles back = __builtin_convertvector(nearest, Doubles);
  const Doubles size = Doubles(Longs(v) & INT64_MAX);
  const Longs above = (Doubles(Longs(back) & INT64_MAX) > size) & (size < 0x1p128);
  Ints bits = Ints(nearest) + __builtin_convertvector(above, Ints);
  const Ints finite = (bits & 0x7f800000) != 0x7f800000;
  bits &= ~(finite & ((1 << dropped) - 1));
  v = __builtin_convertvector(Floats(bits), Doubles);
}

// Rounds to the nearest f16; values beyond its range become infinite.
CUCPU_INLINE void round_to_half(Doubles& v) {
  Ints e;
  exponents(e, v, -14);
  e = e < -14 ? Ints{} - 14 : e;
  e = e > 16 ? Ints{} + 16 : e;
  Doubles quantum;
  power(quantum, e - 10);
  const Doubles size = Doubles(Longs(v) & INT64_MAX);
  const Longs sign = Longs(v) & INT64_MIN;
  const Doubles magic = quantum * 0x1p52;  // its last bit has the value of the quantum
  const Doubles rounded = (size + magic) - magic;
  const Doubles infinite = Doubles{} + __builtin_inf();
  const Doubles limited = rounded > 65504.0 ? infinite : rounded;
  v = v == v ? Doubles(Longs(limited) | sign) : v;
}

struct Tile {
  const RealProduct& p;
  unsigned row, column;
};

// Adds one block of products to v, whose exponents are x.
CUCPU_INLINE void add_block(const Tile& t, unsigned first, unsigned count, Doubles& v,
                            const Ints& x) {
  const RealProduct& p = t.p;
  const size_t at = size_t{t.row} * p.k + first;
  Ints top = x;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned row = p.rows ? p.rows[at + i] : first + i;
    Ints e;
    load(e, p.b.exponent + size_t{row} * p.n + t.column);
    e += p.a.exponent[at + i];
    top = e > top ? e : top;
  }
  top = top < LEAST_EXPONENT ? Ints{} + LEAST_EXPONENT : top;
  top = top > MOST_EXPONENT ? Ints{} + MOST_EXPONENT : top;
  Doubles up, down;
  power(up, int(p.model.fraction_bits) - top);
  power(down, top - int(p.model.fraction_bits));
  Doubles sum = v * up;
  truncate(sum);
  for (unsigned i = 0; i < count; ++i) {
    const unsigned row = p.rows ? p.rows[at + i] : first + i;
    Doubles b;
    load(b, p.b.value + size_t{row} * p.n + t.column);
    b = p.a.value[at + i] * b * up;
    truncate(b);
    sum += b;
  }
  v = sum * down;
}

void multiply_tile(const Tile& t) {
  const RealProduct& p = t.p;
  const size_t place = size_t{t.row} * p.n + t.column;
  Doubles v;
  Ints x;
  load(v, p.c.value + place);
  load(x, p.c.exponent + place);
  for (unsigned first = 0; first < p.k; first += p.model.block) {
    const unsigned left = p.k - first;
    add_block(t, first, left < p.model.block ? left : p.model.block, v, x);
    if (p.to_half)
      round_to_half(v);
    else
      cut_to_single(v, 23 - p.model.result_bits);
    exponents(x, v, p.to_half ? -14 : -126);
  }
  store(p.d + place, v);
}

void multiply_reals(const RealProduct& p) {
  for (unsigned column = 0; column < p.n; column += COLUMNS)
    for (unsigned row = 0; row < p.m; ++row) multiply_tile({p, row, column});
}

// ---- integers

template <bool Xor>
CUCPU_INLINE void sum_products(const IntegerProduct& p, unsigned row, unsigned column, Ints& sum) {
  const size_t at = size_t{row} * p.k;
  for (unsigned i = 0; i < p.k; ++i) {
    const unsigned from = p.rows ? p.rows[at + i] : i;
    Ints b;
    load(b, p.b + size_t{from} * p.n + column);
    sum += Xor ? b ^ p.a[at + i] : b * p.a[at + i];
  }
}

void multiply_integers(const IntegerProduct& p) {
  for (unsigned column = 0; column < p.n; column += COLUMNS)
    for (unsigned row = 0; row < p.m; ++row) {
      const size_t place = size_t{row} * p.n + column;
      Ints sum{}, c;
      load(c, p.c + place);
      p.is_xor ? sum_products<true>(p, row, column, sum) : sum_products<false>(p, row, column, sum);
      Longs total = __builtin_convertvector(sum, Longs) + __builtin_convertvector(c, Longs);
      const Longs least = Longs{} + INT32_MIN, most = Longs{} + INT32_MAX;
      if (p.saturates) {
        total = total < least ? least : total;
        total = total > most ? most : total;
      }
      store(p.d + place, __builtin_convertvector(total, Ints));
    }
}

// ---- elements

// Widens a float of E exponent and M fraction bits to the bits of an f32, exactly.
template <int E, int M>
CUCPU_INLINE uint32_t widened(uint32_t raw) {
  constexpr uint32_t MAGNITUDE = (1u << (E + M)) - 1, INFINITE = ((1u << E) - 1) << M;
  constexpr int BIAS = (1 << (E - 1)) - 1;
  const uint32_t sign = (raw >> (E + M) & 1) << 31, size = raw & MAGNITUDE;
  // Subnormal numbers become exact through a multiplication by a power of 2.
  const float scaled =
      bits_of<float>(size << (23 - M)) * bits_of<float>(uint32_t(254 - BIAS) << 23);
  const uint32_t special = 0x7f800000 | (size & ~INFINITE) << (23 - M);
  const bool is_special = E == 4 ? size == MAGNITUDE : size >= INFINITE;
  return sign | (is_special ? special : bits_of<uint32_t>(scaled));
}

struct HalfBits {
  static constexpr int LEAST = -14;
  CUCPU_INLINE static uint32_t single(uint32_t raw) { return widened<5, 10>(raw); }
};
struct BrainBits {
  static constexpr int LEAST = -126;
  CUCPU_INLINE static uint32_t single(uint32_t raw) { return raw << 16; }
};
struct TensorBits {
  static constexpr int LEAST = -126;
  CUCPU_INLINE static uint32_t single(uint32_t raw) { return raw & 0xffffe000; }
};
struct SingleBits {
  static constexpr int LEAST = -126;
  CUCPU_INLINE static uint32_t single(uint32_t raw) { return raw; }
};
struct E4M3Bits {
  static constexpr int LEAST = -6;
  CUCPU_INLINE static uint32_t single(uint32_t raw) { return widened<4, 3>(raw); }
};
struct E5M2Bits {
  static constexpr int LEAST = -14;
  CUCPU_INLINE static uint32_t single(uint32_t raw) { return widened<5, 2>(raw); }
};

template <class Format>
void convert(const uint32_t* raw, size_t count, Reals reals) {
  for (size_t i = 0; i < count; i += COLUMNS) {
    Ints bits;
    for (unsigned j = 0; j < COLUMNS; ++j) bits[j] = int32_t(Format::single(raw[i + j]));
    const Doubles v = __builtin_convertvector(Floats(bits), Doubles);
    Ints x;
    exponents(x, v, Format::LEAST);
    store(reals.value + i, v);
    store(reals.exponent + i, x);
  }
}

void to_reals(Element element, const uint32_t* raw, size_t count, Reals reals) {
  switch (element) {
    case Element::f16:
      return convert<HalfBits>(raw, count, reals);
    case Element::bf16:
      return convert<BrainBits>(raw, count, reals);
    case Element::tf32:
      return convert<TensorBits>(raw, count, reals);
    case Element::e4m3:
      return convert<E4M3Bits>(raw, count, reals);
    case Element::e5m2:
      return convert<E5M2Bits>(raw, count, reals);
    default:
      return convert<SingleBits>(raw, count, reals);
  }
}

void to_integers(Element element, const uint32_t* raw, size_t count, int32_t* values) {
  const int unused = element == Element::s8 ? 24 : element == Element::s4 ? 28 : 0;
  for (size_t i = 0; i < count; ++i) values[i] = int32_t(raw[i] << unused) >> unused;
}

}  // namespace

const MatrixKernels& matrix_kernels() {
  static constexpr MatrixKernels kernels = {to_reals, to_integers, multiply_reals,
                                            multiply_integers};
  return kernels;
}

}  // namespace cucore::cpu::CUCPU_SIMD
