// SPDX-License-Identifier: Apache-2.0
#include "cpu/checks/cell_pages.hpp"

#include <algorithm>

#include "cpu/checks/cell_lines.hpp"

namespace cucore::cpu {
namespace {

// Four sites of cells.
using FourSites [[gnu::may_alias]] = uint64_t;
constexpr uint64_t AT_ONCE = sizeof(FourSites) / sizeof(uint16_t);

class PageSearch {
 public:
  PageSearch(const Cells& cells, bool is_writer, uint16_t site)
      : lines_(cells.lines.writer),
        records_(is_writer ? cells.writer : cells.reader),
        sites_(is_writer ? cells.writer_site : cells.reader_site),
        site_(site) {}
  bool has_site(uint64_t first, uint64_t end) const;

 private:
  bool have_site(uint64_t cell) const;

  const uint32_t* const lines_;
  const uint32_t* const records_;
  uint16_t* const sites_;
  const uint16_t site_;
};

// Another worker writes a record before its site, so that its site remains.
bool PageSearch::have_site(uint64_t cell) const {
  auto* const sites = reinterpret_cast<FourSites*>(sites_ + cell);
  const uint64_t wanted = site_ * uint64_t{0x0001000100010001};
  uint64_t old = __atomic_load_n(sites, __ATOMIC_RELAXED);
  if (old == wanted) return true;
  for (uint64_t k = cell; k < cell + AT_ONCE; ++k)
    if (sites_[k] != site_ && __atomic_load_n(&records_[k], __ATOMIC_ACQUIRE) != 0) return false;
  return __atomic_compare_exchange_n(sites, &old, wanted, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

// The arrays of cells are longer than the memory, and its last cells can be some of four.
bool PageSearch::has_site(uint64_t first, uint64_t end) const {
  for (uint64_t line = first >> LINE_SHIFT; line << LINE_SHIFT < end; ++line)
    if (lines_[line] != DIVIDED) return false;
  for (uint64_t cell = first; cell < end; cell += AT_ONCE)
    if (!have_site(cell)) return false;
  return true;
}

}  // namespace

// Accesses of other instructions clear the mark. Those before it can have stores under way, which
// the last look finds.
bool find_page_site(const Cells& cells, bool is_writer, uint64_t cell, uint16_t site) {
  const uint64_t first = cell >> PAGE_SHIFT << PAGE_SHIFT;
  const uint64_t end = std::min(first + (1u << PAGE_SHIFT), cells.count);
  const PageSearch search(cells, is_writer, site);
  if (!search.has_site(first, end)) return false;
  (is_writer ? cells.ends->has_writer_pages : cells.ends->has_reader_pages).store(true);
  uint32_t* const entry = &page_entry(cells, is_writer, cell);
  uint32_t mark = PAGE_IN_SEARCH | site;
  __atomic_store_n(entry, mark, __ATOMIC_SEQ_CST);
  const bool has = search.has_site(first, end) && search.has_site(first, end);
  return __atomic_compare_exchange_n(entry, &mark, has ? PAGE_HAS_SITE | site : 0, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
         has;
}

}  // namespace cucore::cpu
