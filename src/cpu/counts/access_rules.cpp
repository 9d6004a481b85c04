// SPDX-License-Identifier: Apache-2.0
#include "cpu/counts/access_rules.hpp"

#include <algorithm>
#include <bit>
#include <unordered_set>

namespace cucore::cpu {
namespace {

constexpr uint32_t SECTOR_SHIFT = 5;
constexpr uint64_t SECTOR_BYTES = 1 << SECTOR_SHIFT;
constexpr uint32_t WORD_SHIFT = 2;
constexpr uint32_t BANKS = 32;
constexpr uint32_t GROUP_BYTES = 128;  // of all banks

template <class Visit>
void each_lane_of(uint32_t mask, Visit visit) {
  for (uint32_t m = mask; m; m &= m - 1) visit(std::countr_zero(m));
}

// A set of numbers below a limit. Most accesses of a warp touch a small range.
class SmallSet {
 public:
  static constexpr uint64_t LIMIT = 4096;

  explicit SmallSet(uint64_t limit) { std::fill_n(bits_, (limit + 63) / 64, uint64_t{0}); }
  // Returns whether the number is new.
  bool add(uint64_t number) {
    uint64_t& word = bits_[number >> 6];
    const uint64_t before = word;
    word |= uint64_t{1} << (number & 63);
    return word != before;
  }

 private:
  uint64_t bits_[LIMIT / 64];
};

// How often up to one key per lane has occurred.
class LaneCounts {
 public:
  LaneCounts() { std::fill_n(keys_, SIZE, NO_KEY); }
  // Returns the number of earlier calls with the key.
  uint32_t add(uint64_t key) {
    size_t at = size_t(key * 0x9e3779b97f4a7c15u >> (64 - SIZE_SHIFT));
    while (keys_[at] != NO_KEY && keys_[at] != key) at = (at + 1) % SIZE;
    if (keys_[at] == NO_KEY) counts_[at] = 0;
    keys_[at] = key;
    return counts_[at]++;
  }

 private:
  static constexpr unsigned SIZE_SHIFT = 7;
  static constexpr size_t SIZE = size_t{1} << SIZE_SHIFT;
  static constexpr uint64_t NO_KEY = ~uint64_t{0};
  uint64_t keys_[SIZE];
  uint8_t counts_[SIZE];
};

class LaneSet {
 public:
  // Returns whether the key is new.
  bool add(uint64_t key) { return keys_.add(key) == 0; }

 private:
  LaneCounts keys_;
};

// Returns whether each lane accesses `stride` bytes behind the lane before it.
bool has_stride(const WarpAccess& access, uint64_t& stride) {
  const uint64_t* a = access.lanes.addresses;
  stride = a[1] - a[0];
  uint64_t differs = 0;
  for (int l = 1; l < LANES; ++l) differs |= (a[l] - a[l - 1]) ^ stride;
  return access.mask == FULL_MASK && differs == 0;
}

// Inactive lanes have the address of an active one, so they add nothing new.
template <class Set>
uint32_t count_sectors(const WarpAccess& access, uint64_t first, Set&& set) {
  uint32_t count = 0;
  for (const uint64_t address : access.lanes.addresses)
    count += set.add((address >> SECTOR_SHIFT) - first);
  return count;
}

// Rows of a tile: each eight lanes have one address, or addresses that follow each other.
bool has_parts(const WarpAccess& access) {
  const Pattern* parts = access.lanes.parts;
  return access.mask == FULL_MASK &&
         std::none_of(parts, parts + 4, [](Pattern part) { return part == Pattern::LANES; });
}

uint32_t count_sectors_of_parts(const WarpAccess& access, uint64_t first, SmallSet set) {
  uint32_t count = 0;
  for (int part = 0; part < 4; ++part) {
    const uint64_t begin = access.at(part * 8);
    const uint64_t lanes = access.lanes.parts[part] == Pattern::EQUAL ? 1 : 8;
    const uint64_t last = (begin + lanes * access.size - 1) >> SECTOR_SHIFT;
    for (uint64_t sector = begin >> SECTOR_SHIFT; sector <= last; ++sector)
      count += set.add(sector - first);
  }
  return count;
}

// Returns the most different words in one bank, among the lanes of a group.
template <class Set>
uint32_t count_words(const WarpAccess& access, uint32_t mask, uint64_t first, Set&& set) {
  uint32_t counts[BANKS] = {};
  each_lane_of(mask, [&](int l) {
    const uint64_t end = (access.at(l) + access.size - 1) >> WORD_SHIFT;
    for (uint64_t word = access.at(l) >> WORD_SHIFT; word <= end; ++word)
      counts[word % BANKS] += set.add(word - first);
  });
  return *std::max_element(counts, counts + BANKS);
}

// Returns the wavefronts of a group of lanes.
uint32_t wavefronts_of_group(const WarpAccess& access, uint32_t mask) {
  uint64_t low = access.lanes.low, high = access.lanes.high;
  if (mask != access.mask) {
    low = ~uint64_t{0}, high = 0;
    each_lane_of(mask, [&](int l) {
      low = std::min(low, access.at(l));
      high = std::max(high, access.at(l));
    });
  }
  const uint64_t first = low >> WORD_SHIFT, last = (high + access.size - 1) >> WORD_SHIFT;
  if (last - first < BANKS) return 1;  // no bank has two words
  // Words at equal distances are in every n-th bank, where n is a power of two.
  uint64_t stride = 0;
  if (mask == FULL_MASK && access.size == 4 && has_stride(access, stride))
    return 1u << std::min(5, std::countr_zero(stride >> WORD_SHIFT));
  if (last - first < SmallSet::LIMIT)
    return count_words(access, mask, first, SmallSet(last - first + 1));
  return count_words(access, mask, first, LaneSet());  // a group has at most 32 words
}

bool add_to(SmallSet& set, uint64_t number) { return set.add(number); }
bool add_to(std::unordered_set<uint64_t>& set, uint64_t number) {
  return set.insert(number).second;
}

// A sector has a word of eight lanes.
constexpr int LANES_OF_SECTOR = 8;
constexpr uint64_t SECTORS_OF_WORD = LANES / LANES_OF_SECTOR;

template <class Set>
uint32_t count_local_sectors(const WarpAccess& access, uint64_t first, uint64_t words, Set&& set) {
  uint32_t count = 0;
  each_lane_of(access.mask, [&](int l) {
    const uint64_t begin = (access.at(l) >> WORD_SHIFT) - first;
    for (uint64_t word = begin; word < begin + words; ++word)
      count += add_to(set, word * SECTORS_OF_WORD + uint64_t(l / LANES_OF_SECTOR));
  });
  return count;
}

// Whether every lane reads the address of the lane whose number differs in one bit. Inactive lanes
// disprove nothing.
bool reads_in_pairs(const WarpAccess& access, uint32_t bit) {
  bool same = true;
  each_lane_of(access.mask, [&](int l) {
    const int other = l ^ int(bit);
    if (access.mask >> other & 1) same &= access.at(l) == access.at(other);
  });
  return same;
}

uint32_t lanes_of_busiest_bank(const WarpAccess& access) {
  uint32_t counts[BANKS] = {};
  each_lane_of(access.mask, [&](int l) {
    const uint64_t end = (access.at(l) + access.size - 1) >> WORD_SHIFT;
    for (uint64_t word = access.at(l) >> WORD_SHIFT; word <= end; ++word) ++counts[word % BANKS];
  });
  return *std::max_element(counts, counts + BANKS);
}

}  // namespace

// Accesses are aligned to their size, so one touches a part of a sector, or whole sectors.
uint32_t sectors_of(const WarpAccess& access) {
  const Lanes& lanes = access.lanes;
  const uint64_t first = lanes.low >> SECTOR_SHIFT;
  const uint64_t last = (lanes.high + access.size - 1) >> SECTOR_SHIFT;
  // Accesses that follow each other touch all sectors of their range.
  if (first == last || lanes.whole == Pattern::CONSECUTIVE) return uint32_t(last - first + 1);
  const uint32_t each = std::max(1u, access.size >> SECTOR_SHIFT);
  if (has_parts(access) && last - first < SmallSet::LIMIT)
    return count_sectors_of_parts(access, first, SmallSet(last - first + 1));
  uint64_t stride = 0;
  if (has_stride(access, stride) && stride >= SECTOR_BYTES && -stride >= SECTOR_BYTES)
    return each * uint32_t(LANES);
  if (last - first < SmallSet::LIMIT)
    return each * count_sectors(access, first, SmallSet(last - first + 1));
  return each * count_sectors(access, first, LaneSet());
}

uint32_t atomic_sectors_of(const WarpAccess& access) {
  if (access.lanes.whole == Pattern::CONSECUTIVE) return sectors_of(access);
  if (access.lanes.low == access.lanes.high) return uint32_t(std::popcount(access.mask));
  LaneCounts turns;
  LaneSet sectors;  // by turn
  uint32_t count = 0;
  each_lane_of(access.mask, [&](int l) {
    const uint64_t turn = turns.add(access.at(l));
    count += sectors.add(turn << 59 | access.at(l) >> SECTOR_SHIFT);
  });
  return count;
}

uint32_t local_sectors_of(const WarpAccess& access) {
  const uint64_t words = std::max(1u, access.size >> WORD_SHIFT);
  if (access.lanes.low == access.lanes.high) {
    uint32_t parts = 0;
    for (int first = 0; first < LANES; first += LANES_OF_SECTOR)
      parts += (access.mask >> first & 0xff) != 0;
    return uint32_t(words) * parts;
  }
  const uint64_t first = access.lanes.low >> WORD_SHIFT;
  const uint64_t limit = ((access.lanes.high >> WORD_SHIFT) - first + words) * SECTORS_OF_WORD;
  if (limit <= SmallSet::LIMIT) return count_local_sectors(access, first, words, SmallSet(limit));
  return count_local_sectors(access, first, words, std::unordered_set<uint64_t>());
}

Wavefronts wavefronts_of(const WarpAccess& access, SharedAccess kind) {
  if (kind == SharedAccess::ATOMIC) return {lanes_of_busiest_bank(access), 1};
  uint32_t groups = std::max(1u, access.size * uint32_t(LANES) / GROUP_BYTES);
  if (groups > 1 && kind == SharedAccess::LOAD &&
      (reads_in_pairs(access, 1) || reads_in_pairs(access, 2)))
    groups /= 2;
  const uint32_t lanes = uint32_t(LANES) / groups;
  Wavefronts sum;
  for (uint32_t g = 0; g < groups; ++g) {
    const uint32_t all = lanes == uint32_t(LANES) ? FULL_MASK : (uint32_t{1} << lanes) - 1;
    const uint32_t mask = access.mask & (all << (g * lanes % LANES));
    if (mask == 0) continue;
    sum.count += wavefronts_of_group(access, mask);
    ++sum.groups;
  }
  return sum;
}

}  // namespace cucore::cpu
