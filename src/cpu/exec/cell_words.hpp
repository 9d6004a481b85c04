// SPDX-License-Identifier: Apache-2.0
// Vectors of eight or sixteen records of cells, and the operations that rules need. A scalar has
// the same operations. Only files that are built once per instruction set include it.
#pragma once

#include "cpu/exec/lanes.hpp"
#include "cpu/exec/patterns.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors stay inside a file

namespace cucore::cpu::CUCPU_SIMD {

using Words8 = uint32_t __attribute__((vector_size(32)));
using Flags8 = int32_t __attribute__((vector_size(32)));

CUCPU_INLINE bool no(bool condition) { return !condition; }
CUCPU_INLINE Flags8 no(Flags8 condition) { return ~condition; }
CUCPU_INLINE uint32_t select(bool condition, uint32_t a, uint32_t b) { return condition ? a : b; }
CUCPU_INLINE Words8 select(Flags8 condition, Words8 a, Words8 b) { return condition ? a : b; }
CUCPU_INLINE uint32_t words(uint32_t value, uint32_t) { return value; }
CUCPU_INLINE Words8 words(uint32_t value, Words8) { return Words8{} + value; }
CUCPU_INLINE bool any(Flags8 flags) {
  int64_t parts[sizeof flags / 8];
  __builtin_memcpy(parts, &flags, sizeof flags);
  return (parts[0] | parts[1] | parts[2] | parts[3]) != 0;
}

#if defined(__AVX512F__)

// The compiler keeps the results of comparisons of vector types in vectors; these are masks.
struct Flags16 {
  __mmask16 bits;
};
struct Words16 {
  __m512i value;
};

CUCPU_INLINE Flags16 no(Flags16 a) { return {__mmask16(~a.bits)}; }
CUCPU_INLINE Flags16 operator&(Flags16 a, Flags16 b) { return {__mmask16(a.bits & b.bits)}; }
CUCPU_INLINE Flags16 operator|(Flags16 a, Flags16 b) { return {__mmask16(a.bits | b.bits)}; }
CUCPU_INLINE bool any(Flags16 a) { return a.bits != 0; }

CUCPU_INLINE __m512i wide(uint32_t value) { return _mm512_set1_epi32(int(value)); }
CUCPU_INLINE Words16 words(uint32_t value, Words16) { return {wide(value)}; }
CUCPU_INLINE Words16 select(Flags16 condition, Words16 a, Words16 b) {
  return {_mm512_mask_blend_epi32(condition.bits, b.value, a.value)};
}
CUCPU_INLINE Words16 operator-(Words16 a, uint32_t b) {
  return {_mm512_sub_epi32(a.value, wide(b))};
}
CUCPU_INLINE Words16 operator&(Words16 a, uint32_t b) {
  return {_mm512_and_si512(a.value, wide(b))};
}
CUCPU_INLINE Words16 operator|(Words16 a, uint32_t b) {
  return {_mm512_or_si512(a.value, wide(b))};
}
CUCPU_INLINE Words16 operator|(Words16 a, Words16 b) { return {_mm512_or_si512(a.value, b.value)}; }
// A count of more than 31 bits leaves zero.
CUCPU_INLINE Words16 shifted(__m512i value, uint32_t count) {
  return {_mm512_maskz_srl_epi32(__mmask16(~0), value, _mm_cvtsi32_si128(int(count)))};
}
CUCPU_INLINE Words16 operator>>(Words16 a, uint32_t count) { return shifted(a.value, count); }
CUCPU_INLINE Flags16 operator<(Words16 a, uint32_t b) {
  return {_mm512_cmplt_epu32_mask(a.value, wide(b))};
}
CUCPU_INLINE Flags16 operator<=(Words16 a, uint32_t b) {
  return {_mm512_cmple_epu32_mask(a.value, wide(b))};
}
CUCPU_INLINE Flags16 operator==(Words16 a, uint32_t b) {
  return {_mm512_cmpeq_epi32_mask(a.value, wide(b))};
}
CUCPU_INLINE Flags16 operator==(Words16 a, Words16 b) {
  return {_mm512_cmpeq_epi32_mask(a.value, b.value)};
}
CUCPU_INLINE Flags16 operator!=(Words16 a, uint32_t b) {
  return {_mm512_cmpneq_epi32_mask(a.value, wide(b))};
}

#endif

template <uint32_t Width>
struct Vectors;
template <>
struct Vectors<8> {
  using Words = Words8;
  static constexpr Words8 INDEX = {0, 1, 2, 3, 4, 5, 6, 7};
  // The lanes from `lane` on, with 2^shift cells each, of the cells from `k` on.
  CUCPU_INLINE static Words8 lanes(uint32_t lane, uint32_t shift, uint32_t k) {
    return ((INDEX + k) >> shift) + lane;
  }
  CUCPU_INLINE static Words8 load(const uint32_t* p) {
    Words8 value;
    __builtin_memcpy(&value, p, sizeof value);
    return value;
  }
  CUCPU_INLINE static void store(uint32_t* p, Words8 value) {
    __builtin_memcpy(p, &value, sizeof value);
  }
  CUCPU_INLINE static void store_sites(uint16_t* p, uint16_t site) {
    using Sites = uint16_t __attribute__((vector_size(16)));
    const Sites sites = Sites{} + site;
    __builtin_memcpy(p, &sites, sizeof sites);
  }
  // Cells of which `kept` is set keep their sites.
  CUCPU_INLINE static void store_other_sites(uint16_t* p, uint16_t site, Flags8 kept) {
    for (uint32_t k = 0; k < 8; ++k)
      if (!kept[k]) p[k] = site;
  }
};

#if defined(__AVX512F__)
template <>
struct Vectors<16> {
  using Words = Words16;
  CUCPU_INLINE static Words16 lanes(uint32_t lane, uint32_t shift, uint32_t k) {
    const __m512i index = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i cells = _mm512_add_epi32(index, wide(k));
    return {_mm512_add_epi32(shifted(cells, shift).value, wide(lane))};
  }
  CUCPU_INLINE static Words16 load(const uint32_t* p) { return {_mm512_loadu_si512(p)}; }
  CUCPU_INLINE static void store(uint32_t* p, Words16 value) {
    _mm512_storeu_si512(p, value.value);
  }
  CUCPU_INLINE static void store_sites(uint16_t* p, uint16_t site) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_set1_epi16(int16_t(site)));
  }
  CUCPU_INLINE static void store_other_sites(uint16_t* p, uint16_t site, Flags16 kept) {
    for (uint32_t others = uint16_t(~kept.bits); others; others &= others - 1)
      p[__builtin_ctz(others)] = site;
  }
};
inline constexpr uint32_t WIDEST = 16;
#else
inline constexpr uint32_t WIDEST = 8;
#endif

}  // namespace cucore::cpu::CUCPU_SIMD
