// SPDX-License-Identifier: Apache-2.0
// The quick check of an access against the rules of races for each of its cells. The records, the
// bits and the addresses are random.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "cpu/checks/cell_lines.hpp"
#include "cpu/checks/cell_pages.hpp"
#include "cpu/checks/shadow.hpp"
#include "cpu/exec/executor.hpp"
#include "cpu/exec/handlers.hpp"

namespace cucore::cpu::test {
namespace {

constexpr uint64_t BASE = 1 << 20, CELLS = 256, CELLS_OF_PAGE = uint64_t{1} << PAGE_SHIFT;
constexpr uint16_t OWN_SITE = 3, OTHER_SITE = 4;
// Ids of segments: earlier launches, this block before its last barrier, others of this launch.
constexpr uint32_t OLD = 5, BEFORE = 21, MINE = 30, NEIGHBOUR = 31, SEVERAL = 40, OTHER_BLOCK = 50;
constexpr uint32_t SEVERAL_WARPS_ID = 41;

constexpr uint32_t record(uint32_t id, uint32_t lane) { return id << SEGMENT_SHIFT | lane; }

// `joins`: reads of other warps and blocks get records that stand for several.
Rule rule_of_warp(bool joins = false) {
  Rule rule;
  rule.mine = record(MINE, 0);
  rule.end = record(64, 0);
  rule.stale = record(10, 0);
  rule.low = record(20, 0);
  rule.width = record(5, 0) - 1;
  rule.several_blocks = record(SEVERAL, SEVERAL_LANES);
  rule.several_width = 0;
  if (!joins) return rule;
  rule.several_warps = record(SEVERAL_WARPS_ID, SEVERAL_LANES);
  rule.other_warps = {record(NEIGHBOUR, 0), record(1, 0) - 1};
  rule.other_blocks[0] = {record(OTHER_BLOCK, 0), record(1, 0) - 1};
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
  std::optional<uint64_t> half = {};  // the offset of lane 16, if it does not continue the row
  uint64_t offset_of(uint64_t lane) const {
    return half && lane >= LANES / 2 ? *half + (lane - LANES / 2) * step : offset + lane * step;
  }
};

// The properties of the memory and the warp, besides the records.
struct Place {
  uint64_t base = BASE;
  bool read_only = false;
  bool has_cells = true, has_bits = true;
  uint32_t mask = FULL_MASK;
};

// The shadow of an allocation, and a warp that accesses it.
class Memory {
 public:
  explicit Memory(uint64_t size, uint64_t cells = CELLS)
      : count_(cells),
        shift_(uint32_t(__builtin_ctzll(size))),
        shadow_(cells * size),
        cells_(*shadow_.cells(uint32_t(size))),
        bits_(cells * size / 64 + 2) {
    for (auto& word : bits_) word = ~uint64_t{0};
  }
  uint64_t bytes() const { return count_ << shift_; }
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
  uint32_t end(bool is_writer) const {
    return is_writer ? cells_.ends->writer.load() : cells_.ends->reader.load();
  }

  bool run(const LaneChecks& checks, const Access& a, const Rule& rule = rule_of_warp(),
           const Place& place = {}) {
    uint64_t addresses[LANES];
    for (uint64_t l = 0; l < LANES; ++l) addresses[l] = place.base + a.offset_of(l) - 8;
    Warp w;
    w.bases[FRAME_BASE] = reinterpret_cast<std::byte*>(addresses);
    w.mask = place.mask;
    Op op;
    op[LoadStore::ADDRESS] = 0;
    op.imm = 8;
    op.site = OWN_SITE;
    ShadowSite sites[OWN_SITE + 1];
    sites[OWN_SITE] = {place.base,
                       bytes(),
                       place.has_cells ? &cells_ : nullptr,
                       place.has_bits ? bits_.data() : nullptr,
                       place.read_only,
                       false};
    const QuickCheck check = checks.quick(uint32_t(a.size), a.is_store);
    return check && check(w, op, sites, rule, searches_);
  }

 private:
  uint32_t value(const uint32_t* cells, const uint32_t* lines, uint64_t cell) const {
    if (is_divided(cell)) return cells[cell];
    return cell_of_line(lines[cell / LINE_CELLS], uint32_t(cell % LINE_CELLS));
  }

  const uint64_t count_;
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
          EXPECT_EQ(memory.end(is_store), rule_of_warp().end);
          EXPECT_EQ(memory.end(!is_store), 0u);
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

TEST_P(QuickChecks, RefuseOtherPlaces) {
  for (const LaneChecks* checks : all_checks())
    for (const bool is_store : {false, true}) {
      Memory memory(size());
      auto runs = [&](const Place& place) {
        return memory.run(*checks, row(is_store, 16), rule_of_warp(), place);
      };
      EXPECT_TRUE(runs({}));
      EXPECT_TRUE(runs({.has_bits = false})) << "all bytes are initialised";
      EXPECT_EQ(runs({.read_only = true}), !is_store);
      EXPECT_FALSE(runs({.has_cells = false}));
      EXPECT_FALSE(runs({.mask = ~uint32_t{2}}));
      EXPECT_EQ(runs({.base = BASE + 1}), size() == 1) << "registered memory has any address";
      Rule rule = rule_of_warp();
      rule.mine = 0;
      EXPECT_FALSE(memory.run(*checks, row(is_store, 16), rule)) << "no ids are left";
    }
}

TEST_P(QuickChecks, RecordSitesInTwoPages) {
  for (const LaneChecks* checks : all_checks())
    for (const bool is_store : {false, true}) {
      Memory memory(size(), CELLS_OF_PAGE + 64);
      const Cells& cells = memory.cells();
      divide_lines(cells, 0, CELLS_OF_PAGE + 64);
      uint16_t* const sites = is_store ? cells.writer_site : cells.reader_site;
      std::fill_n(sites, CELLS_OF_PAGE, OWN_SITE);
      std::fill_n(sites + CELLS_OF_PAGE, 64, OTHER_SITE);
      ASSERT_TRUE(find_page_site(cells, is_store, 0, OWN_SITE));
      ASSERT_TRUE(find_page_site(cells, is_store, CELLS_OF_PAGE, OTHER_SITE));
      ASSERT_TRUE(memory.run(*checks, row(is_store, CELLS_OF_PAGE - 9)));
      for (uint64_t k = CELLS_OF_PAGE - 9; k < CELLS_OF_PAGE + LANES - 9; ++k)
        ASSERT_EQ(memory.site(k, is_store), OWN_SITE) << k;
      const PageSites& second = cells.pages[1];
      EXPECT_EQ(is_store ? second.writer : second.reader, 0u) << "it has several sites";
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

TEST_P(QuickChecks, JoinReadersOfLines) {
  const uint32_t warps = record(SEVERAL_WARPS_ID, SEVERAL_LANES);
  const uint32_t blocks = record(SEVERAL, SEVERAL_LANES);
  const std::pair<uint32_t, uint32_t> rows[] = {
      {NEIGHBOUR, warps}, {OTHER_BLOCK, blocks}, {SEVERAL_WARPS_ID, warps}, {SEVERAL, blocks}};
  for (const LaneChecks* checks : all_checks())
    for (const auto& [id, joined] : rows) {
      Memory memory(size());
      for (const uint64_t line : {1, 2})
        memory.cells().lines.reader[line] = record(id, SEVERAL_LANES);
      ASSERT_TRUE(memory.run(*checks, row(false, 16), rule_of_warp(true))) << id;
      EXPECT_EQ(memory.reader(16), joined);
      EXPECT_EQ(memory.reader(47), joined);
      if (id == NEIGHBOUR || id == OTHER_BLOCK) {
        memory.cells().lines.reader[1] = record(id, SEVERAL_LANES);
        EXPECT_FALSE(memory.run(*checks, row(false, 16))) << "the exact check finds their order";
      }
      EXPECT_FALSE(memory.run(*checks, row(true, 16), rule_of_warp(true))) << "a race";
    }
}

// The rules of races for one cell, in the words of the design.
bool may_load(uint32_t writer, uint32_t lane) {
  return happened_before(writer) || (writer & ~CELL_STRONG) == record(MINE, lane);
}
bool may_store(uint32_t writer, uint32_t reader, uint32_t lane) {
  return may_load(writer, lane) && may_load(reader, lane);
}
std::optional<uint32_t> reader_after(uint32_t reader, uint32_t lane, bool joins) {
  const uint32_t id = reader >> SEGMENT_SHIFT;
  const uint32_t warps = record(SEVERAL_WARPS_ID, SEVERAL_LANES);
  const uint32_t blocks = record(SEVERAL, SEVERAL_LANES);
  if (reader == blocks || (joins && reader == warps)) return reader;
  if (happened_before(reader) || (reader & ~CELL_STRONG) == record(MINE, lane))
    return record(MINE, lane);
  if (id == MINE) return record(MINE, SEVERAL_LANES);
  if (joins && id == NEIGHBOUR) return warps;
  if (joins && id == OTHER_BLOCK) return blocks;
  return std::nullopt;  // the exact check decides
}

// A memory with random records, and a random access to it.
class Turn {
 public:
  Turn(std::mt19937& random, uint64_t size) : random_(random), memory(size) {
    is_divided_ = below(2);
    joins = below(2);
    access = {size, below(2) != 0, any_first() * size, size};
    if (below(2)) access.half = any_first() * size;
  }
  void fill();
  uint64_t cell_of(uint32_t lane) const { return access.offset_of(lane) / access.size; }
  bool is_divided() const { return is_divided_; }
  uint32_t below(uint32_t bound) { return uint32_t(random_() % bound); }

 private:
  uint64_t any_first() {
    return is_divided_ ? below(CELLS - LANES) : below(CELLS / LINE_CELLS - 1) * LINE_CELLS;
  }
  uint32_t any_record(uint32_t lane, uint32_t ids);
  std::mt19937& random_;
  bool is_divided_ = false;

 public:
  Memory memory;
  Access access{};
  bool joins = false;
};

uint32_t Turn::any_record(uint32_t lane, uint32_t ids) {
  constexpr uint32_t IDS[] = {0,         OLD,         BEFORE,  MINE,
                              NEIGHBOUR, OTHER_BLOCK, SEVERAL, SEVERAL_WARPS_ID};
  const uint32_t id = IDS[below(ids)];
  if (id == SEVERAL || id == SEVERAL_WARPS_ID) return record(id, SEVERAL_LANES);
  const uint32_t flag = below(8) ? 0 : CELL_STRONG;
  return id == 0 ? 0 : record(id, below(4) ? lane : below(33)) | flag;
}

// Few memories have many kinds of records. In some, all of the kind that is not written are old.
void Turn::fill() {
  constexpr uint32_t OLD_IDS = 2, MOST[] = {3, 4, 8};
  const uint32_t ids = MOST[below(3)];
  const bool is_old = below(2), is_rare = below(2);
  const uint32_t writer_ids = is_old && !access.is_store ? OLD_IDS : ids;
  const uint32_t reader_ids = is_old && access.is_store ? OLD_IDS : ids;
  const Cells& cells = memory.cells();
  for (uint32_t l = 0; l < LANES; ++l) {
    if (is_rare && below(16)) continue;
    const uint64_t cell = cell_of(l);
    if (!is_divided_ && cell % LINE_CELLS != 0) continue;
    const Records& records = is_divided_ ? static_cast<const Records&>(cells) : cells.lines;
    const uint64_t at = is_divided_ ? cell : cell / LINE_CELLS;
    const uint32_t code = is_divided_ ? l : line_code(l, 0);
    records.writer[at] = any_record(code, writer_ids);
    records.reader[at] = any_record(code, reader_ids);
  }
  RecordEnds::note(cells.ends->writer, record(writer_ids == OLD_IDS ? 9 : 60, 0));
  RecordEnds::note(cells.ends->reader, record(reader_ids == OLD_IDS ? 9 : 60, 0));
}

TEST_P(QuickChecks, KeepTheRulesOfRaces) {
  std::mt19937 random(7);
  unsigned passed = 0, refused = 0;
  for (const LaneChecks* checks : all_checks())
    for (int number = 0; number < 3000; ++number) {
      Turn turn(random, size());
      Memory& memory = turn.memory;
      const uint16_t page_sites[] = {0, 0, OWN_SITE, OTHER_SITE};
      if (turn.is_divided()) divide(memory, page_sites[turn.below(4)]);
      turn.fill();
      // The lanes access their cells one after the other.
      std::map<uint64_t, std::pair<uint32_t, uint32_t>> cells;
      for (uint32_t l = 0; l < LANES; ++l)
        cells[turn.cell_of(l)] = {memory.writer(turn.cell_of(l)), memory.reader(turn.cell_of(l))};
      bool may_pass = true;
      for (uint32_t l = 0; l < LANES && may_pass; ++l) {
        auto& [writer, reader] = cells[turn.cell_of(l)];
        const auto after = reader_after(reader, l, turn.joins);
        may_pass = turn.access.is_store ? may_store(writer, reader, l)
                                        : may_load(writer, l) && after.has_value();
        if (may_pass)
          (turn.access.is_store ? writer : reader) =
              turn.access.is_store ? record(MINE, l) : *after;
      }
      if (!memory.run(*checks, turn.access, rule_of_warp(turn.joins))) {
        ++refused;
        continue;
      }
      ++passed;
      ASSERT_TRUE(may_pass) << "turn " << number;
      for (const auto& [cell, expected] : cells) {
        ASSERT_EQ(memory.writer(cell), expected.first) << "turn " << number << " cell " << cell;
        ASSERT_EQ(memory.reader(cell), expected.second) << "turn " << number << " cell " << cell;
      }
    }
  EXPECT_GT(passed, 1000u * all_checks().size());
  EXPECT_GT(refused, 500u * all_checks().size());
}

INSTANTIATE_TEST_SUITE_P(Size, QuickChecks, testing::Values(1, 2, 4, 8));

}  // namespace
}  // namespace cucore::cpu::test
