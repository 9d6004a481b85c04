// SPDX-License-Identifier: Apache-2.0
// The addresses of warps whose halves access consecutive elements. Only files that are built once
// per instruction set include it.
#pragma once

#include "cpu/exec/families.hpp"
#include "cpu/exec/lanes.hpp"
#include "cpu/exec/patterns.hpp"

namespace cucore::cpu::CUCPU_SIMD {

template <class A, A Step>
CUCPU_INLINE bool has_rows(const A* a) {
  return a[1] - a[0] == Step && is_ramp<Step, LANES / 2>(a) &&
         is_ramp<Step, LANES / 2>(a + LANES / 2);
}

template <class A>
CUCPU_INLINE bool read_rows(const Warp& w, const Op& op, uint64_t size, uint64_t (&first)[2]) {
  const A* a = in<A>(w, op[LoadStore::ADDRESS]);
  const bool good = size == 4    ? has_rows<A, 4>(a)
                    : size == 8  ? has_rows<A, 8>(a)
                    : size == 1  ? has_rows<A, 1>(a)
                    : size == 16 ? has_rows<A, 16>(a)
                                 : size == 2 && has_rows<A, 2>(a);
  first[0] = A(a[0] + A(op.imm));
  first[1] = A(a[LANES / 2] + A(op.imm));
  return good;
}

}  // namespace cucore::cpu::CUCPU_SIMD
