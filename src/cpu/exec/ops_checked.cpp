// SPDX-License-Identifier: Apache-2.0
// The vector part of the checks: addresses of a warp and their pattern, and ranges of cells.
#include "cpu/checks/cell_lines.hpp"
#include "cpu/checks/lane_checks.hpp"
#include "cpu/exec/families.hpp"
#include "cpu/exec/lanes.hpp"
#include "cpu/exec/patterns.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors stay inside this file

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
bool read_rows(const Warp& w, const Op& op, uint64_t size, uint64_t (&first)[2]) {
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

template <uint32_t Width>
struct Vectors;
template <>
struct Vectors<8> {
  using Words = uint32_t __attribute__((vector_size(32)));
  using Flags = int32_t __attribute__((vector_size(32)));
  using Sites = uint16_t __attribute__((vector_size(16)));
  static constexpr Words INDEX = {0, 1, 2, 3, 4, 5, 6, 7};
};
template <>
struct Vectors<16> {
  using Words = uint32_t __attribute__((vector_size(64)));
  using Flags = int32_t __attribute__((vector_size(64)));
  using Sites = uint16_t __attribute__((vector_size(32)));
  static constexpr Words INDEX = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
};
#if defined(__AVX512F__)
constexpr uint32_t WIDEST = 16;
#else
constexpr uint32_t WIDEST = 8;
#endif

// Scalars convert to bool, and must not match the templates.
template <class T>
concept Vector = sizeof(T) > sizeof(uint64_t);

CUCPU_INLINE bool no(bool condition) { return !condition; }
template <Vector Flags>
CUCPU_INLINE Flags no(Flags condition) {
  return ~condition;
}
CUCPU_INLINE uint32_t select(bool condition, uint32_t a, uint32_t b) { return condition ? a : b; }
template <Vector Flags, Vector Words>
CUCPU_INLINE Words select(Flags condition, Words a, Words b) {
  return condition ? a : b;
}
template <Vector Words>
CUCPU_INLINE Words words(uint32_t value, Words) {
  return Words{} + value;
}
CUCPU_INLINE uint32_t words(uint32_t value, uint32_t) { return value; }

template <class T>
CUCPU_INLINE auto happened_before(const Rule& r, T c) {
  return (c < r.stale) | (c - r.low <= r.width);
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
  static constexpr uint32_t FLAG = Strong ? CELL_STRONG : 0;
  template <class T>
  CUCPU_INLINE static auto unclear(const Rule& r, T c, T d, T mine) {
    const auto writer = happened_before(r, c) | (plain(c) == mine) | ((c & FLAG) != 0);
    const auto reader = happened_before(r, d) | (d >> SEGMENT_SHIFT == mine >> SEGMENT_SHIFT) |
                        (d == r.several_warps) | (d == r.several_blocks);
    return no(writer & (reader | (T{} + r.joins != 0)));
  }
  // Readers of several warps join; the later write of any of them is a race.
  template <class T>
  CUCPU_INLINE static T next(const Rule& r, T d, T mine) {
    const T several = words(r.mine | SEVERAL_LANES, d) | (d & FLAG);
    const T joined = select(plain(d) == mine, T(mine | (d & FLAG)), several);
    const auto mixed = no(happened_before(r, d)) & (T{} + r.joins != 0);
    const T other = select(mixed, words(r.several_warps, d), T(mine | FLAG));
    const T now = select(d >> SEGMENT_SHIFT == mine >> SEGMENT_SHIFT, joined, other);
    return select((d == r.several_warps) | (d == r.several_blocks), d, now);
  }
};
struct Write {
  static constexpr bool WRITES = true;
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

template <class T>
CUCPU_INLINE T load(const uint32_t* p) {
  T value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}

template <Vector Flags>
CUCPU_INLINE bool any(Flags flags) {
  int64_t parts[sizeof flags / 8];
  __builtin_memcpy(parts, &flags, sizeof flags);
  int64_t all = 0;
  for (const int64_t part : parts) all |= part;
  return all != 0;
}

template <class Kind>
CUCPU_INLINE bool visit_one(const Cells& cells, const Rule& r, uint16_t site, uint64_t cell,
                            uint32_t lane) {
  const uint32_t c = cells.writer[cell], d = cells.reader[cell], mine = r.mine | lane;
  if (Kind::unclear(r, c, d, mine)) return false;
  (Kind::WRITES ? cells.writer : cells.reader)[cell] = Kind::next(r, Kind::WRITES ? c : d, mine);
  (Kind::WRITES ? cells.writer_site : cells.reader_site)[cell] = site;
  return true;
}

// Lanes from `lane` on, with 2^shift cells each.
template <uint32_t Width>
CUCPU_INLINE auto own(const Rule& r, uint32_t lane, uint32_t shift, uint32_t k) {
  const auto index = Vectors<Width>::INDEX + k;
  return ((index >> shift) + lane) | r.mine;
}

template <class Kind, uint32_t Width>
CUCPU_INLINE bool is_clear(const Cells& cells, const Rule& r, const Span& s, uint32_t k) {
  using Words = typename Vectors<Width>::Words;
  const auto c = load<Words>(cells.writer + s.first + k),
             d = load<Words>(cells.reader + s.first + k);
  return !any(Kind::unclear(r, c, d, own<Width>(r, s.lane, s.shift, k)));
}
template <class Kind, uint32_t Width>
CUCPU_INLINE void record(const Cells& cells, const Rule& r, uint16_t site, const Span& s,
                         uint32_t k) {
  using Words = typename Vectors<Width>::Words;
  uint32_t* p = (Kind::WRITES ? cells.writer : cells.reader) + s.first + k;
  const Words now = Kind::next(r, load<Words>(p), own<Width>(r, s.lane, s.shift, k));
  __builtin_memcpy(p, &now, sizeof now);
  const typename Vectors<Width>::Sites sites = typename Vectors<Width>::Sites{} + site;
  __builtin_memcpy((Kind::WRITES ? cells.writer_site : cells.reader_site) + s.first + k, &sites,
                   sizeof sites);
}

// Nothing is recorded if a cell needs the exact check.
template <class Kind, uint32_t Width>
CUCPU_INLINE bool visit_span(const Cells& cells, const Rule& r, uint16_t site, const Span& s) {
  for (uint32_t k = 0; k < s.count; k += Width)
    if (!is_clear<Kind, Width>(cells, r, s, k)) return false;
  for (uint32_t k = 0; k < s.count; k += Width) record<Kind, Width>(cells, r, site, s, k);
  return true;
}

template <class Kind>
bool span_of(const Cells& all, const Rule& rule, uint16_t site, const Span& s) {
  const Cells cells = all;  // copies, which stores to the cells do not alias
  const Rule r = rule;
  if (s.count % WIDEST == 0) return visit_span<Kind, WIDEST>(cells, r, site, s);
  if (s.count % 8 == 0) return visit_span<Kind, 8>(cells, r, site, s);
  bool clear = true;
  for (uint32_t k = 0; k < s.count; ++k)
    clear &= visit_one<Kind>(cells, r, site, s.first + k, s.lane + (k >> s.shift));
  return clear;
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
    if (c == DIVIDED || has_other_lanes<Kind>(d, mine) || Kind::unclear(r, c, d, mine))
      return false;
    (Kind::WRITES ? lines.writer : lines.reader)[line] = Kind::next(r, Kind::WRITES ? c : d, mine);
    (Kind::WRITES ? lines.writer_site : lines.reader_site)[line] = site;
  }
  return true;
}

bool lines(const Records& all, const Rule& r, uint16_t site, const Span& s, CellAccess access) {
  switch (access) {
    case CellAccess::READ:
      return lines_of<Read<false>>(all, r, site, s);
    case CellAccess::STRONG_READ:
      return lines_of<Read<true>>(all, r, site, s);
    case CellAccess::WRITE:
      return lines_of<Write>(all, r, site, s);
    default:
      return lines_of<Update>(all, r, site, s);
  }
}

// ---- rows of global memory

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

// Returns false if bytes that are loaded are uninitialised.
CUCPU_INLINE bool initialisation(const RowAccess& a, uint64_t offset, uint64_t bytes) {
  std::atomic<uint64_t>* bits = a.site.initialised;
  if (!bits || (a.is_unused && !a.is_store)) return true;
  return each_word(bits, offset, bytes, [&](uint64_t* word, uint64_t mask) {
    const bool is_set = (__atomic_load_n(word, __ATOMIC_RELAXED) & mask) == mask;
    if (a.is_store && !is_set) __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
    return is_set || a.is_store;
  });
}

bool global_rows(const Warp& w, const Op& op, const RowAccess& a) {
  uint64_t first[2];
  if (!read_rows<uint64_t>(w, op, a.size, first) || ((first[0] | first[1]) & (a.size - 1)))
    return false;
  uint64_t bytes = a.size * (LANES / 2);
  const uint64_t offsets[2] = {first[0] - a.site.base, first[1] - a.site.base};
  if (a.site.size < bytes || offsets[0] > a.site.size - bytes || offsets[1] > a.site.size - bytes)
    return false;
  const bool is_one = offsets[1] - offsets[0] == bytes;
  if (is_one) bytes *= 2;
  for (int r = 0; r < (is_one ? 1 : 2); ++r) {
    if (!initialisation(a, offsets[r], bytes)) return false;
    if (!a.site.cells) continue;
    const Cells& cells = *a.site.cells;
    const auto shift = uint32_t(__builtin_ctzll(a.size)) - cells.shift;
    const uint64_t cell = offsets[r] >> cells.shift;
    if (shift > MOST_LINE_SHIFT || cell % LINE_CELLS != 0) return false;
    const Span span{cell >> LINE_SHIFT, uint32_t(bytes >> (cells.shift + LINE_SHIFT)), shift,
                    uint32_t(r * LANES / 2)};
    if (a.is_store ? !lines_of<Write>(cells.lines, a.rule, a.op_site, span)
                   : !lines_of<Read<false>>(cells.lines, a.rule, a.op_site, span))
      return false;
  }
  return true;
}

bool span(const Cells& cells, const Rule& r, uint16_t site, const Span& s, CellAccess access) {
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
    return clear;
  }
  CUCPU_INLINE uint32_t part(int first, bool shared_lanes) const {
    const Pattern pattern = lanes.parts[first / 8];
    if (pattern == Pattern::EQUAL && !Kind::WRITES)
      return one(first, SEVERAL_LANES) ? 0 : 0xffu << first;
    if (pattern == Pattern::CONSECUTIVE && count == 1) {
      const Span s = shared_lanes ? Span{cell(first), 8, 31, SEVERAL_LANES}
                                  : Span{cell(first), 8, 0, uint32_t(first)};
      return visit_span<Kind, 8>(cells, rule, site, s) ? 0 : 0xffu << first;
    }
    uint32_t unclear = 0;
    for (int l = first; l < first + 8; ++l) unclear |= uint32_t{!one(l, uint32_t(l))} << l;
    return unclear;
  }
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
    if (mask == FULL_MASK && !Kind::WRITES && count == 1) return reading_parts();
    if (mask == FULL_MASK) {
      for (int first = 0; first < LANES; first += 8) unclear |= part(first, false);
      return unclear;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
      const int l = __builtin_ctz(m);
      unclear |= uint32_t{!one(l, uint32_t(l))} << l;
    }
    return unclear;
  }
};

template <class Kind>
uint32_t lanes_of(const Cells& cells, const Rule& rule, uint16_t site, const Lanes& lanes,
                  uint32_t mask, uint64_t base, uint64_t size) {
  const auto count = uint32_t((size + (uint64_t{1} << cells.shift) - 1) >> cells.shift);
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

}  // namespace

const LaneChecks& lane_checks() {
  static constexpr LaneChecks checks = {addresses, rows, global_rows, narrow,
                                        widen,     span, lines,       lanes};
  return checks;
}

}  // namespace cucore::cpu::CUCPU_SIMD
