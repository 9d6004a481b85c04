// SPDX-License-Identifier: Apache-2.0
// The rules of races, for one record of a cell or for a vector of them. Only files that are built
// once per instruction set include it.
#pragma once

#include "cpu/checks/lane_checks.hpp"
#include "cpu/exec/cell_words.hpp"

namespace cucore::cpu::CUCPU_SIMD {

template <class T>
CUCPU_INLINE auto happened_before(const Rule& r, T c) {
  return (c < r.stale) | (c - r.low <= r.width);
}
template <class T>
CUCPU_INLINE auto is_in(const CellWindow& window, T c) {
  return c - window.low <= window.width;
}
template <class T>
CUCPU_INLINE auto is_of_other_blocks(const Rule& r, T c) {
  return is_in(r.other_blocks[0], c) | is_in(r.other_blocks[1], c);
}
// A reader's record that further reads of the launch do not change.
template <class T>
CUCPU_INLINE auto is_of_several_blocks(const Rule& r, T d) {
  return d - r.several_blocks <= r.several_width;
}
template <class T>
CUCPU_INLINE T plain(T cell) {
  return cell & ~CELL_STRONG;
}

// The three kinds of accesses: whether a cell's writer `c` and reader `d` need the exact check, and
// the new value. `mine` is the value of this lane.
template <bool Strong>
struct Read {
  static constexpr bool WRITES = false;
  static constexpr uint32_t FLAG = Strong ? CELL_STRONG : 0;  // of a first access
  template <class T>
  CUCPU_INLINE static auto unclear(const Rule& r, T c, T d, T mine) {
    const auto writer = happened_before(r, c) | (plain(c) == mine) | ((c & FLAG) != 0);
    const auto reader = happened_before(r, d) | (d >> SEGMENT_SHIFT == mine >> SEGMENT_SHIFT) |
                        (d == r.several_warps) | is_of_several_blocks(r, d) |
                        is_in(r.other_warps, d) | is_of_other_blocks(r, d);
    return no(writer & reader);
  }
  // Readers of several warps or blocks join; the later write of any of them is a race. A strong
  // read leaves the record to weak ones.
  template <class T>
  CUCPU_INLINE static T next(const Rule& r, T d, T mine) {
    const T several = words(r.mine | SEVERAL_LANES, d) | (d & FLAG);
    const T joined = select(plain(d) == mine, T(mine | (d & FLAG)), several);
    const auto recent = no(happened_before(r, d));
    const T warps = Strong ? d : words(r.several_warps, d);
    const T blocks = Strong ? d : words(r.several_blocks, d);
    const T own = select(recent & is_in(r.other_warps, d), warps, T(mine | FLAG));
    const T other = select(recent & is_of_other_blocks(r, d), blocks, own);
    const T now = select(d >> SEGMENT_SHIFT == mine >> SEGMENT_SHIFT, joined, other);
    return select((d == r.several_warps) | is_of_several_blocks(r, d), d, now);
  }
};
struct Write {
  static constexpr bool WRITES = true;
  static constexpr uint32_t FLAG = 0;
  template <class T>
  CUCPU_INLINE static auto unclear(const Rule& r, T c, T d, T mine) {
    const auto writer = happened_before(r, c) | (plain(c) == mine);
    const auto reader = happened_before(r, d) | (plain(d) == mine);
    return no(writer & reader);
  }
  template <class T>
  CUCPU_INLINE static T next(const Rule&, T, T mine) {
    return mine;
  }
};
// Atomic and other strong accesses do not race with each other.
struct Update {
  static constexpr bool WRITES = true;
  static constexpr uint32_t FLAG = CELL_STRONG;
  template <class T>
  CUCPU_INLINE static auto unclear(const Rule& r, T c, T d, T mine) {
    const auto writer = happened_before(r, c) | ((c & CELL_STRONG) != 0) | (c == mine);
    const auto reader = happened_before(r, d) | ((d & CELL_STRONG) != 0) | (d == mine);
    return no(writer & reader);
  }
  template <class T>
  CUCPU_INLINE static T next(const Rule&, T, T mine) {
    return mine | CELL_STRONG;
  }
};

// Whether the new record keeps the instruction of the old one. That of several blocks has the first
// weak read: often the block that joins it writes the cell next, and races with the others only. A
// strong read leaves the records of other warps and blocks.
template <class Kind, class T>
CUCPU_INLINE auto keeps_site(const Rule& r, T old, T now, T mine) {
  if constexpr (Kind::WRITES) {
    return no(now == now);
  } else {
    const auto joined = is_of_several_blocks(r, now) & ((old & CELL_STRONG) == 0);
    const auto own = now >> SEGMENT_SHIFT == mine >> SEGMENT_SHIFT;
    return Kind::FLAG == 0 ? joined : joined | (no(own) & (now == old));
  }
}

}  // namespace cucore::cpu::CUCPU_SIMD
