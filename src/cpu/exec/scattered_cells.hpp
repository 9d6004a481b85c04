// SPDX-License-Identifier: Apache-2.0
// The check of cells that are not consecutive, sixteen at a time. Only files that are built once
// per instruction set include it.
#pragma once

#include <type_traits>

#include "cpu/exec/cell_visits.hpp"

namespace cucore::cpu::CUCPU_SIMD {

#if defined(__AVX512CD__)

CUCPU_INLINE Words16 gather(__mmask16 active, __m512i index, const uint32_t* cells) {
  return {_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), active, index, cells, 4)};
}

// Whether the cells of sixteen lanes ascend, as those of arrays do. Then no two are equal.
CUCPU_INLINE bool is_ascending(const uint32_t* cell, __m512i index) {
  constexpr __mmask16 FIRST = 0x7fff;
  const __m512i next = _mm512_maskz_loadu_epi32(FIRST, cell + 1);
  return _mm512_mask_cmplt_epu32_mask(FIRST, index, next) == FIRST;
}
CUCPU_INLINE bool has_equal(__m512i index, __mmask16 active) {
  const __m512i equal = _mm512_maskz_conflict_epi32(active, index);
  return _mm512_mask_test_epi32_mask(active, equal, _mm512_set1_epi32(active)) != 0;
}

// The old sites are not read: a wrong guess of a comparison, or the wait for them, costs more than
// a store. A search for a page with one site reads them later.
template <class Kind>
CUCPU_INLINE void note_sites(const Cells& cells, uint16_t site, const uint32_t* cell,
                             uint32_t good) {
  uint16_t* const sites = Kind::WRITES ? cells.writer_site : cells.reader_site;
  for (uint32_t m = good; m; m &= m - 1) sites[cell[__builtin_ctz(m)]] = site;
  if (!cells.pages || !has_page_sites(cells, Kind::WRITES)) return;
  for (uint32_t m = good; m; m &= m - 1)
    note_site(cells, Kind::WRITES, cell[__builtin_ctz(m)], site);
}

// The cells of sixteen lanes from `first` on. Lanes with equal cells take turns. Returns the lanes
// that need the exact check.
template <class Kind, bool HasSite>
CUCPU_INLINE uint32_t sixteen_cells(const Cells& cells, const Rule& rule, uint16_t site,
                                    const uint32_t* cell, uint32_t first, uint32_t mask,
                                    bool skips) {
  const auto active = __mmask16(mask);
  const __m512i index = _mm512_loadu_si512(cell);
  const bool may_be_equal = active != 0xffff || !is_ascending(cell, index);
  if (!std::is_same_v<Kind, Update> && may_be_equal && has_equal(index, active)) {
    uint32_t unclear = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
      const auto l = uint32_t(__builtin_ctz(m));
      if (!visit_one<Kind>(cells, rule, site, cell[l], first + l))
        unclear |= uint32_t{1} << (first + l);
      if constexpr (!HasSite) note_site(cells, Kind::WRITES, cell[l], site);
    }
    return unclear;
  }
  const Words16 zero = {_mm512_setzero_si512()};
  const Words16 c = skips && !Kind::WRITES ? zero : gather(active, index, cells.writer);
  const Words16 d = skips && Kind::WRITES ? zero : gather(active, index, cells.reader);
  const Words16 mine = Vectors<16>::lanes(first, 0, 0) | rule.mine;
  const Words16 old = Kind::WRITES ? c : d;
  __mmask16 bad = 0, good = active, kept = 0;
  Words16 now = mine | Kind::FLAG;
  if (!are_stale(rule, c, d)) {
    bad = active & Kind::unclear(rule, c, d, mine).bits;
    // Records of several blocks remain, with their instruction.
    good = active & ~bad & ~is_of_several_blocks(rule, old).bits;
    now = Kind::next(rule, old, mine);
    kept = keeps_site<Kind>(rule, old, now, mine).bits;
  }
  uint32_t next[16];
  _mm512_storeu_si512(next, now.value);
  uint32_t* const records = Kind::WRITES ? cells.writer : cells.reader;
  if (good == 0xffff)
    for (int l = 0; l < 16; ++l) records[cell[l]] = next[l];
  else
    for (uint32_t m = good; m; m &= m - 1) records[cell[__builtin_ctz(m)]] = next[__builtin_ctz(m)];
  if constexpr (!HasSite) note_sites<Kind>(cells, site, cell, good & ~kept);
  return uint32_t{bad} << first;
}

// If the lanes are close to each other, the cells of the next warps are behind theirs. Lanes that
// do not take part can have any cell, also those before the first one.
template <class Kind, bool HasSite>
CUCPU_INLINE void prefetch_cells(const Cells& cells, const uint32_t* cell) {
  uint32_t* const records = Kind::WRITES ? cells.writer : cells.reader;
  uint16_t* const sites = Kind::WRITES ? cells.writer_site : cells.reader_site;
  constexpr uint32_t CLOSE = 8 * LANES;
  const uint64_t first = cell[0] + CELLS_AHEAD;
  const uint32_t distance = cell[LANES - 1] - cell[0];
  if (distance < CLOSE) {
    for (uint32_t k = 0; k <= distance; k += 16) __builtin_prefetch(records + first + k, 1);
    for (uint32_t k = 0; !HasSite && k <= distance; k += 32) __builtin_prefetch(sites + first + k);
    return;
  }
  for (int l = 0; l < LANES; ++l) {
    __builtin_prefetch(records + cell[l], 1);
  }
}

template <class Kind, bool HasSite>
CUCPU_INLINE uint32_t scattered_cells(const Cells& cells, const Rule& rule, uint16_t site,
                                      const uint32_t* cell, uint32_t mask) {
  const bool skips = may_skip<Kind>(cells, rule);
  uint32_t unclear = 0;
  for (uint32_t first = 0; first < LANES; first += 16)
    if (const uint32_t part = mask >> first & 0xffff)
      unclear |= sixteen_cells<Kind, HasSite>(cells, rule, site, cell + first, first, part, skips);
  return unclear;
}

#endif

}  // namespace cucore::cpu::CUCPU_SIMD
