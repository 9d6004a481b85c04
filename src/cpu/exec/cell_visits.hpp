// SPDX-License-Identifier: Apache-2.0
// The check of cells: one, eight or sixteen at a time. Only files that are built once per
// instruction set include it.
#pragma once

#include "cpu/checks/cell_pages.hpp"
#include "cpu/exec/cell_rules.hpp"

namespace cucore::cpu::CUCPU_SIMD {

// Whether all writers, for a read, or all readers, for a write, happened before the launch.
template <class Kind>
CUCPU_INLINE bool may_skip(const Cells& cells, const Rule& r) {
  if (!cells.ends) return false;
  const std::atomic<uint32_t>& end = Kind::WRITES ? cells.ends->reader : cells.ends->writer;
  return end.load(std::memory_order_relaxed) <= r.stale;
}
template <class Kind>
CUCPU_INLINE void note_end(const Cells& cells, const Rule& r) {
  if (cells.ends) RecordEnds::note(Kind::WRITES ? cells.ends->writer : cells.ends->reader, r.end);
}

// The caller notes the site for the page of the cell. `skips`: see may_skip().
template <class Kind>
CUCPU_INLINE bool visit_one(const Cells& cells, const Rule& r, uint16_t site, uint64_t cell,
                            uint32_t lane, bool skips = false) {
  const uint32_t c = skips && !Kind::WRITES ? 0 : cells.writer[cell];
  const uint32_t d = skips && Kind::WRITES ? 0 : cells.reader[cell];
  const uint32_t mine = r.mine | lane;
  if (Kind::unclear(r, c, d, mine)) return false;
  const uint32_t old = Kind::WRITES ? c : d, now = Kind::next(r, old, mine);
  (Kind::WRITES ? cells.writer : cells.reader)[cell] = now;
  if (!keeps_site<Kind>(r, old, now, mine))
    (Kind::WRITES ? cells.writer_site : cells.reader_site)[cell] = site;
  return true;
}

// Visits the cells one by one. Returns the lanes of those that need the exact check.
template <class Kind>
CUCPU_INLINE uint32_t visit_cells(const Cells& cells, const Rule& r, uint16_t site, const Span& s,
                                  uint32_t k, uint32_t end, bool skips = false) {
  uint32_t unclear = 0;
  for (; k < end; ++k)
    if (!visit_one<Kind>(cells, r, site, s.first + k, s.lane + (k >> s.shift), skips))
      unclear |= uint32_t{1} << (k >> s.shift);
  return unclear;
}

// Whether all records are older than the launch, and those that can be in question. Then the new
// ones are first accesses.
template <class T>
CUCPU_INLINE bool are_stale(const Rule& r, T c, T d) {
  return !any(no((c < r.stale) & (d < r.stale)));
}

// Warps of the next block usually continue where those of this one end.
constexpr uint64_t CELLS_AHEAD = 512;

// Does the same for `Width` cells at once. `skips`: see may_skip(). `HasSite`: the pages of the
// cells have the site already. Sets `has_written` if a cell receives the site.
template <class Kind, uint32_t Width, bool HasSite>
CUCPU_INLINE uint32_t visit_part(const Cells& cells, const Rule& r, uint16_t site, const Span& s,
                                 uint32_t k, bool skips, bool& has_written) {
  using V = Vectors<Width>;
  using Words = typename V::Words;
  const uint64_t first = s.first + k;
  const Words c = skips && !Kind::WRITES ? Words{} : V::load(cells.writer + first);
  const Words d = skips && Kind::WRITES ? Words{} : V::load(cells.reader + first);
  __builtin_prefetch((Kind::WRITES ? cells.writer : cells.reader) + first + CELLS_AHEAD, 1);
  if constexpr (!HasSite)
    __builtin_prefetch((Kind::WRITES ? cells.writer_site : cells.reader_site) + first + CELLS_AHEAD,
                       1);
  const Words mine = V::lanes(s.lane, s.shift, k) | words(r.mine, c);
  const bool is_first = are_stale(r, c, d);
  if (!is_first && any(Kind::unclear(r, c, d, mine))) [[unlikely]] {
    has_written = true;
    return visit_cells<Kind>(cells, r, site, s, k, k + Width, skips);
  }
  const Words old = Kind::WRITES ? c : d,
              now = is_first ? mine | Kind::FLAG : Kind::next(r, old, mine);
  V::store((Kind::WRITES ? cells.writer : cells.reader) + first, now);
  if constexpr (!HasSite) {
    uint16_t* const sites = (Kind::WRITES ? cells.writer_site : cells.reader_site) + first;
    const auto kept = keeps_site<Kind>(r, old, now, mine);
    if (is_first || !any(kept))
      V::store_sites(sites, site);
    else
      V::store_other_sites(sites, site, kept);
    has_written |= is_first || any(no(kept));
  }
  return 0;
}

template <class Kind, uint32_t Width, bool HasSite>
CUCPU_INLINE uint32_t visit_parts(const Cells& cells, const Rule& r, uint16_t site, const Span& s,
                                  bool& has_written) {
  uint32_t unclear = 0;
  const bool skips = may_skip<Kind>(cells, r);
  for (uint32_t k = 0; k < s.count; k += Width)
    unclear |= visit_part<Kind, Width, HasSite>(cells, r, site, s, k, skips, has_written);
  return unclear;
}

// Whether several blocks have read the cells before, and no thread has written them. Then a
// further read changes nothing.
template <uint32_t Width>
CUCPU_INLINE bool are_of_several(const Cells& cells, const Rule& r, uint64_t first,
                                 uint32_t count) {
  using V = Vectors<Width>;
  if (!may_skip<Read<false>>(cells, r)) return false;
  for (uint32_t k = 0; k < count; k += Width)
    if (any(no(is_of_several_blocks(r, V::load(cells.reader + first + k))))) return false;
  return true;
}

// A span is shorter than a page.
CUCPU_INLINE void note_sites(const Cells& cells, bool is_writer, const Span& s, uint16_t site) {
  note_site(cells, is_writer, s.first, site);
  note_site(cells, is_writer, s.first + s.count - 1, site);
}

template <class Kind, uint32_t Width>
CUCPU_INLINE uint32_t visit_span(const Cells& cells, const Rule& r, uint16_t site, const Span& s) {
  bool has_written = false;
  const uint32_t unclear = visit_parts<Kind, Width, false>(cells, r, site, s, has_written);
  if (has_written) note_sites(cells, Kind::WRITES, s, site);
  return unclear;
}

template <class Kind>
uint32_t span_of(const Cells& all, const Rule& rule, uint16_t site, const Span& s) {
  const Cells cells = all;  // copies, which stores to the cells do not alias
  const Rule r = rule;
  note_end<Kind>(cells, r);
  if (s.count % WIDEST == 0) return visit_span<Kind, WIDEST>(cells, r, site, s);
  if (s.count % 8 == 0) return visit_span<Kind, 8>(cells, r, site, s);
  const uint32_t unclear = visit_cells<Kind>(cells, r, site, s, 0, s.count);
  note_sites(cells, Kind::WRITES, s, site);
  return unclear;
}

}  // namespace cucore::cpu::CUCPU_SIMD
