// SPDX-License-Identifier: Apache-2.0
// Recognises the two address patterns of a warp for which a vector access exists: consecutive and
// equal.
#pragma once

#include "cpu/exec/lanes.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace cucore::cpu::CUCPU_SIMD {

// Returns whether a[l] == a[0] + l * STEP for COUNT lanes (8 or 32); STEP 0 tests for equality.
#if defined(__AVX512F__)

template <uint64_t Step, int Count>
CUCPU_INLINE bool is_ramp(const uint64_t* a) {
  const __m512i lane =
      _mm512_set_epi64(7 * Step, 6 * Step, 5 * Step, 4 * Step, 3 * Step, 2 * Step, Step, 0);
  __m512i expected = _mm512_add_epi64(_mm512_set1_epi64(int64_t(a[0])), lane);
  unsigned differs = 0;
  for (int l = 0; l < Count; l += 8) {
    differs |= _mm512_cmpneq_epi64_mask(_mm512_loadu_si512(a + l), expected);
    expected = _mm512_add_epi64(expected, _mm512_set1_epi64(int64_t(8 * Step)));
  }
  return differs == 0;
}
template <uint32_t Step, int Count>
CUCPU_INLINE bool is_ramp(const uint32_t* a) {
  const __m256i lane =
      _mm256_set_epi32(7 * Step, 6 * Step, 5 * Step, 4 * Step, 3 * Step, 2 * Step, Step, 0);
  __m256i expected = _mm256_add_epi32(_mm256_set1_epi32(int32_t(a[0])), lane);
  unsigned differs = 0;
  for (int l = 0; l < Count; l += 8) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + l));
    differs |= _mm256_cmpneq_epi32_mask(v, expected);
    expected = _mm256_add_epi32(expected, _mm256_set1_epi32(int32_t(8 * Step)));
  }
  return differs == 0;
}

#elif defined(__AVX2__)

template <uint64_t Step, int Count>
CUCPU_INLINE bool is_ramp(const uint64_t* a) {
  __m256i expected = _mm256_add_epi64(_mm256_set1_epi64x(int64_t(a[0])),
                                      _mm256_set_epi64x(3 * Step, 2 * Step, Step, 0));
  __m256i same = _mm256_set1_epi64x(-1);
  for (int l = 0; l < Count; l += 4) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + l));
    same = _mm256_and_si256(same, _mm256_cmpeq_epi64(v, expected));
    expected = _mm256_add_epi64(expected, _mm256_set1_epi64x(int64_t(4 * Step)));
  }
  return _mm256_movemask_epi8(same) == -1;
}
template <uint32_t Step, int Count>
CUCPU_INLINE bool is_ramp(const uint32_t* a) {
  const __m256i lane =
      _mm256_set_epi32(7 * Step, 6 * Step, 5 * Step, 4 * Step, 3 * Step, 2 * Step, Step, 0);
  __m256i expected = _mm256_add_epi32(_mm256_set1_epi32(int32_t(a[0])), lane);
  __m256i same = _mm256_set1_epi32(-1);
  for (int l = 0; l < Count; l += 8) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + l));
    same = _mm256_and_si256(same, _mm256_cmpeq_epi32(v, expected));
    expected = _mm256_add_epi32(expected, _mm256_set1_epi32(int32_t(8 * Step)));
  }
  return _mm256_movemask_epi8(same) == -1;
}

#else

template <auto Step, int Count, class A>
CUCPU_INLINE bool is_ramp(const A* a) {
  A differs = 0;
  for (int l = 0; l < Count; ++l) differs |= a[l] ^ A(a[0] + A(l) * A(Step));
  return differs == 0;
}

#endif

}  // namespace cucore::cpu::CUCPU_SIMD
