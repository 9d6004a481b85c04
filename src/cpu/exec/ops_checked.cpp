// SPDX-License-Identifier: Apache-2.0
// The vector part of the checks: addresses of a warp and their pattern, and ranges of cells.
#include <type_traits>

#include "cpu/checks/cell_lines.hpp"
#include "cpu/checks/cell_pages.hpp"
#include "cpu/checks/lane_checks.hpp"
#include "cpu/exec/cell_rules.hpp"
#include "cpu/exec/families.hpp"
#include "cpu/exec/lanes.hpp"
#include "cpu/exec/patterns.hpp"

namespace cucore::cpu::CUCPU_SIMD {
namespace {

template <uint64_t Step, int Count>
Pattern pattern_of(const uint64_t* a) {
  const uint64_t step = a[1] - a[0];
  if (step == Step && is_ramp<Step, Count>(a)) return Pattern::CONSECUTIVE;
  return step == 0 && is_ramp<uint64_t{0}, Count>(a) ? Pattern::EQUAL : Pattern::LANES;
}

template <uint64_t Step>
void find_patterns(Lanes& lanes) {
  lanes.whole = pattern_of<Step, LANES>(lanes.addresses);
  if (lanes.whole != Pattern::LANES) return;
  for (int part = 0; part < 4; ++part)
    lanes.parts[part] = pattern_of<Step, 8>(lanes.addresses + part * 8);
}

void find_patterns(uint32_t mask, uint64_t size, Lanes& lanes) {
  lanes.whole = Pattern::LANES;
  for (Pattern& part : lanes.parts) part = Pattern::LANES;
  if (mask != FULL_MASK) return;
  switch (size) {
    case 1:
      return find_patterns<1>(lanes);
    case 2:
      return find_patterns<2>(lanes);
    case 4:
      return find_patterns<4>(lanes);
    case 8:
      return find_patterns<8>(lanes);
    case 16:
      return find_patterns<16>(lanes);
    default:
      return;
  }
}

template <class A>
void read_addresses(const Warp& w, const Op& op, uint64_t base, Lanes& lanes) {
  const A* registers = in<A>(w, op[LoadStore::ADDRESS]);
  const A offset = A(op.imm);
  const uint64_t some = base + A(registers[__builtin_ctz(w.mask)] + offset);
  const uint32_t m = w.mask;
  uint64_t low = some, high = some, any = some;
  for (int l = 0; l < LANES; ++l) {
    const uint64_t mine = base + A(registers[l] + offset);
    const uint64_t a = (m >> l & 1) ? mine : some;
    lanes.addresses[l] = a;
    low = a < low ? a : low;
    high = a > high ? a : high;
    any |= a;
  }
  lanes.low = low;
  lanes.high = high;
  lanes.any = any;
}

void addresses(const Warp& w, const Op& op, uint64_t size, bool narrow, uint64_t base,
               Lanes& lanes) {
  if (narrow)
    read_addresses<uint32_t>(w, op, base, lanes);
  else
    read_addresses<uint64_t>(w, op, base, lanes);
  find_patterns(w.mask, size, lanes);
}

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

bool rows(const Warp& w, const Op& op, uint64_t size, bool is_narrow, uint64_t (&first)[2]) {
  return is_narrow ? read_rows<uint32_t>(w, op, size, first)
                   : read_rows<uint64_t>(w, op, size, first);
}

// Returns whether all addresses have 32 bits.
template <class A>
bool read_narrow(const Warp& w, const Op& op, uint32_t* addresses, NarrowRange& range) {
  const A* registers = in<A>(w, op[LoadStore::ADDRESS]);
  const auto offset = A(op.imm);
  const A some = registers[__builtin_ctz(w.mask)] + offset;
  const uint32_t m = w.mask;
  auto low = uint32_t(some), high = low;
  A any = some;
  for (int l = 0; l < LANES; ++l) {
    const A mine = registers[l] + offset;
    const A wide = (m >> l & 1) ? mine : some;
    const auto a = uint32_t(wide);
    addresses[l] = a;
    low = a < low ? a : low;
    high = a > high ? a : high;
    any |= wide;
  }
  range = {low, high, uint32_t(any)};
  return any <= ~uint32_t{0};
}

bool narrow(const Warp& w, const Op& op, bool is_narrow, uint32_t* addresses, NarrowRange& range) {
  if (is_narrow) return read_narrow<uint32_t>(w, op, addresses, range);
  return read_narrow<uint64_t>(w, op, addresses, range);
}

void widen(const uint32_t* addresses, uint32_t mask, uint64_t size, Lanes& lanes) {
  uint64_t low = addresses[0], high = low, any = low;
  for (int l = 0; l < LANES; ++l) {
    const uint64_t a = addresses[l];
    lanes.addresses[l] = a;
    low = a < low ? a : low;
    high = a > high ? a : high;
    any |= a;
  }
  lanes.low = low;
  lanes.high = high;
  lanes.any = any;
  find_patterns(mask, size, lanes);
}

// ---- cells: one, eight or sixteen at a time

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
  (Kind::WRITES ? cells.writer : cells.reader)[cell] = Kind::next(r, Kind::WRITES ? c : d, mine);
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
// cells have the site already.
template <class Kind, uint32_t Width, bool HasSite>
CUCPU_INLINE uint32_t visit_part(const Cells& cells, const Rule& r, uint16_t site, const Span& s,
                                 uint32_t k, bool skips) {
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
  if (!is_first && any(Kind::unclear(r, c, d, mine))) [[unlikely]]
    return visit_cells<Kind>(cells, r, site, s, k, k + Width, skips);
  V::store((Kind::WRITES ? cells.writer : cells.reader) + first,
           is_first ? mine | Kind::FLAG : Kind::next(r, Kind::WRITES ? c : d, mine));
  if constexpr (!HasSite)
    V::store_sites((Kind::WRITES ? cells.writer_site : cells.reader_site) + first, site);
  return 0;
}

template <class Kind, uint32_t Width, bool HasSite>
CUCPU_INLINE uint32_t visit_parts(const Cells& cells, const Rule& r, uint16_t site, const Span& s) {
  uint32_t unclear = 0;
  const bool skips = may_skip<Kind>(cells, r);
  for (uint32_t k = 0; k < s.count; k += Width)
    unclear |= visit_part<Kind, Width, HasSite>(cells, r, site, s, k, skips);
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
  const uint32_t unclear = visit_parts<Kind, Width, false>(cells, r, site, s);
  note_sites(cells, Kind::WRITES, s, site);
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

// ---- lines

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
    uint32_t now = mine | Kind::FLAG;  // of the first access
    if (!(happened_before(r, c) & happened_before(r, d))) {
      if (has_other_lanes<Kind>(d, mine) || Kind::unclear(r, c, d, mine)) return false;
      now = Kind::next(r, Kind::WRITES ? c : d, mine);
    }
    (Kind::WRITES ? lines.writer : lines.reader)[line] = now;
    (Kind::WRITES ? lines.writer_site : lines.reader_site)[line] = site;
  }
  return true;
}

bool lines(const Cells& cells, const Rule& r, uint16_t site, const Span& s, CellAccess access) {
  const Records& all = cells.lines;
  switch (access) {
    case CellAccess::READ:
      return note_end<Read<false>>(cells, r), lines_of<Read<false>>(all, r, site, s);
    case CellAccess::STRONG_READ:
      return note_end<Read<true>>(cells, r), lines_of<Read<true>>(all, r, site, s);
    case CellAccess::WRITE:
      return note_end<Write>(cells, r), lines_of<Write>(all, r, site, s);
    default:
      return note_end<Update>(cells, r), lines_of<Update>(all, r, site, s);
  }
}

uint32_t span(const Cells& cells, const Rule& r, uint16_t site, const Span& s, CellAccess access) {
  switch (access) {
    case CellAccess::READ:
      return span_of<Read<false>>(cells, r, site, s);
    case CellAccess::STRONG_READ:
      return span_of<Read<true>>(cells, r, site, s);
    case CellAccess::WRITE:
      return span_of<Write>(cells, r, site, s);
    default:
      return span_of<Update>(cells, r, site, s);
  }
}

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

// Kernels run again and again, so most sites are already those of the instruction. A store of equal
// ones would only move more memory.
template <class Kind>
CUCPU_INLINE void note_sites(const Cells& cells, uint16_t site, const uint32_t* cell,
                             uint32_t good) {
  uint16_t* const sites = Kind::WRITES ? cells.writer_site : cells.reader_site;
  if (good == 0xffff) {
    for (int l = 0; l < 16; ++l)
      if (sites[cell[l]] != site) [[unlikely]]
        record_site(cells, Kind::WRITES, cell[l], site);
    return;
  }
  for (uint32_t m = good; m; m &= m - 1)
    if (const uint32_t at = cell[__builtin_ctz(m)]; sites[at] != site)
      record_site(cells, Kind::WRITES, at, site);
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
  __mmask16 bad = 0, good = active;
  Words16 now = mine | Kind::FLAG;
  if (!are_stale(rule, c, d)) {
    bad = active & Kind::unclear(rule, c, d, mine).bits;
    // Records of several blocks remain, with their instruction.
    good = active & ~bad & ~is_of_several_blocks(rule, old).bits;
    now = Kind::next(rule, old, mine);
  }
  uint32_t next[16];
  _mm512_storeu_si512(next, now.value);
  uint32_t* const records = Kind::WRITES ? cells.writer : cells.reader;
  if (good == 0xffff)
    for (int l = 0; l < 16; ++l) records[cell[l]] = next[l];
  else
    for (uint32_t m = good; m; m &= m - 1) records[cell[__builtin_ctz(m)]] = next[__builtin_ctz(m)];
  if constexpr (!HasSite) note_sites<Kind>(cells, site, cell, good);
  return uint32_t{bad} << first;
}

// If the lanes are close to each other, the cells of the next warps are behind theirs.
template <class Kind, bool HasSite>
CUCPU_INLINE void prefetch_cells(const Cells& cells, const uint32_t* cell) {
  uint32_t* const records = Kind::WRITES ? cells.writer : cells.reader;
  uint16_t* const sites = Kind::WRITES ? cells.writer_site : cells.reader_site;
  constexpr uint32_t CLOSE = 8 * LANES;
  const uint32_t first = cell[0], last = cell[LANES - 1];
  if (last - first < CLOSE) {
    for (uint32_t at = first + CELLS_AHEAD; at <= last + CELLS_AHEAD; at += 16)
      __builtin_prefetch(records + at, 1);
    for (uint32_t at = first + CELLS_AHEAD; !HasSite && at <= last + CELLS_AHEAD; at += 32)
      __builtin_prefetch(sites + at);
    return;
  }
  for (int l = 0; l < LANES; ++l) {
    __builtin_prefetch(records + cell[l], 1);
    if constexpr (!HasSite) __builtin_prefetch(sites + cell[l]);
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

template <class Kind>
struct LaneVisitor {
  const Cells cells;
  const Rule rule;
  const uint16_t site;
  const Lanes& lanes;
  const uint64_t base;
  const uint32_t count;  // cells of a lane

  CUCPU_INLINE uint64_t cell(int l) const { return (lanes.addresses[l] - base) >> cells.shift; }
  CUCPU_INLINE bool one(int l, uint32_t lane) const {
    bool clear = true;
    for (uint32_t k = 0; k < count; ++k)
      clear &= visit_one<Kind>(cells, rule, site, cell(l) + k, lane);
    note_sites(cells, Kind::WRITES, {cell(l), count, 0, 0}, site);
    return clear;
  }
  CUCPU_INLINE uint32_t part(int first, bool shared_lanes) const {
    const Pattern pattern = lanes.parts[first / 8];
    if (pattern == Pattern::EQUAL && !Kind::WRITES)
      return one(first, SEVERAL_LANES) ? 0 : 0xffu << first;
    if (pattern == Pattern::CONSECUTIVE && count == 1) {
      const Span s = shared_lanes ? Span{cell(first), 8, 31, SEVERAL_LANES}
                                  : Span{cell(first), 8, 0, uint32_t(first)};
      return visit_span<Kind, 8>(cells, rule, site, s) ? 0xffu << first : 0;
    }
    return separate(0xffu << first);
  }
  CUCPU_INLINE uint32_t one_by_one(uint32_t mask) const {
    uint32_t unclear = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
      const int l = __builtin_ctz(m);
      unclear |= uint32_t{!one(l, uint32_t(l))} << l;
    }
    return unclear;
  }
#if defined(__AVX512CD__)
  CUCPU_INLINE uint32_t separate(uint32_t mask) const {
    uint32_t index[LANES], unclear = 0;
    for (uint32_t k = 0; k < count; ++k) {
      for (int l = 0; l < LANES; ++l) index[l] = uint32_t(cell(l) + k);
      prefetch_cells<Kind, false>(cells, index);
      unclear |= scattered_cells<Kind, false>(cells, rule, site, index, mask);
    }
    return unclear;
  }
#else
  CUCPU_INLINE uint32_t separate(uint32_t mask) const { return one_by_one(mask); }
#endif
  CUCPU_INLINE bool same_part(int a, int b) const {
    return lanes.parts[a] == lanes.parts[b] && lanes.parts[a] != Pattern::LANES &&
           lanes.addresses[a * 8] == lanes.addresses[b * 8];
  }
  // Rows of a tile read the same cells, which are visited once.
  CUCPU_INLINE uint32_t reading_parts() const {
    uint32_t unclear = 0;
    for (int p = 0; p < 4; ++p) {
      bool done = false, shared_lanes = false;
      for (int q = 0; q < p; ++q) done |= same_part(p, q);
      for (int q = p + 1; q < 4; ++q) shared_lanes |= same_part(p, q);
      if (!done) unclear |= part(p * 8, shared_lanes);
    }
    return unclear;
  }
  CUCPU_INLINE uint32_t run(uint32_t mask) const {
    uint32_t unclear = 0;
    if (mask != FULL_MASK || !has_parts()) return separate(mask);
    if (!Kind::WRITES && count == 1) return reading_parts();
    for (int first = 0; first < LANES; first += 8) unclear |= part(first, false);
    return unclear;
  }
  CUCPU_INLINE bool has_parts() const {
    bool any = false;
    for (const Pattern pattern : lanes.parts) any |= pattern != Pattern::LANES;
    return any;
  }
};

template <class Kind>
uint32_t lanes_of(const Cells& cells, const Rule& rule, uint16_t site, const Lanes& lanes,
                  uint32_t mask, uint64_t base, uint64_t size) {
  const auto count = uint32_t((size + (uint64_t{1} << cells.shift) - 1) >> cells.shift);
  note_end<Kind>(cells, rule);
  if (count == 1) return LaneVisitor<Kind>{cells, rule, site, lanes, base, 1}.run(mask);
  return LaneVisitor<Kind>{cells, rule, site, lanes, base, count}.run(mask);
}

uint32_t lanes(const Cells& cells, const Rule& rule, uint16_t site, const Lanes& a, uint32_t mask,
               uint64_t base, uint64_t size, CellAccess access) {
  switch (access) {
    case CellAccess::READ:
      return lanes_of<Read<false>>(cells, rule, site, a, mask, base, size);
    case CellAccess::STRONG_READ:
      return lanes_of<Read<true>>(cells, rule, site, a, mask, base, size);
    case CellAccess::WRITE:
      return lanes_of<Write>(cells, rule, site, a, mask, base, size);
    default:
      return lanes_of<Update>(cells, rule, site, a, mask, base, size);
  }
}

// ---- usual accesses of global memory

CUCPU_INLINE uint64_t bits_of_word(uint64_t first, uint64_t end) {
  const uint64_t low = ~uint64_t{0} << first;
  return end == 64 ? low : low & ((uint64_t{1} << end) - 1);
}

// Calls `visit` with each word that has bits of the range, and with the bits, until it returns
// false.
template <class F>
CUCPU_INLINE bool each_word(std::atomic<uint64_t>* bits, uint64_t first, uint64_t count, F visit) {
  auto* words = reinterpret_cast<uint64_t*>(bits);
  for (const uint64_t end = first + count; first < end;) {
    const uint64_t begin = first % 64, rest = end - first;
    const uint64_t stop = rest < 64 - begin ? begin + rest : 64;
    if (!visit(words + first / 64, bits_of_word(begin, stop))) return false;
    first += stop - begin;
  }
  return true;
}

constexpr uint64_t RECORDS_AHEAD = 32;  // words of bits, and lines

// Returns false if bytes that are loaded are uninitialised.
CUCPU_INLINE bool initialisation(const RowAccess& a, uint64_t offset, uint64_t bytes) {
  std::atomic<uint64_t>* bits = a.site.initialised;
  if (!bits || (a.is_unused && !a.is_store)) return true;
  __builtin_prefetch(bits + offset / 64 + RECORDS_AHEAD);
  return each_word(bits, offset, bytes, [&](uint64_t* word, uint64_t mask) {
    const bool is_set = (__atomic_load_n(word, __ATOMIC_RELAXED) & mask) == mask;
    if (a.is_store && !is_set) __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
    return is_set || a.is_store;
  });
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
CUCPU_INLINE void search_page(const RowAccess& a, uint64_t cell) {
  if (a.searches.is_due()) [[unlikely]]
    a.searches.note(find_page_site(*a.site.cells, a.is_store, cell, a.op_site));
}

// Whether all lines of the cells are divided.
CUCPU_INLINE bool are_divided(const Cells& cells, uint64_t first, uint64_t count) {
  bool are = true;
  for (uint64_t line = first >> LINE_SHIFT; line <= (first + count - 1) >> LINE_SHIFT; ++line)
    are &= cells.lines.writer[line] == DIVIDED;
  return are;
}

// Records lines whose last accesses are all older than the launch, or of the block before its last
// synchronisation. A read of several blocks remains. Returns false, and records a part at most, if
// another line is among them.
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
  for (uint64_t line = s.first; line < s.first + s.count; ++line, ++code) {
    const uint32_t c = lines.writer[line], d = lines.reader[line];
    if (c == DIVIDED || !((c < stale) | (c - low <= width))) return false;
    const bool remains = !Kind::WRITES && d - several <= several_width;
    if (!(remains | (d < stale) | (d - low <= width))) return false;
    if (!remains) records[line] = mine | code;
    if (sites[line] != site) sites[line] = site;
  }
  return true;
}

// Consecutive lanes from `lane` on: whole lines, or cells of lines that are divided.
template <class Kind>
CUCPU_INLINE bool visit_row(const RowAccess& a, uint64_t offset, uint64_t bytes, uint32_t lane) {
  const Cells& cells = *a.site.cells;
  if (a.size >> cells.shift == 0) return false;
  const auto shift = uint32_t(__builtin_ctzll(a.size)) - cells.shift;
  const Span span{offset >> cells.shift, uint32_t(bytes >> cells.shift), shift, lane};
  note_end<Kind>(cells, a.rule);
  const bool are_whole = shift <= MOST_LINE_SHIFT && span.first % LINE_CELLS == 0;
  if (are_whole && cells.lines.writer[span.first >> LINE_SHIFT] != DIVIDED) {
    const Span whole{span.first >> LINE_SHIFT, span.count >> LINE_SHIFT, shift, lane};
    if (Kind::WRITES) note_lines(cells, span.first, span.count);
    if (renew_lines<Kind>(cells.lines, a.rule, a.op_site, whole) ||
        lines_of<Kind>(cells.lines, a.rule, a.op_site, whole))
      return true;
  }
  const Cells copy = cells;  // copies, which stores to the cells do not alias
  const Rule rule = a.rule;
  const bool have_site =
      have_page_site<Kind>(cells, span.first, span.first + span.count - 1, a.op_site);
  if (!have_site && !are_divided(cells, span.first, span.count)) return false;
  if (!Kind::WRITES && are_of_several<WIDEST>(copy, rule, span.first, span.count)) return true;
  if (have_site) return visit_parts<Kind, WIDEST, true>(copy, rule, a.op_site, span) == 0;
  if (visit_span<Kind, WIDEST>(copy, rule, a.op_site, span) != 0) return false;
  search_page(a, span.first);
  return true;
}

CUCPU_INLINE bool visit_run(const RowAccess& a, uint64_t offset, uint64_t bytes, uint32_t lane) {
  if (!initialisation(a, offset, bytes)) return false;
  if (!a.site.cells) return true;
  return a.is_store ? visit_row<Write>(a, offset, bytes, lane)
                    : visit_row<Read<false>>(a, offset, bytes, lane);
}

// Consecutive lanes in shared memory.
CUCPU_INLINE bool visit_shared(const RowAccess& a, uint64_t offset, uint64_t bytes, uint32_t lane) {
  if (!initialisation(a, offset, bytes)) return false;
  if (!a.site.cells) return true;
  const Cells& cells = *a.site.cells;
  if (a.size >> cells.shift == 0) return false;
  const auto shift = uint32_t(__builtin_ctzll(a.size)) - cells.shift;
  const Span span{offset >> cells.shift, uint32_t(bytes >> cells.shift), shift, lane};
  return (a.is_store ? span_of<Write>(cells, a.rule, a.op_site, span)
                     : span_of<Read<false>>(cells, a.rule, a.op_site, span)) == 0;
}

// A row of the whole warp, or one of each half.
template <class A, class F>
CUCPU_INLINE bool visit_rows(const Warp& w, const Op& op, const RowAccess& a, F visit) {
  uint64_t first[2];
  if (!read_rows<A>(w, op, a.size, first) || ((first[0] | first[1]) & (a.size - 1))) return false;
  const uint64_t bytes = a.size * (LANES / 2);
  if (a.high - a.low < bytes) return false;
  const uint64_t start = a.site.base + a.low, last = a.high - a.low - bytes;
  if (first[0] - start > last || first[1] - start > last) return false;
  const uint64_t offset = first[0] - a.site.base;
  if (first[1] - first[0] == bytes) return visit(a, offset, bytes * 2, 0);
  return visit(a, offset, bytes, 0) && visit(a, first[1] - a.site.base, bytes, LANES / 2);
}

// Loads of all lanes from one address and the elements behind it, each with its site.
CUCPU_INLINE bool visit_elements(const RowAccess& a, uint64_t address, const uint16_t* sites,
                                 uint32_t loads) {
  const uint64_t offset = address - a.site.base, bytes = a.size * loads;
  if (a.site.size < bytes || offset > a.site.size - bytes || (address & (a.size - 1))) return false;
  if (!initialisation(a, offset, bytes)) return false;
  if (!a.site.cells) return true;
  const Cells& cells = *a.site.cells;
  const uint32_t each = a.size >> cells.shift ? uint32_t(a.size >> cells.shift) : 1;
  const uint64_t first = offset >> cells.shift;
  const auto count = uint32_t(((offset + bytes - 1) >> cells.shift) - first + 1);
  note_end<Read<false>>(cells, a.rule);
  if (!are_divided(cells, first, count)) return false;
  const bool skips = may_skip<Read<false>>(cells, a.rule);
  bool are_of_several = skips;
  for (uint32_t k = 0; k < count; ++k)
    are_of_several &= is_of_several_blocks(a.rule, cells.reader[first + k]);
  if (are_of_several) return true;
  for (uint32_t load = 0; load < loads; ++load) {
    const uint64_t cell = (offset + load * a.size) >> cells.shift;
    const Span span{cell, each, 31, SEVERAL_LANES};
    const uint32_t unclear =
        visit_cells<Read<false>>(cells, a.rule, sites[load], span, 0, each, skips);
    note_sites(cells, false, span, sites[load]);
    if (unclear) return false;
  }
  return true;
}

[[gnu::noinline]] bool visit_equal(const RowAccess& a, uint64_t address) {
  return visit_elements(a, address, &a.op_site, 1);
}

#if defined(__AVX512CD__)
// The offsets of 16 lanes. Returns whether their bytes are initialised.
CUCPU_INLINE bool are_initialised(const RowAccess& a, __m512i offsets, __mmask16 active) {
  const __m512i words = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), active,
                                                    _mm512_maskz_srli_epi32(active, offsets, 5),
                                                    a.site.initialised, 4);
  const __m512i ones = _mm512_set1_epi32(int((1u << a.size) - 1));
  const __m512i bits =
      _mm512_maskz_srlv_epi32(active, words, _mm512_and_si512(offsets, _mm512_set1_epi32(31)));
  return _mm512_mask_cmpneq_epi32_mask(active, _mm512_and_si512(bits, ones), ones) == 0;
}

// Writes the offsets of the lanes in the site. Those of inactive lanes are that of an active one.
// Returns false if an access is not inside or not aligned.
CUCPU_INLINE bool read_offsets(const Warp& w, const Op& op, const RowAccess& a,
                               uint32_t (&offsets)[LANES]) {
  if (a.site.size < a.size || a.site.size >> 32) return false;
  const uint64_t* registers = in<uint64_t>(w, op[LoadStore::ADDRESS]);
  const __m512i last = _mm512_set1_epi64(int64_t(a.site.size - a.size));
  const __m512i base = _mm512_set1_epi64(int64_t(a.site.base));
  const __m512i imm = _mm512_set1_epi64(int64_t(op.imm));
  const __m512i some = _mm512_set1_epi64(int64_t(registers[__builtin_ctz(w.mask)]));
  const __m512i low_bits = _mm512_set1_epi64(int64_t(a.size - 1));
  uint32_t bad = 0;
  for (uint32_t first = 0; first < LANES; first += 8) {
    const auto active = __mmask8(w.mask >> first);
    const __m512i own = _mm512_mask_loadu_epi64(some, active, registers + first);
    const __m512i address = _mm512_add_epi64(own, imm);
    const __m512i offset = _mm512_sub_epi64(address, base);
    bad |= _mm512_mask_cmpgt_epu64_mask(active, offset, last) |
           _mm512_mask_test_epi64_mask(active, address, low_bits);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(offsets + first),
                        _mm512_maskz_cvtepi64_epi32(0xff, offset));
  }
  return bad == 0;
}

CUCPU_INLINE bool are_all_initialised(const RowAccess& a, const uint32_t (&offsets)[LANES],
                                      uint32_t mask) {
  if (!a.site.initialised || (a.is_unused && !a.is_store)) return true;
  bool are = true;
  for (uint32_t first = 0; first < LANES; first += 16)
    are &= are_initialised(a, _mm512_loadu_si512(offsets + first), __mmask16(mask >> first));
  return are;
}

// Whether the lines of the lanes' cells are divided.
CUCPU_INLINE bool are_all_divided(const Cells& cells, const uint32_t (&index)[LANES],
                                  uint32_t mask) {
  const __m512i divided = wide(DIVIDED);
  uint32_t others = 0;
  for (uint32_t first = 0; first < LANES; first += 16) {
    const auto active = __mmask16(mask >> first);
    const __m512i line =
        _mm512_maskz_srli_epi32(active, _mm512_loadu_si512(index + first), LINE_SHIFT);
    const __m512i writers =
        _mm512_mask_i32gather_epi32(divided, active, line, cells.lines.writer, 4);
    others |= _mm512_mask_cmpneq_epi32_mask(active, writers, divided);
  }
  return others == 0;
}

// Returns the lanes whose pages have other sites. Elements that are larger than cells are in one
// page.
template <class Kind>
CUCPU_INLINE uint32_t other_sites(const Cells& cells, const uint32_t (&index)[LANES],
                                  uint16_t site) {
  if (!has_page_sites(cells, Kind::WRITES)) return FULL_MASK;
  constexpr __mmask16 ALL = 0xffff;
  const uint32_t first = index[0] >> PAGE_SHIFT;
  const __m512i low = _mm512_maskz_srli_epi32(ALL, _mm512_loadu_si512(index), PAGE_SHIFT);
  const __m512i high = _mm512_maskz_srli_epi32(ALL, _mm512_loadu_si512(index + 16), PAGE_SHIFT);
  const __m512i low_distance = _mm512_sub_epi32(low, wide(first));
  const __m512i high_distance = _mm512_sub_epi32(high, wide(first));
  __m512i low_found, high_found;
  const __m512i most = wide(NEAR_PAGES - 1);
  if ((_mm512_cmpgt_epu32_mask(low_distance, most) |
       _mm512_cmpgt_epu32_mask(high_distance, most)) == 0) {
    // An entry of a page has two words.
    const __m512i near = _mm512_loadu_si512(&cells.pages[first]);
    const __m512i word = wide(!Kind::WRITES);
    const auto select = [&](__m512i distance) {
      const __m512i at = _mm512_add_epi32(_mm512_add_epi32(distance, distance), word);
      return _mm512_maskz_permutexvar_epi32(ALL, at, near);
    };
    low_found = select(low_distance);
    high_found = select(high_distance);
  } else {
    const uint32_t* const entries = Kind::WRITES ? &cells.pages->writer : &cells.pages->reader;
    const __m512i none = _mm512_setzero_si512();
    low_found = _mm512_mask_i32gather_epi32(none, ALL, low, entries, 8);
    high_found = _mm512_mask_i32gather_epi32(none, ALL, high, entries, 8);
  }
  const __m512i wanted = wide(PAGE_HAS_SITE | site);
  return _mm512_cmpneq_epi32_mask(low_found, wanted) |
         uint32_t{_mm512_cmpneq_epi32_mask(high_found, wanted)} << 16;
}

// Visits the first cell of each lane, then the next ones.
template <class Kind, bool HasSite>
CUCPU_INLINE bool visit_index(const RowAccess& a, const Cells& cells, uint32_t (&index)[LANES],
                              uint32_t mask) {
  const Rule rule = a.rule;
  note_end<Kind>(cells, rule);
  uint32_t unclear = scattered_cells<Kind, HasSite>(cells, rule, a.op_site, index, mask);
  for (uint64_t k = 1; k < a.size >> cells.shift; ++k) {
    for (uint32_t& cell : index) ++cell;
    unclear |= scattered_cells<Kind, HasSite>(cells, rule, a.op_site, index, mask);
  }
  return unclear == 0;
}

template <class Kind>
CUCPU_INLINE bool visit_offsets(const RowAccess& a, const uint32_t (&offsets)[LANES],
                                uint32_t mask) {
  const Cells cells = *a.site.cells;
  uint32_t index[LANES];
  for (int l = 0; l < LANES; ++l) index[l] = offsets[l] >> cells.shift;
  const uint32_t others = other_sites<Kind>(cells, index, a.op_site);
  if (others == 0) {
    prefetch_cells<Kind, true>(cells, index);
    return are_all_initialised(a, offsets, mask) && visit_index<Kind, true>(a, cells, index, mask);
  }
  const bool are_ready = are_all_divided(cells, index, mask);
  prefetch_cells<Kind, false>(cells, index);
  if (!are_ready || !are_all_initialised(a, offsets, mask)) return false;
  const uint32_t some = index[a.searches.lane_of(others)];
  if (!visit_index<Kind, false>(a, cells, index, mask)) return false;
  search_page(a, some);
  return true;
}

// Any lanes, which access cells of lines that are divided.
[[gnu::noinline]] bool visit_scattered(const Warp& w, const Op& op, const RowAccess& a) {
  uint32_t offsets[LANES];
  if (!read_offsets(w, op, a, offsets)) return false;
  if (!a.site.cells) return are_all_initialised(a, offsets, w.mask);
  return a.is_store ? visit_offsets<Write>(a, offsets, w.mask)
                    : visit_offsets<Read<false>>(a, offsets, w.mask);
}
#else
CUCPU_INLINE bool visit_scattered(const Warp&, const Op&, const RowAccess&) { return false; }
#endif

bool global(const Warp& w, const Op& op, const RowAccess& a) {
  const uint64_t* registers = in<uint64_t>(w, op[LoadStore::ADDRESS]);
  if (w.mask == FULL_MASK) {
    const uint64_t step = registers[1] - registers[0];
    if (step == 0 && !a.is_store && is_ramp<uint64_t{0}, LANES>(registers))
      return visit_equal(a, registers[0] + uint64_t(op.imm));
    const auto visit = [](const auto&... run) { return visit_run(run...); };
    if (step == a.size && visit_rows<uint64_t>(w, op, a, visit)) return true;
  }
  return visit_scattered(w, op, a);
}

// Reads cells that several lanes share, in vectors, the last of which may overlap the one before.
CUCPU_INLINE bool visit_joined(const Cells& cells, const Rule& r, uint16_t site, const Span& s,
                               bool skips) {
  for (uint32_t k = 0; k < s.count; k += WIDEST) {
    const uint32_t at = k + WIDEST <= s.count ? k : s.count - WIDEST;
    if (visit_part<Read<false>, WIDEST, false>(cells, r, site, s, at, skips)) return false;
  }
  return true;
}

// The first and the last element have one lane each.
bool row_group(const Warp& w, const Op& op, const RowAccess& a, const RowSites& sites) {
  const uint64_t* registers = in<uint64_t>(w, op[LoadStore::ADDRESS]);
  if (registers[1] == registers[0])
    return is_ramp<uint64_t{0}, LANES>(registers) &&
           visit_elements(a, registers[0] + uint64_t(op.imm), sites.each, sites.more + 1);
  uint64_t rows[2];
  if (registers[1] - registers[0] != a.size || !read_rows<uint64_t>(w, op, a.size, rows) ||
      rows[1] - rows[0] != a.size * (LANES / 2) || (rows[0] & (a.size - 1)))
    return false;
  const uint64_t offset = rows[0] - a.site.base, bytes = a.size * (LANES + sites.more);
  if (a.site.size < bytes || offset > a.site.size - bytes || !initialisation(a, offset, bytes))
    return false;
  if (!a.site.cells) return true;
  const Cells cells = *a.site.cells;
  const auto each = uint32_t(a.size >> cells.shift);
  const uint64_t first = offset >> cells.shift;
  if (each == 0 || !are_divided(cells, first, each * (LANES + sites.more))) return false;
  const Rule r = a.rule;
  note_end<Read<false>>(cells, r);
  const uint32_t last = LANES + sites.more - 1;
  const Span low{first, each, 31, 0}, high{first + last * each, each, 31, LANES - 1};
  const Span joined{first + each, (last - 1) * each, 31, SEVERAL_LANES};
  leave_page(cells, false, first);
  leave_page(cells, false, first + each * (last + 1) - 1);
  const bool skips = may_skip<Read<false>>(cells, r);
  if (visit_cells<Read<false>>(cells, r, sites.low[0], low, 0, each, skips) ||
      visit_cells<Read<false>>(cells, r, sites.high[sites.more - 1], high, 0, each, skips) ||
      !visit_joined(cells, r, a.op_site, joined, skips))
    return false;
  for (uint32_t k = each; k < sites.more * each; ++k) {
    cells.reader_site[first + k] = sites.low[k / each];
    cells.reader_site[first + LANES * each + k - each] = sites.high[k / each - 1];
  }
  return true;
}

bool shared(const Warp& w, const Op& op, bool is_narrow, const RowAccess& a) {
  const auto visit = [](const auto&... run) { return visit_shared(run...); };
  return is_narrow ? visit_rows<uint32_t>(w, op, a, visit) : visit_rows<uint64_t>(w, op, a, visit);
}

// ---- lines and bits of scattered lanes

// The lanes of the mask for which `f` is true. The others may have any address.
template <class F>
CUCPU_INLINE uint32_t lanes_where(uint32_t mask, F f) {
  uint32_t bits = 0;
  for (uint32_t m = mask; m; m &= m - 1)
    if (const int l = __builtin_ctz(m); f(l)) bits |= uint32_t{1} << l;
  return bits;
}

uint32_t undivided(const Cells& cells, const Lanes& lanes, uint32_t mask, uint64_t base,
                   uint64_t size) {
  const uint32_t* lines = cells.lines.writer;
  return lanes_where(mask, [&](int l) {
    const uint64_t at = lanes.addresses[l] - base;
    const uint64_t first = at >> cells.shift >> LINE_SHIFT;
    const uint64_t last = (at + size - 1) >> cells.shift >> LINE_SHIFT;
    return lines[first] != DIVIDED || lines[last] != DIVIDED;
  });
}

uint32_t unset(const std::atomic<uint64_t>* bits, const Lanes& lanes, uint32_t mask, uint64_t base,
               uint64_t size) {
  const auto* words = reinterpret_cast<const uint32_t*>(bits);
  const uint32_t ones = size < 32 ? (uint32_t{1} << size) - 1 : ~uint32_t{0};
  return lanes_where(mask, [&](int l) {
    const uint64_t at = lanes.addresses[l] - base;
    return (__atomic_load_n(words + at / 32, __ATOMIC_RELAXED) >> at % 32 & ones) != ones;
  });
}

}  // namespace

const LaneChecks& lane_checks() {
  static constexpr LaneChecks checks = {addresses, rows, global, row_group, shared,    narrow,
                                        widen,     span, lines,  lanes,     undivided, unset};
  return checks;
}

}  // namespace cucore::cpu::CUCPU_SIMD
