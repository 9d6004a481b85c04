// SPDX-License-Identifier: Apache-2.0
// The check of lines of cells. Only files that are built once per instruction set include it.
#pragma once

#include "cpu/checks/cell_lines.hpp"
#include "cpu/exec/cell_visits.hpp"

namespace cucore::cpu::CUCPU_SIMD {

// The bits of a word from `first` up to `end`.
CUCPU_INLINE uint64_t bits_of_word(uint64_t first, uint64_t end) {
  const uint64_t low = ~uint64_t{0} << first;
  return end == 64 ? low : low & ((uint64_t{1} << end) - 1);
}

constexpr uint64_t RECORDS_AHEAD = 32;  // words of bits, and lines

// Whether other lanes of this segment read the cells of a line, which then differ.
template <class Kind>
CUCPU_INLINE bool has_other_lanes(uint32_t d, uint32_t mine) {
  return !Kind::WRITES && d >> SEGMENT_SHIFT == mine >> SEGMENT_SHIFT && plain(d) != mine &&
         (d & CELL_LANE) != SEVERAL_LANES;
}

template <class Kind>
CUCPU_INLINE bool lines_of(const Records& all, const Rule& rule, uint16_t site, const Span& s) {
  const Records lines = all;
  const Rule r = rule;
  for (uint32_t k = 0; k < s.count; ++k) {
    const uint64_t line = s.first + k;
    const uint32_t c = lines.writer[line], d = lines.reader[line];
    const uint32_t mine = r.mine | line_code(s.lane + (k << (LINE_SHIFT - s.shift)), s.shift);
    if (c == DIVIDED) return false;
    const uint32_t old = Kind::WRITES ? c : d;
    uint32_t now = mine | Kind::FLAG;  // of the first access
    bool keeps = false;
    if (!(happened_before(r, c) & happened_before(r, d))) {
      if (has_other_lanes<Kind>(d, mine) || Kind::unclear(r, c, d, mine)) return false;
      now = Kind::next(r, old, mine);
      keeps = keeps_site<Kind>(r, old, now, mine);
    }
    (Kind::WRITES ? lines.writer : lines.reader)[line] = now;
    if (!keeps) (Kind::WRITES ? lines.writer_site : lines.reader_site)[line] = site;
  }
  return true;
}

// Whether all lines of the cells are divided.
CUCPU_INLINE bool are_divided(const Cells& cells, uint64_t first, uint64_t count) {
  bool are = true;
  for (uint64_t line = first >> LINE_SHIFT; line <= (first + count - 1) >> LINE_SHIFT; ++line)
    are &= cells.lines.writer[line] == DIVIDED;
  return are;
}

// Whether the pages of the cells have the site.
template <class Kind>
CUCPU_INLINE bool have_page_site(const Cells& cells, uint64_t first, uint64_t last, uint16_t site) {
  const PageSites &a = cells.pages[first >> PAGE_SHIFT], &b = cells.pages[last >> PAGE_SHIFT];
  const uint32_t wanted = PAGE_HAS_SITE | site;
  return (Kind::WRITES ? a.writer : a.reader) == wanted &&
         (Kind::WRITES ? b.writer : b.reader) == wanted;
}

// Looks for a page with the site of the instruction from time to time.
CUCPU_INLINE void search_page(PageSearches& searches, const Cells& cells, bool is_writer,
                              uint64_t cell, uint16_t site) {
  if (searches.is_due()) [[unlikely]]
    searches.note(find_page_site(cells, is_writer, cell, site));
}

// Checks and records cells of lines that are divided. Returns false, and records a part at most, if
// there are other lines, or cells that need the exact check.
template <class Kind>
CUCPU_INLINE bool visit_divided(const Cells& all, const Rule& rule, uint16_t site, const Span& row,
                                PageSearches& searches) {
  const Cells cells = all;  // copies, which stores to the cells do not alias
  const Rule r = rule;
  const bool has_site = have_page_site<Kind>(cells, row.first, row.first + row.count - 1, site);
  if (!has_site && !are_divided(cells, row.first, row.count)) return false;
  if (!Kind::WRITES && are_of_several<WIDEST>(cells, r, row.first, row.count)) return true;
  bool has_written = false;
  if (has_site) return visit_parts<Kind, WIDEST, true>(cells, r, site, row, has_written) == 0;
  if (visit_span<Kind, WIDEST>(cells, r, site, row) != 0) return false;
  search_page(searches, cells, Kind::WRITES, row.first, site);
  return true;
}

// Records lines whose last accesses are all older than the launch, of the block before its last
// synchronisation, or of the same lanes. A read of several blocks remains. Returns false, and
// records a part at most, if another line is among them.
template <class Kind>
CUCPU_INLINE bool renew_lines(const Records& lines, const Rule& r, uint16_t site, const Span& s) {
  const uint32_t stale = r.stale, low = r.low, width = r.width, mine = r.mine | Kind::FLAG;
  const uint32_t several = r.several_blocks, several_width = r.several_width;
  uint32_t* const records = Kind::WRITES ? lines.writer : lines.reader;
  uint16_t* const sites = Kind::WRITES ? lines.writer_site : lines.reader_site;
  uint32_t code = line_code(s.lane, s.shift);
  __builtin_prefetch(lines.writer + s.first + RECORDS_AHEAD, Kind::WRITES);
  __builtin_prefetch(lines.reader + s.first + RECORDS_AHEAD, !Kind::WRITES);
  __builtin_prefetch(sites + s.first + RECORDS_AHEAD, 1);
#pragma GCC unroll 2
  for (uint64_t line = s.first; line < s.first + s.count; ++line, ++code) {
    const uint32_t c = lines.writer[line], d = lines.reader[line], now = mine | code;
    if (c == DIVIDED || !((c < stale) | (c - low <= width) | (c == now))) return false;
    const bool remains = !Kind::WRITES && d - several <= several_width;
    if (!(remains | (d < stale) | (d - low <= width) | (d == now))) return false;
    if (remains) continue;
    records[line] = now;
    if (sites[line] != site) sites[line] = site;
  }
  return true;
}

}  // namespace cucore::cpu::CUCPU_SIMD
