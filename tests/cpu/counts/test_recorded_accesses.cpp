// SPDX-License-Identifier: Apache-2.0
// The counts of the accesses of access_cases.cpp: by their definition, and against the counters of
// a GPU in tests/data/access_patterns/more_patterns.csv.
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "access_cases.hpp"
#include "counted.hpp"

namespace cucore::cpu::test {
namespace {

using accesses::AccessCase;
using accesses::ARRAY_BYTES;

constexpr size_t ACCESS_COUNTERS = 11;

// A row of the table of a GPU.
struct RecordedAccess {
  AccessCase launched;
  std::array<uint64_t, ACCESS_COUNTERS> counters;  // in the order of the file
};

class AccessCounter {
 public:
  Counted count(const AccessCase& each) {
    auto& module = modules_[each.access];
    if (!module) module = load_text(accesses::access_ptx(each.access));
    const Array<uint32_t> offsets(std::vector<uint32_t>(each.offsets.begin(), each.offsets.end()));
    return count_launch(*module->find_kernel("k"), shape(1, LANES, ARRAY_BYTES), array_.address(),
                        offsets.address(), each.mask);
  }

 private:
  Array<uint32_t> array_{ARRAY_BYTES / sizeof(uint32_t)};
  std::map<std::string, std::shared_ptr<LoadedModule>> modules_;
};

std::vector<RecordedAccess> read_accesses(std::istream& file) {
  std::vector<RecordedAccess> list;
  std::string line, word;
  std::getline(file, line);  // names
  while (std::getline(file, line)) {
    std::stringstream words(line);
    RecordedAccess& row = list.emplace_back();
    const auto number = [&] {
      std::getline(words, word, ',');
      return std::stoull(word);
    };
    std::getline(words, row.launched.access, ',');
    std::getline(words, row.launched.pattern, ',');
    row.launched.mask = uint32_t(number());
    for (uint64_t& counter : row.counters) counter = number();
    for (uint32_t& offset : row.launched.offsets) offset = uint32_t(number());
  }
  return list;
}

// Atomic operations with and without a result are counted together.
std::array<uint64_t, ACCESS_COUNTERS> counters_in_order(const cucore_cpu_counts& c,
                                                        bool has_result) {
  const uint64_t sectors = c.global_atomic.sectors;
  return {c.shared_load.bank_conflicts, c.shared_store.bank_conflicts, c.shared_atomic.wavefronts,
          c.shared_load.wavefronts,     c.shared_store.wavefronts,     c.global_load.requests,
          c.global_store.requests,      c.global_load.sectors,         has_result ? 0 : sectors,
          has_result ? sectors : 0,     c.global_store.sectors};
}

TEST(RecordedAccesses, AreManyAndDifferent) {
  std::set<std::string> different;
  size_t inactive = 0, small = 0, total = 0;
  for (const AccessCase& each : accesses::make_access_cases()) {
    std::string key = each.access + " " + std::to_string(each.mask);
    for (const uint32_t offset : each.offsets) key += " " + std::to_string(offset);
    EXPECT_TRUE(different.insert(key).second) << each.access << " " << each.pattern;
    inactive += each.mask != ~0u;
    small += each.access.ends_with("d1") || each.access.ends_with("t1") ||
             each.access.ends_with("d2") || each.access.ends_with("t2");
    ++total;
  }
  EXPECT_GE(total, 200u);
  EXPECT_GE(inactive, 100u);
  EXPECT_GE(small, 80u);
}

// Loads and stores of global memory: the different sectors of the active lanes.
TEST(RecordedAccesses, OfGlobalMemoryHaveTheSectorsOfTheActiveLanes) {
  AccessCounter counter;
  for (const AccessCase& each : accesses::make_access_cases()) {
    const bool is_load = each.access.starts_with("gld");
    if (!is_load && !each.access.starts_with("gst")) continue;
    std::set<uint32_t> sectors;
    for (int lane = 0; lane < LANES; ++lane)
      if (each.mask >> lane & 1) sectors.insert(each.offsets[size_t(lane)] / 32);
    const Counted counted = counter.count(each);
    const auto& own = is_load ? counted.totals().global_load : counted.totals().global_store;
    EXPECT_EQ(own.sectors, sectors.size() + (is_load ? 4 : 0))
        << each.access << " " << each.pattern;
    EXPECT_EQ(own.requests, is_load ? 2u : 1u);
    EXPECT_EQ(counted.totals().global_store.requests, is_load ? 0u : 1u);
  }
}

TEST(RecordedAccesses, HaveTheCountersOfTheGpu) {
  std::ifstream file(CUCORE_MORE_ACCESS_PATTERNS);
  ASSERT_TRUE(file) << CUCORE_MORE_ACCESS_PATTERNS " is missing";
  AccessCounter counter;
  size_t rows = 0;
  for (const RecordedAccess& row : read_accesses(file)) {
    const Counted counted = counter.count(row.launched);
    EXPECT_EQ(counters_in_order(counted.totals(), row.launched.access.starts_with("gatom")),
              row.counters)
        << row.launched.access << " " << row.launched.pattern;
    ++rows;
  }
  EXPECT_EQ(rows, accesses::make_access_cases().size());
}

}  // namespace
}  // namespace cucore::cpu::test
