// SPDX-License-Identifier: Apache-2.0
// Pages of the shadow memory: when they have the site of an instruction, and when they lose it.
#include <gtest/gtest.h>

#include "cpu/checks/cell_lines.hpp"
#include "cpu/checks/cell_pages.hpp"
#include "cpu/checks/check_set.hpp"
#include "expect.hpp"
#include "text.hpp"

namespace cucore::cpu::test {
namespace {

constexpr uint64_t PAGE_CELLS = uint64_t{1} << PAGE_SHIFT;
constexpr uint32_t RECORD = 9u << SEGMENT_SHIFT;
constexpr uint16_t SITE = 7, OTHER = 8;

// The last page has 24 cells and a half of words.
struct DividedCells {
  explicit DividedCells(uint32_t granule = 4)
      : shadow((PAGE_CELLS + 24) * granule + granule / 2), cells(*shadow.cells(granule)) {
    divide_lines(cells, 0, cells.count);
    for (uint64_t k = 0; k < cells.count; ++k) {
      cells.writer[k] = cells.reader[k] = RECORD;
      cells.writer_site[k] = cells.reader_site[k] = SITE;
    }
  }
  Shadow shadow;
  const Cells& cells;
};

class CellPages : public testing::TestWithParam<bool> {
 protected:
  static bool is_writer() { return GetParam(); }
  static uint32_t entry(const Cells& cells, uint64_t page) {
    return is_writer() ? cells.pages[page].writer : cells.pages[page].reader;
  }
  static uint32_t* records(const Cells& cells) { return is_writer() ? cells.writer : cells.reader; }
  static uint16_t* sites(const Cells& cells) {
    return is_writer() ? cells.writer_site : cells.reader_site;
  }
};

TEST_P(CellPages, HaveTheSiteOfAllCells) {
  for (const uint32_t granule : {1u, 2u, 4u, 8u}) {
    const DividedCells divided(granule);
    const Cells& cells = divided.cells;
    EXPECT_FALSE(find_page_site(cells, is_writer(), 0, OTHER));
    EXPECT_EQ(entry(cells, 0), 0u);
    EXPECT_TRUE(find_page_site(cells, is_writer(), 5, SITE));
    EXPECT_EQ(entry(cells, 0), PAGE_HAS_SITE | SITE);
    EXPECT_EQ(entry(cells, 1), 0u);
    EXPECT_TRUE(find_page_site(cells, is_writer(), PAGE_CELLS + 23, SITE)) << granule;
    EXPECT_EQ(entry(cells, 1), PAGE_HAS_SITE | SITE);
  }
}

TEST_P(CellPages, NeedTheSiteInEachCell) {
  const DividedCells divided;
  const Cells& cells = divided.cells;
  for (const uint64_t cell : {uint64_t{0}, uint64_t{15}, PAGE_CELLS - 1, cells.count - 1}) {
    sites(cells)[cell] = OTHER;
    EXPECT_FALSE(find_page_site(cells, is_writer(), cell, SITE)) << cell;
    EXPECT_EQ(sites(cells)[cell], OTHER);
    sites(cells)[cell] = SITE;
    EXPECT_TRUE(find_page_site(cells, is_writer(), cell, SITE)) << cell;
  }
}

TEST_P(CellPages, GiveTheirSiteToCellsWithoutARecord) {
  const DividedCells divided;
  const Cells& cells = divided.cells;
  records(cells)[100] = 0;
  sites(cells)[100] = 0;
  EXPECT_TRUE(find_page_site(cells, is_writer(), 0, SITE));
  EXPECT_EQ(sites(cells)[100], SITE);
}

TEST_P(CellPages, NeedDividedLines) {
  const DividedCells divided;
  const Cells& cells = divided.cells;
  for (const uint64_t line : {uint64_t{0}, PAGE_CELLS / LINE_CELLS - 1}) {
    cells.lines.writer[line] = RECORD;
    EXPECT_FALSE(find_page_site(cells, is_writer(), 0, SITE)) << line;
    cells.lines.writer[line] = DIVIDED;
  }
  EXPECT_TRUE(find_page_site(cells, is_writer(), 0, SITE));
}

TEST_P(CellPages, LoseTheirSiteToAnother) {
  const DividedCells divided;
  const Cells& cells = divided.cells;
  const auto find = [&] { return find_page_site(cells, is_writer(), 0, SITE); };
  EXPECT_TRUE(find());
  record_site(cells, is_writer(), 12, SITE);
  note_site(cells, is_writer(), 12, SITE);
  record_site(cells, !is_writer(), 12, OTHER);
  record_site(cells, is_writer(), PAGE_CELLS, OTHER);
  EXPECT_EQ(entry(cells, 0), PAGE_HAS_SITE | SITE);
  record_site(cells, is_writer(), PAGE_CELLS - 1, OTHER);
  EXPECT_EQ(entry(cells, 0), 0u);
  EXPECT_EQ(sites(cells)[PAGE_CELLS - 1], OTHER);
  EXPECT_FALSE(find());
  record_site(cells, is_writer(), PAGE_CELLS - 1, SITE);
  EXPECT_TRUE(find());
  leave_page(cells, is_writer(), 3);
  EXPECT_EQ(entry(cells, 0), 0u);
  EXPECT_TRUE(find());
  note_lines(cells, PAGE_CELLS - 16, 32);  // of both pages
  EXPECT_EQ(entry(cells, 0), 0u);
}

INSTANTIATE_TEST_SUITE_P(Cells, CellPages, testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "OfWriters" : "OfReaders");
});

TEST(PageSearches, BecomeLessFrequentWithoutSuccess) {
  PageSearches searches;
  const auto accesses = [&](bool finds) {
    int count = 1;
    while (!searches.is_due()) ++count;
    searches.note(finds);
    return count;
  };
  const int first = accesses(false), second = accesses(false), third = accesses(true);
  EXPECT_GT(first, 32);
  EXPECT_GT(second, first);
  EXPECT_GT(third, second);
  EXPECT_EQ(accesses(true), first);
  int last = 0;
  for (int k = 0; k < 20; ++k) last = accesses(false);
  EXPECT_LT(last, 10000);
  EXPECT_EQ(accesses(true), last);
  uint32_t lanes = 0;
  for (int k = 0; k < 64; ++k) {
    lanes |= 1u << searches.lane_of(0x80010001);
    searches.note(false);
  }
  EXPECT_EQ(lanes, 0x80010001u);
}

// Rows that begin in the middle of a line divide all lines. The instructions are the same in each
// launch.
TEST(PagesOfArrays, HaveTheirOnlyInstructions) {
  constexpr uint32_t COUNT = 1 << 14, FIRST = 3;
  const Array<uint32_t> in(COUNT + 32), out(COUNT + 32);
  const auto module = load_text(
      kernel_text("mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;\n"
                  "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;\n"
                  "ld.global.u32 %r4, [%rd3+12]; st.global.u32 [%rd4+12], %r4;"));
  enable_checks(CHECK_ALL);
  for (int k = 0; k < 20; ++k)
    expect_success(launch(*module->find_kernel("k"), shape(COUNT / 128, 128), nullptr, in.address(),
                          out.address(), int(COUNT)));
  enable_checks(0);
  Range range;
  const Cells& read = *AddressSpace::instance().shadow(in.address(), range)->cells(4);
  const Cells& written = *AddressSpace::instance().shadow(out.address(), range)->cells(4);
  ASSERT_EQ(read.shift, 2u);
  for (uint64_t page = 0; page < COUNT / PAGE_CELLS; ++page) {
    EXPECT_EQ(read.pages[page].reader, PAGE_HAS_SITE | read.reader_site[FIRST]) << page;
    EXPECT_EQ(written.pages[page].writer, PAGE_HAS_SITE | written.writer_site[FIRST]) << page;
  }
  EXPECT_NE(read.reader_site[FIRST], written.writer_site[FIRST]);
}

}  // namespace
}  // namespace cucore::cpu::test
