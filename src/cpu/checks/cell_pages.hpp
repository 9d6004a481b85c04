// SPDX-License-Identifier: Apache-2.0
// Pages: 4096 cells of global memory. The records of the cells of an array often are of one
// instruction. A page has its site, if all lines of the page are divided and all cells have the
// site. An access of the instruction then need not read or write the sites of cells, nor look at
// the lines. The sites of the cells themselves stay valid.
#pragma once

#include <cstdint>

#include "cpu/checks/lane_checks.hpp"

namespace cucore::cpu {

inline constexpr uint32_t PAGE_SHIFT = 12;
// The entry of a page is 0, if nothing is known, or a site and one of these flags.
inline constexpr uint32_t PAGE_HAS_SITE = 1u << 16;
inline constexpr uint32_t PAGE_IN_SEARCH = 1u << 17;

// Entries of pages that one vector contains. There are as many more than pages, for loads.
inline constexpr uint32_t NEAR_PAGES = 64 / sizeof(PageSites);

constexpr uint64_t count_of_pages(uint64_t cells) { return (cells >> PAGE_SHIFT) + 1 + NEAR_PAGES; }

// Whether a page of the memory has had a site. Most arrays that several instructions access have
// none.
inline bool has_page_sites(const Cells& cells, bool is_writer) {
  const auto& has = is_writer ? cells.ends->has_writer_pages : cells.ends->has_reader_pages;
  return has.load(std::memory_order_relaxed);
}

inline uint32_t& page_entry(const Cells& cells, bool is_writer, uint64_t cell) {
  PageSites& page = cells.pages[cell >> PAGE_SHIFT];
  return is_writer ? page.writer : page.reader;
}

// A cell has received the site.
inline void note_site(const Cells& cells, bool is_writer, uint64_t cell, uint16_t site) {
  if (!cells.pages || !has_page_sites(cells, is_writer)) return;
  uint32_t& entry = page_entry(cells, is_writer, cell);
  if (entry != 0 && uint16_t(entry) != site) entry = 0;
}

// Cells of the page receive several sites.
inline void leave_page(const Cells& cells, bool is_writer, uint64_t cell) {
  uint32_t& entry = page_entry(cells, is_writer, cell);
  if (entry != 0) entry = 0;
}

// The lines of the cells have records. Another worker may divide them at the same time.
inline void note_lines(const Cells& cells, uint64_t first, uint64_t count) {
  if (!has_page_sites(cells, true) && !has_page_sites(cells, false)) return;
  for (uint64_t page = first >> PAGE_SHIFT; page <= (first + count - 1) >> PAGE_SHIFT; ++page)
    if ((cells.pages[page].writer | cells.pages[page].reader) != 0) cells.pages[page] = {};
}

// Writes the site of a cell's last writer, or reader.
inline void record_site(const Cells& cells, bool is_writer, uint64_t cell, uint16_t site) {
  (is_writer ? cells.writer_site : cells.reader_site)[cell] = site;
  note_site(cells, is_writer, cell, site);
}

// Returns true if the page of the cell has the site from now on. Cells without a record receive it.
bool find_page_site(const Cells& cells, bool is_writer, uint64_t cell, uint16_t site);

}  // namespace cucore::cpu
