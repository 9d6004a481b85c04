// SPDX-License-Identifier: Apache-2.0
// The checks of usual accesses: rows of whole lines or of cells, elements that all lanes load, and
// cells of lines that are divided.
#include "cpu/exec/line_visits.hpp"
#include "cpu/exec/row_addresses.hpp"
#include "cpu/exec/scattered_cells.hpp"
#include "cpu/exec/usual_checks.hpp"

namespace cucore::cpu::CUCPU_SIMD {

namespace {

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
  __builtin_prefetch(bits + offset / 64 + RECORDS_AHEAD);
  return each_word(bits, offset, bytes, [&](uint64_t* word, uint64_t mask) {
    const bool is_set = (__atomic_load_n(word, __ATOMIC_RELAXED) & mask) == mask;
    if (a.is_store && !is_set) __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
    return is_set || a.is_store;
  });
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
  return visit_divided<Kind>(cells, a.rule, a.op_site, span, a.searches);
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

// The access follows its check. The memory of lanes that are far from each other is read at the
// same time as their cells.
CUCPU_INLINE void prefetch_memory(const Warp& w, const Op& op, const RowAccess& a,
                                  const uint32_t (&offsets)[LANES]) {
  constexpr uint32_t CLOSE = 8 * LANES * 4;  // bytes
  if (offsets[LANES - 1] - offsets[0] < CLOSE) return;
  const uint64_t host = a.site.base + w.sites[op.site].delta;
  for (const uint32_t offset : offsets)
    __builtin_prefetch(reinterpret_cast<const std::byte*>(host + offset));
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
  search_page(a.searches, cells, a.is_store, some, a.op_site);
  return true;
}

// Any lanes, which access cells of lines that are divided.
[[gnu::noinline]] bool visit_scattered(const Warp& w, const Op& op, const RowAccess& a) {
  uint32_t offsets[LANES];
  if (!read_offsets(w, op, a, offsets)) return false;
  prefetch_memory(w, op, a, offsets);
  if (!a.site.cells) return are_all_initialised(a, offsets, w.mask);
  return a.is_store ? visit_offsets<Write>(a, offsets, w.mask)
                    : visit_offsets<Read<false>>(a, offsets, w.mask);
}
#else
CUCPU_INLINE bool visit_scattered(const Warp&, const Op&, const RowAccess&) { return false; }
#endif

}  // namespace

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

namespace {

// Reads cells that several lanes share, in vectors, the last of which may overlap the one before.
CUCPU_INLINE bool visit_joined(const Cells& cells, const Rule& r, uint16_t site, const Span& s,
                               bool skips) {
  bool has_written = false;
  for (uint32_t k = 0; k < s.count; k += WIDEST) {
    const uint32_t at = k + WIDEST <= s.count ? k : s.count - WIDEST;
    if (visit_part<Read<false>, WIDEST, false>(cells, r, site, s, at, skips, has_written))
      return false;
  }
  return true;
}

}  // namespace

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
  const auto write_site = [&](uint64_t cell, uint16_t site) {
    if (!is_of_several_blocks(r, cells.reader[cell])) cells.reader_site[cell] = site;
  };
  for (uint32_t k = each; k < sites.more * each; ++k) {
    write_site(first + k, sites.low[k / each]);
    write_site(first + LANES * each + k - each, sites.high[k / each - 1]);
  }
  return true;
}

bool shared(const Warp& w, const Op& op, bool is_narrow, const RowAccess& a) {
  const auto visit = [](const auto&... run) { return visit_shared(run...); };
  return is_narrow ? visit_rows<uint32_t>(w, op, a, visit) : visit_rows<uint64_t>(w, op, a, visit);
}

}  // namespace cucore::cpu::CUCPU_SIMD
