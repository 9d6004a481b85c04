// SPDX-License-Identifier: Apache-2.0
// The vector part of the checks: addresses of a warp and their pattern, and ranges of cells.
#include "cpu/checks/lane_checks.hpp"
#include "cpu/exec/families.hpp"
#include "cpu/exec/line_visits.hpp"
#include "cpu/exec/row_addresses.hpp"
#include "cpu/exec/scattered_cells.hpp"
#include "cpu/exec/usual_checks.hpp"

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

// ---- lines

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
  static constexpr LaneChecks checks = {addresses,   rows,      global, row_group, shared,
                                        quick_check, narrow,    widen,  span,      lines,
                                        lanes,       undivided, unset};
  return checks;
}

}  // namespace cucore::cpu::CUCPU_SIMD
