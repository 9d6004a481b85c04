// SPDX-License-Identifier: Apache-2.0
// The rules against a model that follows their text, for addresses of every kind.
#include "cpu/counts/access_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>

namespace cucore::cpu::test {
namespace {

constexpr uint64_t SECTOR = 32, LINE = 128, WORD = 4, BANKS = 32;

struct Warp32 {
  Lanes lanes = {};
  uint32_t mask = FULL_MASK;
  uint32_t size = 4;

  // Does what the executor does after it has read the addresses of the active lanes.
  void complete() {
    const uint64_t some = lanes.addresses[std::countr_zero(mask)];
    lanes.low = lanes.high = some;
    bool consecutive = mask == FULL_MASK, equal = mask == FULL_MASK;
    for (int l = 0; l < LANES; ++l) {
      uint64_t& a = lanes.addresses[l];
      if (!(mask >> l & 1)) a = some;
      lanes.low = std::min(lanes.low, a);
      lanes.high = std::max(lanes.high, a);
      consecutive &= a == lanes.addresses[0] + uint64_t(l) * size;
      equal &= a == some;
    }
    lanes.whole = consecutive ? Pattern::CONSECUTIVE : equal ? Pattern::EQUAL : Pattern::LANES;
    if (mask == FULL_MASK && lanes.whole == Pattern::LANES)
      for (int part = 0; part < 4; ++part) lanes.parts[part] = part_of(part * 8);
  }
  Pattern part_of(int first) const {
    bool consecutive = true, equal = true;
    const uint64_t begin = lanes.addresses[first];
    for (int l = 0; l < 8; ++l) {
      consecutive &= lanes.addresses[first + l] == begin + uint64_t(l) * size;
      equal &= lanes.addresses[first + l] == begin;
    }
    return consecutive ? Pattern::CONSECUTIVE : equal ? Pattern::EQUAL : Pattern::LANES;
  }
  WarpAccess access() const { return {lanes, mask, size}; }
  bool has(int l) const { return mask >> l & 1; }
};

std::set<uint64_t> units(const Warp32& w, int lane, uint64_t unit) {
  std::set<uint64_t> found;
  for (uint32_t b = 0; b < w.size; ++b) found.insert((w.lanes.addresses[lane] + b) / unit);
  return found;
}

uint64_t model_sectors(const Warp32& w) {
  std::set<uint64_t> all;
  for (int l = 0; l < LANES; ++l)
    if (w.has(l)) all.merge(units(w, l, SECTOR));
  return all.size();
}

uint64_t model_atomic_sectors(const Warp32& w) {
  constexpr uint64_t PLACES = 512;
  const int lanes_of_group = std::min(LANES, int(LINE / w.size));
  std::set<std::tuple<int, uint64_t, int>> pending;  // group, address, lane
  for (int l = 0; l < LANES; ++l)
    if (w.has(l)) pending.emplace(l / lanes_of_group, w.lanes.addresses[l], l);
  uint64_t sum = 0;
  while (!pending.empty()) {
    std::set<std::pair<int, uint64_t>> places;
    std::set<uint64_t> addresses, sectors;
    std::erase_if(pending, [&](const auto& access) {
      const auto& [group, address, lane] = access;
      if (!places.emplace(group, address % PLACES).second) return false;
      if (!addresses.insert(address).second) return false;
      sectors.insert(address / SECTOR);
      return true;
    });
    sum += sectors.size();
  }
  return sum;
}

uint64_t model_local_sectors(const Warp32& w) {
  std::set<uint64_t> all;
  for (int l = 0; l < LANES; ++l) {
    if (!w.has(l)) continue;
    for (const uint64_t word : units(w, l, WORD))
      all.insert((word * 128 + uint64_t(l) * 4) / SECTOR);
  }
  return all.size();
}

bool in_pairs(const Warp32& w, int bit) {
  for (int l = 0; l < LANES; ++l)
    if (w.has(l) && w.has(l ^ bit) && w.lanes.addresses[l] != w.lanes.addresses[l ^ bit])
      return false;
  return true;
}

std::pair<uint64_t, uint64_t> model_wavefronts(const Warp32& w, bool load) {
  int groups = w.size <= 4 ? 1 : w.size == 8 ? 2 : 4;
  if (groups > 1 && load && (in_pairs(w, 1) || in_pairs(w, 2))) groups /= 2;
  std::pair<uint64_t, uint64_t> sum;
  for (int g = 0; g < groups; ++g) {
    std::map<uint64_t, std::set<uint64_t>> words;
    for (int l = g * LANES / groups; l < (g + 1) * LANES / groups; ++l)
      if (w.has(l))
        for (const uint64_t word : units(w, l, WORD)) words[word % BANKS].insert(word);
    size_t most = 0;
    for (const auto& [bank, set] : words) most = std::max(most, set.size());
    sum.first += most;
    sum.second += most != 0;
  }
  return sum;
}

uint64_t model_shared_atomic(const Warp32& w) {
  std::map<uint64_t, uint64_t> lanes;
  for (int l = 0; l < LANES; ++l)
    if (w.has(l))
      for (const uint64_t word : units(w, l, WORD)) ++lanes[word % BANKS];
  uint64_t most = 0;
  for (const auto& [bank, count] : lanes) most = std::max(most, count);
  return most;
}

struct ModelLoop {
  std::pair<uint64_t, uint64_t> loads;
  uint64_t swaps = 0;
};

ModelLoop model_loop(Warp32 w) {
  ModelLoop loop;
  while (w.mask != 0) {
    const auto loads = model_wavefronts(w, true);
    loop.loads.first += loads.first;
    loop.loads.second += loads.second;
    std::map<std::pair<int, uint64_t>, uint64_t> first;  // address by half and bank
    std::set<int> halves;
    uint32_t done = 0;
    for (int l = 0; l < LANES; ++l) {
      if (!w.has(l)) continue;
      const uint64_t address = w.lanes.addresses[l], bank = address / 8 % 16;
      halves.insert(l / 16);
      if (!first.emplace(std::make_pair(l / 16, bank), address).second) continue;
      const auto below = first.find({0, bank});
      if (l < 16 || below == first.end() || below->second != address) done |= 1u << l;
    }
    loop.swaps += 2 * halves.size();
    w.mask &= ~done;
  }
  return loop;
}

void expect_loop(const Warp32& w) {
  const ModelLoop model = model_loop(w);
  const AtomicLoop found = atomic_loop_of(w.access());
  EXPECT_EQ(std::make_pair(uint64_t{found.loads.count}, uint64_t{found.loads.groups}), model.loads);
  EXPECT_EQ(found.swaps.count, model.swaps);
  EXPECT_EQ(found.swaps.groups, 2u * ((w.mask & 0xffff) != 0) + 2u * (w.mask >> 16 != 0));
}

void expect_rules(const Warp32& w) {
  EXPECT_EQ(sectors_of(w.access()), model_sectors(w));
  EXPECT_EQ(atomic_sectors_of(w.access()), model_atomic_sectors(w));
  EXPECT_EQ(local_sectors_of(w.access()), model_local_sectors(w));
  EXPECT_EQ(wavefronts_of(w.access(), SharedAccess::ATOMIC).count, model_shared_atomic(w));
  if (w.size == 8) expect_loop(w);
  if (w.size > 16) return;
  for (const bool load : {false, true}) {
    const Wavefronts found =
        wavefronts_of(w.access(), load ? SharedAccess::LOAD : SharedAccess::STORE);
    EXPECT_EQ(std::make_pair(uint64_t{found.count}, uint64_t{found.groups}),
              model_wavefronts(w, load));
  }
}

// The steps are in accesses, and wide enough to leave every small set.
TEST(AccessRules, HoldForEveryStep) {
  for (const uint32_t size : {1u, 2u, 4u, 8u, 16u, 32u}) {
    for (const int64_t step :
         {-5000, -64, -33, -8, -1, 0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 64, 96, 5000}) {
      for (const uint32_t mask : {FULL_MASK, 0x0000ffffu, 0xfffefffeu, 0x00010000u}) {
        Warp32 w;
        w.size = size;
        w.mask = mask;
        for (int l = 0; l < LANES; ++l)
          w.lanes.addresses[l] = (1 << 24) + uint64_t(int64_t{size} * (step * l + 3));
        w.complete();
        SCOPED_TRACE(testing::Message() << "size " << size << " step " << step << " mask " << mask);
        expect_rules(w);
      }
    }
  }
}

// Rows of 8 or 16 lanes, as those of a tile, which may overlap.
TEST(AccessRules, HoldForRows) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 2000; ++i) {
    Warp32 w;
    w.size = 1u << random() % 5;
    uint64_t begin = 0, step = 0;
    for (int l = 0; l < LANES; ++l) {
      if (l % (i % 2 ? 8 : 16) == 0) {
        begin = (1 << 20) + random() % 64 * w.size;
        step = random() % 2 * w.size;
      }
      w.lanes.addresses[l] = begin + uint64_t(l % 16) * step;
    }
    w.complete();
    SCOPED_TRACE(testing::Message() << "launch " << i);
    expect_rules(w);
    if (HasFailure()) break;
  }
}

TEST(AccessRules, HoldForRandomAddresses) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 4000; ++i) {
    Warp32 w;
    w.size = 1u << random() % 6;
    do {
      w.mask = i % 2 ? FULL_MASK : uint32_t(random());
    } while (w.mask == 0);
    // From a few equal addresses to a range beyond all small sets.
    const uint64_t range = uint64_t{1} << random() % 24;
    for (uint64_t& a : w.lanes.addresses) a = (1 << 20) + random() % range * w.size;
    if (i % 5 == 0)  // pairs
      for (int l = 0; l < LANES; ++l)
        w.lanes.addresses[l] = w.lanes.addresses[i % 2 ? l & ~1 : l & ~2];
    w.complete();
    SCOPED_TRACE(testing::Message() << "launch " << i);
    expect_rules(w);
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace cucore::cpu::test
