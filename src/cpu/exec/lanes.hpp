// SPDX-License-Identifier: Apache-2.0
// Loops over the lanes of a warp that the compiler can vectorise. Only files that are built once
// per instruction set include it; everything is in CUCPU_SIMD.
#pragma once

#include "cpu/exec/warp.hpp"

#ifndef CUCPU_SIMD
#error "CUCPU_SIMD names the instruction set that this file is built for"
#endif

#if defined(__clang__)
#define CUCPU_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define CUCPU_LANE_LOOP _Pragma("GCC ivdep")
#endif
#define CUCPU_INLINE [[gnu::always_inline]] inline

namespace cucore::cpu::CUCPU_SIMD {

// A destination may equal one of the sources: each lane is read before it is written. Registers are
// otherwise disjoint, so the loops have no dependence.
template <class D, class F>
CUCPU_INLINE void each_lane(const Warp& w, D* d, F f) {
  if (w.mask == FULL_MASK) {
    CUCPU_LANE_LOOP
    for (int l = 0; l < LANES; ++l) d[l] = f(l);
  } else {
    const uint32_t m = w.mask;
    CUCPU_LANE_LOOP
    for (int l = 0; l < LANES; ++l) {
      const D value = f(l);
      d[l] = (m >> l & 1) ? value : d[l];
    }
  }
}

// For work that is too expensive for lanes that do not need it.
template <class F>
CUCPU_INLINE void each_active(const Warp& w, F f) {
  for (uint32_t m = w.mask; m; m &= m - 1) f(__builtin_ctz(m));
}

template <class F>
CUCPU_INLINE uint32_t lane_bits(F f) {
  uint32_t bits = 0;
  for (int l = 0; l < LANES; ++l) bits |= f(l) ? uint32_t{1} << l : uint32_t{0};
  return bits;
}

CUCPU_INLINE void write_bits(const Warp& w, uint32_t* d, uint32_t bits) {
  *d = (*d & ~w.mask) | (bits & w.mask);
}

template <class T>
CUCPU_INLINE const T* in(const Warp& w, Slot s) {
  return w.at<const T>(s);
}
template <class T>
CUCPU_INLINE T* out(const Warp& w, Slot s) {  // only registers are written
  return reinterpret_cast<T*>(w.bases[FRAME_BASE] + s);
}

template <class To, class From>
CUCPU_INLINE To bits_of(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, value);
}

template <class T>
constexpr bool IS_SIGNED = T(-1) < T(0);

// Handlers of instructions that compute each lane with F::apply.
template <class T, class F>
void unary(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[Regular::FIRST]);
  each_lane(w, out<T>(w, op[Regular::RESULT]), [=](int l) { return F::apply(a[l]); });
}
template <class T, class F>
void binary(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[Regular::FIRST]);
  const T* b = in<T>(w, op[Regular::SECOND]);
  each_lane(w, out<T>(w, op[Regular::RESULT]), [=](int l) { return F::apply(a[l], b[l]); });
}

}  // namespace cucore::cpu::CUCPU_SIMD
