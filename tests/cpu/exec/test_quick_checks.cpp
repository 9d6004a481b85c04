// SPDX-License-Identifier: Apache-2.0
// The quick check of an access against the rules of races for each of its cells. The records, the
// bits and the addresses are random.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "cpu/checks/cell_lines.hpp"
#include "cpu/checks/cell_pages.hpp"
#include "cpu/checks/shadow.hpp"
#include "cpu/exec/executor.hpp"
#include "cpu/exec/handlers.hpp"

namespace cucore::cpu::test {
namespace {

constexpr uint64_t BASE = 1 << 20, CELLS = 256;
constexpr uint16_t OWN_SITE = 3, OTHER_SITE = 4;
// Ids of segments: earlier launches, this block before its last barrier, others of this launch.
constexpr uint32_t OLD = 5, BEFORE = 21, MINE = 30, NEIGHBOUR = 31, SEVERAL = 40, OTHER_BLOCK = 50;

constexpr uint32_t record(uint32_t id, uint32_t lane) { return id << SEGMENT_SHIFT | lane; }

Rule rule_of_warp() {
  Rule rule;
  rule.mine = record(MINE, 0);
  rule.end = record(64, 0);
  rule.stale = record(10, 0);
  rule.low = record(20, 0);
  rule.width = record(5, 0) - 1;
  rule.several_blocks = record(SEVERAL, SEVERAL_LANES);
  rule.several_width = 0;
  return rule;
}

bool happened_before(uint32_t c) {
  const uint32_t id = c >> SEGMENT_SHIFT;
  return id < 10 || (id >= 20 && id < 25);
}

struct Access {
  uint64_t size;
  bool is_store;
  uint64_t offset;  // of lane 0
  uint64_t step;
  uint64_t half = 0;  // of lane 16; 0: it continues the row
  uint64_t offset_of(uint64_t lane) const {
    return half && lane >= LANES / 2 ? half + (lane - LANES / 2) * step : offset + lane * step;
  }
};

// The shadow of an allocation, and a warp that accesses it.
class Memory {
 public:
  explicit Memory(uint64_t size)
      : shift_(uint32_t(__builtin_ctzll(size))),
        shadow_(CELLS * size),
        cells_(*shadow_.cells(uint32_t(size))),
        bits_(CELLS * size / 64 + 2) {
    for (auto& word : bits_) word = ~uint64_t{0};
  }
  uint64_t bytes() const { return CELLS << shift_; }
  const Cells& cells() const { return cells_; }
  std::vector<std::atomic<uint64_t>>& bits() { return bits_; }
  bool is_set(uint64_t byte) const { return bits_[byte / 64] >> byte % 64 & 1; }
  bool is_divided(uint64_t cell) const { return cells_.lines.writer[cell / LINE_CELLS] == DIVIDED; }
  uint32_t writer(uint64_t cell) const { return value(cells_.writer, cells_.lines.writer, cell); }
  uint32_t reader(uint64_t cell) const { return value(cells_.reader, cells_.lines.reader, cell); }
  uint16_t site(uint64_t cell, bool is_writer) const {
    const Records& r = is_divided(cell) ? static_cast<const Records&>(cells_) : cells_.lines;
    const uint64_t at = is_divided(cell) ? cell : cell / LINE_CELLS;
    return (is_writer ? r.writer_site : r.reader_site)[at];
  }
  void note(uint32_t record) {
    RecordEnds::note(cells_.ends->writer, record);
    RecordEnds::note(cells_.ends->reader, record);
  }

  bool run(const LaneChecks& checks, const Access& a) {
    uint64_t addresses[LANES];
    for (uint64_t l = 0; l < LANES; ++l) addresses[l] = BASE + a.offset_of(l) - 8;
    Warp w;
    w.bases[FRAME_BASE] = reinterpret_cast<std::byte*>(addresses);
    w.mask = FULL_MASK;
    Op op;
    op[LoadStore::ADDRESS] = 0;
    op.imm = 8;
    op.site = OWN_SITE;
    ShadowSite sites[OWN_SITE + 1];
    sites[OWN_SITE] = {BASE, bytes(), &cells_, bits_.data(), false, false};
    const QuickCheck check = checks.quick(uint32_t(a.size), a.is_store);
    return check && check(w, op, sites, rule_of_warp(), searches_);
  }

 private:
  uint32_t value(const uint32_t* cells, const uint32_t* lines, uint64_t cell) const {
    if (is_divided(cell)) return cells[cell];
    return cell_of_line(lines[cell / LINE_CELLS], uint32_t(cell % LINE_CELLS));
  }

  const uint32_t shift_;
  Shadow shadow_;
  const Cells& cells_;
  std::vector<std::atomic<uint64_t>> bits_;
  PageSearches searches_;
};

std::vector<const LaneChecks*> all_checks() {
  std::vector<const LaneChecks*> all;
  for (const Simd level : {Simd::BASELINE, Simd::AVX2, Simd::AVX512})
    if (level <= simd_level()) all.push_back(&handlers_for(level).lane_checks());
  return all;
}

class QuickChecks : public testing::TestWithParam<uint64_t> {
 protected:
  uint64_t size() const { return GetParam(); }
  Access row(bool is_store, uint64_t first) const {
    return {size(), is_store, first * size(), size()};
  }
  Access element(uint64_t cell) const { return {size(), false, cell * size(), 0}; }
  static void divide(Memory& memory, uint16_t page_site) {
    divide_lines(memory.cells(), 0, CELLS);
    if (page_site == 0) return;
    for (uint64_t k = 0; k < CELLS; ++k)
      memory.cells().writer_site[k] = memory.cells().reader_site[k] = page_site;
    ASSERT_TRUE(find_page_site(memory.cells(), true, 0, page_site));
    ASSERT_TRUE(find_page_site(memory.cells(), false, 0, page_site));
  }
};

TEST_P(QuickChecks, RecordRowsOfLinesAndOfCells) {
  for (const LaneChecks* checks : all_checks())
    for (const bool is_store : {false, true})
      for (const bool is_divided : {false, true})
        for (const uint64_t first : {0, 16, 23}) {
          if (first % LINE_CELLS && !is_divided) continue;
          Memory memory(size());
          if (is_divided) divide(memory, first == 23 ? OWN_SITE : 0);
          ASSERT_TRUE(memory.run(*checks, row(is_store, first)));
          for (uint32_t l = 0; l < LANES; ++l) {
            const uint64_t cell = first + l;
            EXPECT_EQ(is_store ? memory.writer(cell) : memory.reader(cell), record(MINE, l));
            EXPECT_EQ(is_store ? memory.reader(cell) : memory.writer(cell), 0u);
            EXPECT_EQ(memory.site(cell, is_store), OWN_SITE);
          }
          ASSERT_TRUE(memory.run(*checks, row(true, first))) << "of the same lanes";
        }
}

TEST_P(QuickChecks, RefuseOtherAccesses) {
  for (const LaneChecks* checks : all_checks()) {
    Memory memory(size());
    divide(memory, 0);
    EXPECT_TRUE(memory.run(*checks, row(false, CELLS - LANES)));
    EXPECT_FALSE(memory.run(*checks, row(false, CELLS - LANES + 1))) << "beyond the end";
    EXPECT_FALSE(memory.run(*checks, row(false, ~uint64_t{0}))) << "before the begin";
    EXPECT_FALSE(memory.run(*checks, {size(), false, 0, size() * 2})) << "a stride";
    EXPECT_FALSE(memory.run(*checks, {size(), true, 0, 0})) << "a store to one element";
    EXPECT_EQ(memory.run(*checks, {size(), false, 1, size()}), size() == 1) << "misaligned";
    EXPECT_EQ(checks->quick(16, false), nullptr);
    Memory smaller(size() == 1 ? 2 : size() / 2);
    EXPECT_FALSE(smaller.run(*checks, row(false, 0))) << "cells of another size";
  }
}

TEST_P(QuickChecks, SeeEachByteThatIsUninitialised) {
  for (const LaneChecks* checks : all_checks())
    for (const bool is_divided : {false, true})
      for (uint64_t byte = 0; byte < LANES * size(); ++byte) {
        const uint64_t first = is_divided ? 19 : 16, at = first * size() + byte;
        Memory memory(size());
        if (is_divided) divide(memory, 0);
        memory.bits()[at / 64] &= ~(uint64_t{1} << at % 64);
        ASSERT_FALSE(memory.run(*checks, row(false, first))) << byte;
        ASSERT_TRUE(memory.run(*checks, row(true, first))) << byte;
        ASSERT_TRUE(memory.is_set(at)) << byte;
      }
}

TEST_P(QuickChecks, BoundEachHalf) {
  for (const LaneChecks* checks : all_checks())
    for (const bool is_store : {false, true}) {
      Memory memory(size());
      divide(memory, 0);
      Access access = row(is_store, 5);
      for (const uint64_t good : {uint64_t{40}, CELLS - LANES / 2}) {
        access.half = good * size();
        EXPECT_TRUE(memory.run(*checks, access)) << good;
        EXPECT_EQ(is_store ? memory.writer(good + 15) : memory.reader(good + 15), record(MINE, 31));
      }
      for (const uint64_t bad : {CELLS - LANES / 2 + 1, CELLS, ~uint64_t{0}}) {
        access.half = bad * size();
        EXPECT_FALSE(memory.run(*checks, access)) << bad;
      }
      access.half = 100 * size() + 1;
      EXPECT_EQ(memory.run(*checks, access), size() == 1) << "misaligned";
      access = {size(), is_store, 0, size() * 2, 64 * size()};
      EXPECT_FALSE(memory.run(*checks, access)) << "a stride";
    }
}

TEST_P(QuickChecks, SetNoOtherBits) {
  for (const LaneChecks* checks : all_checks()) {
    Memory memory(size());
    divide(memory, 0);
    for (auto& word : memory.bits()) word = 0;
    ASSERT_TRUE(memory.run(*checks, row(true, 37)));
    for (uint64_t byte = 0; byte < memory.bytes(); ++byte)
      ASSERT_EQ(memory.is_set(byte), byte / size() >= 37 && byte / size() < 37 + LANES) << byte;
  }
}

TEST_P(QuickChecks, PassElementsThatSeveralBlocksRead) {
  for (const LaneChecks* checks : all_checks()) {
    Memory memory(size());
    divide(memory, 0);
    EXPECT_FALSE(memory.run(*checks, element(9))) << "the first read of it";
    memory.cells().reader[9] = record(SEVERAL, SEVERAL_LANES);
    EXPECT_TRUE(memory.run(*checks, element(9)));
    memory.bits()[9 * size() / 64] = 0;
    EXPECT_FALSE(memory.run(*checks, element(9))) << "uninitialised";
    memory.bits()[9 * size() / 64] = ~uint64_t{0};
    RecordEnds::note(memory.cells().ends->writer, record(NEIGHBOUR, 0));
    EXPECT_FALSE(memory.run(*checks, element(9))) << "written in this launch";
  }
}

// The rules of races for one cell, in the words of the design.
bool may_load(uint32_t writer, uint32_t lane) {
  return happened_before(writer) || (writer & ~CELL_STRONG) == record(MINE, lane);
}
bool may_store(uint32_t writer, uint32_t reader, uint32_t lane) {
  return may_load(writer, lane) && may_load(reader, lane);
}
std::optional<uint32_t> reader_after(uint32_t reader, uint32_t lane) {
  if (reader == record(SEVERAL, SEVERAL_LANES)) return reader;
  if (happened_before(reader) || (reader & ~CELL_STRONG) == record(MINE, lane))
    return record(MINE, lane);
  if (reader >> SEGMENT_SHIFT == MINE) return record(MINE, SEVERAL_LANES);
  return std::nullopt;  // the exact check decides
}

TEST_P(QuickChecks, KeepTheRulesOfRaces) {
  std::mt19937 random(7);
  const uint32_t ids[] = {0, OLD, BEFORE, MINE, NEIGHBOUR, SEVERAL, OTHER_BLOCK};
  unsigned passed = 0, refused = 0;
  for (const LaneChecks* checks : all_checks())
    for (int turn = 0; turn < 4000; ++turn) {
      Memory memory(size());
      const bool is_store = random() % 2, is_divided = random() % 2;
      auto any_first = [&](uint64_t end) {
        return is_divided ? random() % (end - LANES)
                          : random() % (end / LINE_CELLS - 1) * LINE_CELLS;
      };
      Access access = row(is_store, any_first(CELLS));
      if (random() % 2) {
        access = row(is_store, any_first(CELLS / 2));
        access.half = (CELLS / 2 + any_first(CELLS / 2)) * size();
      }
      auto cell_of = [&](uint32_t lane) { return access.offset_of(lane) / size(); };
      if (is_divided) divide(memory, random() % 3 == 0 ? OWN_SITE : random() % 2 ? OTHER_SITE : 0);
      memory.note(record(60, 0));
      // Few programs have many kinds of records.
      const uint32_t kinds = random() % 3;
      auto any_record = [&](uint32_t lane) {
        const uint32_t most = kinds == 0 ? 3 : kinds == 1 ? 4 : 7;
        const uint32_t id = ids[random() % most];
        if (id == SEVERAL) return record(SEVERAL, SEVERAL_LANES);
        return id == 0 ? 0 : record(id, random() % 4 ? lane : uint32_t(random() % 33));
      };
      const bool is_rare = random() % 2;  // most cells have no record
      for (uint32_t l = 0; l < LANES; ++l) {
        if (is_rare && random() % 16) continue;
        const uint64_t cell = cell_of(l);
        if (is_divided) {
          memory.cells().writer[cell] = any_record(l);
          memory.cells().reader[cell] = any_record(l);
        } else if (cell % LINE_CELLS == 0) {
          const uint32_t code = line_code(l, 0);
          memory.cells().lines.writer[cell / LINE_CELLS] = any_record(code);
          memory.cells().lines.reader[cell / LINE_CELLS] = any_record(code);
        }
      }
      uint32_t writers[LANES], readers[LANES];
      bool may_pass = true;
      for (uint32_t l = 0; l < LANES; ++l) {
        writers[l] = memory.writer(cell_of(l));
        readers[l] = memory.reader(cell_of(l));
        may_pass &= is_store ? may_store(writers[l], readers[l], l)
                             : may_load(writers[l], l) && reader_after(readers[l], l);
      }
      if (!memory.run(*checks, access)) {
        ++refused;
        continue;
      }
      ++passed;
      ASSERT_TRUE(may_pass) << "turn " << turn;
      for (uint32_t l = 0; l < LANES; ++l) {
        const uint32_t reader = is_store ? readers[l] : *reader_after(readers[l], l);
        ASSERT_EQ(memory.writer(cell_of(l)), is_store ? record(MINE, l) : writers[l]) << turn;
        ASSERT_EQ(memory.reader(cell_of(l)), reader) << turn << " lane " << l;
      }
    }
  EXPECT_GT(passed, 1000u * all_checks().size());
  EXPECT_GT(refused, 500u * all_checks().size());
}

INSTANTIATE_TEST_SUITE_P(Size, QuickChecks, testing::Values(1, 2, 4, 8));

}  // namespace
}  // namespace cucore::cpu::test
