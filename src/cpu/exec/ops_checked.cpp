// SPDX-License-Identifier: Apache-2.0
// The vector part of the checks: addresses of a warp and their pattern, and ranges of cells.
#include <type_traits>

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
CUCPU_INLINE auto is_in(const CellWindow& window, T c) {
  return c - window.low <= window.width;
}
template <class T>
CUCPU_INLINE auto is_of_other_blocks(const Rule& r, T c) {
  return is_in(r.other_blocks[0], c) | is_in(r.other_blocks[1], c);
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
                        (d == r.several_warps) | (d == r.several_blocks) | is_in(r.other_warps, d) |
                        is_of_other_blocks(r, d);
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
    return select((d == r.several_warps) | (d == r.several_blocks), d, now);
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

// Visits the cells one by one. Returns the lanes of those that need the exact check.
template <class Kind>
CUCPU_INLINE uint32_t visit_cells(const Cells& cells, const Rule& r, uint16_t site, const Span& s,
                                  uint32_t k, uint32_t end) {
  uint32_t unclear = 0;
  for (; k < end; ++k)
    if (!visit_one<Kind>(cells, r, site, s.first + k, s.lane + (k >> s.shift)))
      unclear |= uint32_t{1} << (k >> s.shift);
  return unclear;
}

// Does the same for `Width` cells at once.
template <class Kind, uint32_t Width>
CUCPU_INLINE uint32_t visit_part(const Cells& cells, const Rule& r, uint16_t site, const Span& s,
                                 uint32_t k) {
  using Words = typename Vectors<Width>::Words;
  using Sites = typename Vectors<Width>::Sites;
  const uint64_t first = s.first + k;
  const auto c = load<Words>(cells.writer + first), d = load<Words>(cells.reader + first);
  const auto mine = own<Width>(r, s.lane, s.shift, k);
  if (any(Kind::unclear(r, c, d, mine))) [[unlikely]]
    return visit_cells<Kind>(cells, r, site, s, k, k + Width);
  const Words now = Kind::next(r, Kind::WRITES ? c : d, mine);
  __builtin_memcpy((Kind::WRITES ? cells.writer : cells.reader) + first, &now, sizeof now);
  const Sites sites = Sites{} + site;
  __builtin_memcpy((Kind::WRITES ? cells.writer_site : cells.reader_site) + first, &sites,
                   sizeof sites);
  return 0;
}

template <class Kind, uint32_t Width>
CUCPU_INLINE uint32_t visit_span(const Cells& cells, const Rule& r, uint16_t site, const Span& s) {
  uint32_t unclear = 0;
  for (uint32_t k = 0; k < s.count; k += Width)
    unclear |= visit_part<Kind, Width>(cells, r, site, s, k);
  return unclear;
}

template <class Kind>
uint32_t span_of(const Cells& all, const Rule& rule, uint16_t site, const Span& s) {
  const Cells cells = all;  // copies, which stores to the cells do not alias
  const Rule r = rule;
  if (s.count % WIDEST == 0) return visit_span<Kind, WIDEST>(cells, r, site, s);
  if (s.count % 8 == 0) return visit_span<Kind, 8>(cells, r, site, s);
  return visit_cells<Kind>(cells, r, site, s, 0, s.count);
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
  CUCPU_INLINE static Vectors<16>::Words gather(__mmask16 active, __m512i index,
                                                const uint32_t* cells) {
    return Vectors<16>::Words(
        _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), active, index, cells, 4));
  }
  // Sixteen cells at once. Lanes with equal cells take turns.
  CUCPU_INLINE uint32_t sixteen(const uint32_t* cell, uint32_t first, uint32_t mask) const {
    using Words = Vectors<16>::Words;
    const __mmask16 active = __mmask16(mask);
    const __m512i index = _mm512_loadu_si512(cell);
    if (!std::is_same_v<Kind, Update>) {
      const __m512i equal = _mm512_maskz_conflict_epi32(active, index);
      if (_mm512_mask_test_epi32_mask(active, equal, _mm512_set1_epi32(int(mask))))
        return one_by_one(mask << first);
    }
    const auto c = gather(active, index, cells.writer);
    const auto d = gather(active, index, cells.reader);
    const Words mine = own<16>(rule, first, 0, 0);
    const auto unclear = Kind::unclear(rule, c, d, mine);
    const __mmask16 bad = active & _mm512_movepi32_mask(__m512i(unclear));
    const Words old = Kind::WRITES ? c : d, now = Kind::next(rule, old, mine);
    // Records of several blocks remain, with their instruction.
    const __mmask16 kept =
        _mm512_cmpeq_epi32_mask(__m512i(old), _mm512_set1_epi32(int(rule.several_blocks)));
    const __mmask16 good = active & ~bad & ~kept;
    _mm512_mask_i32scatter_epi32(Kind::WRITES ? cells.writer : cells.reader, good, index,
                                 __m512i(now), 4);
    uint16_t* const sites = Kind::WRITES ? cells.writer_site : cells.reader_site;
    for (uint32_t m = good; m; m &= m - 1) sites[cell[__builtin_ctz(m)]] = site;
    return uint32_t{bad} << first;
  }
  CUCPU_INLINE uint32_t separate(uint32_t mask) const {
    uint32_t index[LANES], unclear = 0;
    for (uint32_t k = 0; k < count; ++k) {
      for (int l = 0; l < LANES; ++l) index[l] = uint32_t(cell(l) + k);
      for (uint32_t first = 0; first < LANES; first += 16)
        if (const uint32_t part = mask >> first & 0xffff)
          unclear |= sixteen(index + first, first, part);
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

// Whether all lines of the cells are divided.
CUCPU_INLINE bool are_divided(const Cells& cells, uint64_t first, uint64_t count) {
  bool are = true;
  for (uint64_t line = first >> LINE_SHIFT; line <= (first + count - 1) >> LINE_SHIFT; ++line)
    are &= cells.lines.writer[line] == DIVIDED;
  return are;
}

// Consecutive lanes from `lane` on: whole lines, or cells of lines that are divided.
template <class Kind>
CUCPU_INLINE bool visit_row(const RowAccess& a, uint64_t offset, uint64_t bytes, uint32_t lane) {
  const Cells& cells = *a.site.cells;
  if (a.size >> cells.shift == 0) return false;
  const auto shift = uint32_t(__builtin_ctzll(a.size)) - cells.shift;
  const Span span{offset >> cells.shift, uint32_t(bytes >> cells.shift), shift, lane};
  if (shift <= MOST_LINE_SHIFT && span.first % LINE_CELLS == 0) {
    const Span whole{span.first >> LINE_SHIFT, span.count >> LINE_SHIFT, shift, lane};
    if (lines_of<Kind>(cells.lines, a.rule, a.op_site, whole)) return true;
  }
  return are_divided(cells, span.first, span.count) &&
         span_of<Kind>(cells, a.rule, a.op_site, span) == 0;
}

CUCPU_INLINE bool visit_rows(const Warp& w, const Op& op, const RowAccess& a) {
  uint64_t first[2];
  if (!read_rows<uint64_t>(w, op, a.size, first) || ((first[0] | first[1]) & (a.size - 1)))
    return false;
  uint64_t bytes = a.size * (LANES / 2);
  const uint64_t offsets[2] = {first[0] - a.site.base, first[1] - a.site.base};
  if (a.site.size < bytes || offsets[0] > a.site.size - bytes || offsets[1] > a.site.size - bytes)
    return false;
  const bool is_one = offsets[1] - offsets[0] == bytes;
  if (is_one) bytes *= 2;
  for (uint32_t r = 0; r < (is_one ? 1 : 2); ++r) {
    if (!initialisation(a, offsets[r], bytes)) return false;
    if (!a.site.cells) continue;
    const uint32_t lane = r * LANES / 2;
    if (a.is_store ? !visit_row<Write>(a, offsets[r], bytes, lane)
                   : !visit_row<Read<false>>(a, offsets[r], bytes, lane))
      return false;
  }
  return true;
}

// A load of all lanes from one address.
CUCPU_INLINE bool visit_equal(const RowAccess& a, uint64_t address) {
  const uint64_t offset = address - a.site.base;
  if (a.site.size < a.size || offset > a.site.size - a.size || (address & (a.size - 1)))
    return false;
  if (!initialisation(a, offset, a.size)) return false;
  if (!a.site.cells) return true;
  const Cells& cells = *a.site.cells;
  const uint32_t count = a.size >> cells.shift ? uint32_t(a.size >> cells.shift) : 1;
  const Span span{offset >> cells.shift, count, 31, SEVERAL_LANES};
  return are_divided(cells, span.first, count) &&
         visit_cells<Read<false>>(cells, a.rule, a.op_site, span, 0, count) == 0;
}

#if defined(__AVX512CD__)
// The offsets of 16 lanes. Returns whether their bytes are initialised, and their lines divided.
CUCPU_INLINE bool are_ready(const RowAccess& a, __m512i offsets, __mmask16 active) {
  const __m512i zero = _mm512_setzero_si512();
  if (a.site.initialised && (a.is_store || !a.is_unused)) {
    const __m512i words = _mm512_mask_i32gather_epi32(
        zero, active, _mm512_maskz_srli_epi32(active, offsets, 5), a.site.initialised, 4);
    const __m512i ones = _mm512_set1_epi32(int((1u << a.size) - 1));
    const __m512i bits =
        _mm512_maskz_srlv_epi32(active, words, _mm512_and_si512(offsets, _mm512_set1_epi32(31)));
    if (_mm512_mask_cmpneq_epi32_mask(active, _mm512_and_si512(bits, ones), ones)) return false;
  }
  if (!a.site.cells) return true;
  const __m512i lines = _mm512_maskz_srli_epi32(active, offsets, a.site.cells->shift + LINE_SHIFT);
  const __m512i writers =
      _mm512_mask_i32gather_epi32(zero, active, lines, a.site.cells->lines.writer, 4);
  return _mm512_mask_cmpneq_epi32_mask(active, writers, _mm512_set1_epi32(int(DIVIDED))) == 0;
}

// Any lanes, which access cells of lines that are divided.
CUCPU_INLINE bool visit_scattered(const Warp& w, const Op& op, const RowAccess& a) {
  Lanes lanes;
  read_addresses<uint64_t>(w, op, 0, lanes);
  if (lanes.low < a.site.base || a.site.size < a.size || a.site.size >> 32 ||
      lanes.high - a.site.base > a.site.size - a.size || (lanes.any & (a.size - 1)))
    return false;
  uint32_t offsets[LANES];
  for (int l = 0; l < LANES; ++l) offsets[l] = uint32_t(lanes.addresses[l] - a.site.base);
  for (uint32_t first = 0; first < LANES; first += 16)
    if (const auto active = __mmask16(w.mask >> first);
        !are_ready(a, _mm512_loadu_si512(offsets + first), active))
      return false;
  if (!a.site.cells) return true;
  for (Pattern& part : lanes.parts) part = Pattern::LANES;
  const Cells& cells = *a.site.cells;
  const uint32_t count = a.size >> cells.shift ? uint32_t(a.size >> cells.shift) : 1;
  if (a.is_store)
    return LaneVisitor<Write>{cells, a.rule, a.op_site, lanes, a.site.base, count}.separate(
               w.mask) == 0;
  return LaneVisitor<Read<false>>{cells, a.rule, a.op_site, lanes, a.site.base, count}.separate(
             w.mask) == 0;
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
    if (step == a.size && visit_rows(w, op, a)) return true;
  }
  return visit_scattered(w, op, a);
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
  static constexpr LaneChecks checks = {addresses, rows,  global, narrow,    widen,
                                        span,      lines, lanes,  undivided, unset};
  return checks;
}

}  // namespace cucore::cpu::CUCPU_SIMD
