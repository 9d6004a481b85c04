// SPDX-License-Identifier: Apache-2.0
// The quick checks: the parts of global() that most accesses of kernels need, for one kind and size
// of access. They make few calls, and read nothing that these cases do not need.
#include "cpu/exec/line_visits.hpp"
#include "cpu/exec/row_addresses.hpp"
#include "cpu/exec/usual_checks.hpp"

namespace cucore::cpu::CUCPU_SIMD {
namespace {

// Sets the bits of bytes that are stored. Returns whether those of bytes that are loaded are set.
template <class Kind, uint64_t Count>
CUCPU_INLINE bool pass_bits(std::atomic<uint64_t>* bits, uint64_t first) {
  uint64_t* const words = reinterpret_cast<uint64_t*>(bits) + first / 64;
  __builtin_prefetch(words + RECORDS_AHEAD);
  const uint64_t begin = first % 64;
  bool are = true;
  for (uint64_t k = 0; k * 64 < begin + Count; ++k) {
    const uint64_t rest = begin + Count - k * 64;
    const uint64_t mask = bits_of_word(k == 0 ? begin : 0, rest < 64 ? rest : 64);
    const bool is_set = (__atomic_load_n(words + k, __ATOMIC_RELAXED) & mask) == mask;
    if (Kind::WRITES && !is_set) __atomic_fetch_or(words + k, mask, __ATOMIC_RELAXED);
    are &= is_set;
  }
  return are || Kind::WRITES;
}

// A part of a row: `Count` lanes of elements of `Size` bytes.
template <uint64_t Size, uint32_t Count>
struct Part {
  const ShadowSite& site;
  const Rule& rule;
  uint16_t number;  // of the instruction's site
  PageSearches& searches;
  uint64_t offset;
  uint32_t lane;  // the first one
};

// Not inline, because the registers that it needs would be saved in each quick check.
template <class Kind>
[[gnu::noinline]] bool check_other_lines(const Records& lines, const Rule& rule, uint16_t number,
                                         const Span& span) {
  return lines_of<Kind>(lines, rule, number, span);
}

// Whole lines.
template <class Kind, uint64_t Size, uint32_t Count>
CUCPU_INLINE bool check_lines(const Part<Size, Count>& p) {
  const Cells& cells = *p.site.cells;
  if (Kind::WRITES && (has_page_sites(cells, true) || has_page_sites(cells, false))) return false;
  note_end<Kind>(cells, p.rule);
  const Span lines{p.offset / (Size * LINE_CELLS), Count / LINE_CELLS, 0, p.lane};
  return renew_lines<Kind>(cells.lines, p.rule, p.number, lines) ||
         check_other_lines<Kind>(cells.lines, p.rule, p.number, lines);
}

// Cells of lines that are divided.
template <class Kind, uint64_t Size, uint32_t Count>
[[gnu::noinline]] bool check_cells(const Part<Size, Count> p) {
  note_end<Kind>(*p.site.cells, p.rule);
  const Span row{p.offset / Size, Count, 0, p.lane};
  return visit_divided<Kind>(*p.site.cells, p.rule, p.number, row, p.searches);
}

template <class Kind, uint64_t Size, uint32_t Count>
CUCPU_INLINE bool check_part(const Part<Size, Count>& p) {
  constexpr uint64_t BYTES = Size * Count;
  if (p.site.size < BYTES || p.offset > p.site.size - BYTES || p.offset % Size != 0) return false;
  if (p.site.initialised && !pass_bits<Kind, BYTES>(p.site.initialised, p.offset)) return false;
  const uint64_t cell = p.offset / Size;
  if (cell % LINE_CELLS == 0 && !are_divided(*p.site.cells, cell, 1)) return check_lines<Kind>(p);
  return check_cells<Kind>(p);
}

// The halves of the warp access two rows, as those of a tile.
template <class Kind, uint64_t Size>
[[gnu::noinline]] bool check_halves(const Part<Size, LANES / 2>& low, const uint64_t* addresses) {
  constexpr int HALF = LANES / 2;
  if (!is_ramp<Size, HALF>(addresses) || !is_ramp<Size, HALF>(addresses + HALF)) return false;
  const uint64_t other = low.offset + addresses[HALF] - addresses[0];
  return check_part<Kind>(low) && check_part<Kind>(Part<Size, HALF>{low.site, low.rule, low.number,
                                                                    low.searches, other, HALF});
}

// A load of one element, which several blocks have read before, and no thread has written.
template <uint64_t Size>
CUCPU_INLINE bool check_element(const ShadowSite& site, uint64_t offset, const Rule& rule) {
  const Cells& cells = *site.cells;
  if (site.size < Size || offset > site.size - Size || offset % Size != 0) return false;
  const uint64_t cell = offset / Size;
  if (!may_skip<Read<false>>(cells, rule) || !are_divided(cells, cell, 1) ||
      !is_of_several_blocks(rule, cells.reader[cell]))
    return false;
  return !site.initialised || pass_bits<Read<false>, Size>(site.initialised, offset);
}

// Elements have the size of cells.
template <class Kind, uint64_t Size>
bool check(const Warp& w, const Op& op, const ShadowSite* sites, const Rule& rule,
           PageSearches& searches) {
  const uint64_t* const addresses = in<uint64_t>(w, op[LoadStore::ADDRESS]);
  const uint64_t step = addresses[1] - addresses[0];
  const bool is_element = !Kind::WRITES && step == 0;
  if ((step != Size && !is_element) || w.mask != FULL_MASK) return false;
  const auto number = uint16_t(op.site);
  const ShadowSite& site = sites[number];
  if (!site.cells || uint64_t{1} << site.cells->shift != Size || rule.mine == 0) return false;
  if (site.base % Size != 0 || (Kind::WRITES && site.read_only)) return false;
  const uint64_t offset = addresses[0] + uint64_t(op.imm) - site.base;
  if (is_element)
    return is_ramp<uint64_t{0}, LANES>(addresses) && check_element<Size>(site, offset, rule);
  if (addresses[LANES / 2] - addresses[0] != Size * LANES / 2)
    return check_halves<Kind, Size>({site, rule, number, searches, offset, 0}, addresses);
  return is_ramp<Size, LANES>(addresses) &&
         check_part<Kind>(Part<Size, LANES>{site, rule, number, searches, offset, 0});
}

template <uint64_t Size>
QuickCheck check_of(bool is_store) {
  return is_store ? check<Write, Size> : check<Read<false>, Size>;
}

}  // namespace

QuickCheck quick_check(uint32_t size, bool is_store) {
  switch (size) {
    case 1:
      return check_of<1>(is_store);
    case 2:
      return check_of<2>(is_store);
    case 4:
      return check_of<4>(is_store);
    case 8:
      return check_of<8>(is_store);
    default:
      return nullptr;
  }
}

}  // namespace cucore::cpu::CUCPU_SIMD
