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
    const size_t at = place_of(key);
    if (keys_[at] == NO_KEY) counts_[at] = 0;
    keys_[at] = key;
    return counts_[at]++;
  }

 private:
  // Returns the place of the key, or the free place that it would take.
  size_t place_of(uint64_t key) const {
    size_t at = size_t(key * 0x9e3779b97f4a7c15u >> (64 - SIZE_SHIFT));
    while (keys_[at] != NO_KEY && keys_[at] != key) at = (at + 1) % SIZE;
    return at;
  }

  static constexpr unsigned SIZE_SHIFT = 7;
  static constexpr size_t SIZE = size_t{1} << SIZE_SHIFT;
  static constexpr uint64_t NO_KEY = ~uint64_t{0};
  uint64_t keys_[SIZE];
  uint8_t counts_[SIZE];
};

// The number of the last lane of each key. The memory needs no first value, because only what was
// written is read. No load waits for the store before it, as in a set of bits.
class Owners {
 public:
  static constexpr size_t SIZE = size_t{1} << 14;

  Owners() {}  // NOLINT(modernize-use-equals-default): no first value
  void set(uint32_t lane, uint64_t key) { owners_[key] = uint8_t(lane); }
  uint8_t of(uint64_t key) const { return owners_[key]; }
  bool is_last(uint32_t lane, uint64_t key) const { return owners_[key] == lane; }
  bool failed() const { return false; }

 private:
  uint8_t owners_[SIZE];
};

// The same for large keys, which share places. If two have one place, the answers are wrong.
class HashedOwners {
 public:
  HashedOwners() {}  // NOLINT(modernize-use-equals-default): no first value
  void set(uint32_t lane, uint64_t key) {
    keys_[lane] = key;
    owners_.set(lane, place_of(key));
  }
  bool is_last(uint32_t lane, uint64_t key) {
    const uint8_t owner = owners_.of(place_of(key));
    differs_ |= keys_[owner] ^ key;
    return owner == lane;
  }
  bool failed() const { return differs_ != 0; }

 private:
  static uint64_t place_of(uint64_t key) { return key * 0x9e3779b97f4a7c15u >> 50; }

  uint64_t differs_ = 0;
  uint64_t keys_[LANES];
  Owners owners_;
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
template <class Owned>
uint32_t count_sectors(const WarpAccess& access, uint64_t first, Owned&& owners) {
  const uint64_t* a = access.lanes.addresses;
  for (uint32_t l = 0; l < LANES; ++l) owners.set(l, (a[l] >> SECTOR_SHIFT) - first);
  uint32_t count = 0;
  for (uint32_t l = 0; l < LANES; ++l) count += owners.is_last(l, (a[l] >> SECTOR_SHIFT) - first);
  if (!owners.failed()) return count;
  LaneSet set;
  count = 0;
  for (int l = 0; l < LANES; ++l) count += set.add(a[l] >> SECTOR_SHIFT);
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

// The groups of lanes that access 128 bytes together, and their places for atomic operations.
class AtomicGroups {
 public:
  static constexpr uint32_t PLACES = 512;  // bytes

  explicit AtomicGroups(const WarpAccess& access)
      : access_(access), lanes_(std::min(uint32_t(LANES), GROUP_BYTES / access.size)) {}

  // Returns those of the pending lanes that take the next turn.
  uint32_t next(uint32_t pending) {
    if (lanes_ == uint32_t(LANES)) return winners(pending);
    LaneSet addresses;
    uint32_t served = 0;
    for (uint32_t first = 0; first < uint32_t(LANES); first += lanes_)
      each_lane_of(winners(pending & lanes_from(first)), [&](int l) {
        if (addresses.add(access_.at(l))) served |= 1u << l;
      });
    return served;
  }

 private:
  uint32_t lanes_from(uint32_t first) const { return (FULL_MASK >> (LANES - lanes_)) << first; }
  uint8_t& owner_of(int l) { return owners_[access_.at(l) % PLACES]; }
  // Returns the lane with the lowest address of each place.
  uint32_t winners(uint32_t lanes) {
    each_lane_of(lanes, [&](int l) { owner_of(l) = uint8_t(l); });
    each_lane_of(lanes, [&](int l) {
      if (access_.at(l) < access_.at(owner_of(l))) owner_of(l) = uint8_t(l);
    });
    uint32_t found = 0;
    each_lane_of(lanes, [&](int l) { found |= 1u << owner_of(l); });
    return found;
  }

  const WarpAccess& access_;
  const uint32_t lanes_;
  uint8_t owners_[PLACES];  // lanes; only places of pending lanes have values
};

// The groups of lanes whose accesses take turns. The words of one lane are a unit, and units lie in
// banks of their size.
template <uint32_t UNIT_SHIFT, uint32_t COUNT>
struct Groups {
  static constexpr uint32_t GROUPS = COUNT;
  static constexpr uint32_t LANES_OF_GROUP = uint32_t(LANES) / COUNT;
  static constexpr uint32_t UNIT_BANKS = GROUP_BYTES >> UNIT_SHIFT;

  static uint64_t unit_of(uint64_t address) { return address >> UNIT_SHIFT; }
  static uint32_t of_lane(uint32_t lane) { return lane / LANES_OF_GROUP; }
  // All groups together have as many banks as words have, or half as many.
  static uint32_t bank_of(uint64_t unit, uint32_t lane) {
    return of_lane(lane) * UNIT_BANKS + uint32_t(unit) % UNIT_BANKS;
  }
};

// Counts of banks, in several tables so that equal banks of neighbouring lanes do not wait for each
// other.
class BankCounts {
 public:
  void add(uint32_t lane, uint32_t bank, bool counts) { counts_[lane % TABLES][bank] += counts; }
  // Returns the sum of the largest counts of all groups.
  template <uint32_t UNIT_SHIFT, uint32_t COUNT>
  uint32_t wavefronts(Groups<UNIT_SHIFT, COUNT>) const {
    uint8_t sums[BANKS] = {};
    for (const auto& table : counts_)
      for (uint32_t bank = 0; bank < BANKS; ++bank) sums[bank] = uint8_t(sums[bank] + table[bank]);
    constexpr uint32_t UNIT_BANKS = Groups<UNIT_SHIFT, COUNT>::UNIT_BANKS;
    uint32_t sum = 0;
    for (uint32_t g = 0; g < COUNT; ++g) {
      uint8_t most = 0;
      for (uint32_t bank = 0; bank < UNIT_BANKS; ++bank)
        most = std::max(most, sums[g * UNIT_BANKS + bank]);
      sum += most;
    }
    return sum;
  }

 private:
  static constexpr uint32_t TABLES = 4;
  uint8_t counts_[TABLES][BANKS] = {};
};

template <class Grouping>
uint32_t count_units_by_set(const WarpAccess& access, Grouping groups) {
  LaneSet set;
  BankCounts banks;
  each_lane_of(access.mask, [&](int lane) {
    const uint64_t unit = groups.unit_of(access.at(lane));
    const auto l = uint32_t(lane);
    banks.add(l, groups.bank_of(unit, l), set.add(unit * LANES + groups.of_lane(l)));
  });
  return banks.wavefronts(groups);
}

// Returns the most different units in one bank, added over the groups.
template <class Grouping, class Owned>
uint32_t count_units(const WarpAccess& access, Grouping groups, Owned&& owners) {
  const uint64_t* a = access.lanes.addresses;
  const uint64_t first = groups.unit_of(access.lanes.low);
  BankCounts banks;
  const auto key = [&](uint32_t l) {
    return (groups.unit_of(a[l]) - first) * Grouping::GROUPS + groups.of_lane(l);
  };
  const auto set = [&](uint32_t l) { owners.set(l, key(l)); };
  const auto count = [&](uint32_t l) {
    banks.add(l, groups.bank_of(groups.unit_of(a[l]), l), owners.is_last(l, key(l)));
  };
  if (access.mask == FULL_MASK) {
    for (uint32_t l = 0; l < LANES; ++l) set(l);
    for (uint32_t l = 0; l < LANES; ++l) count(l);
  } else {
    each_lane_of(access.mask, [&](int l) { set(uint32_t(l)); });
    each_lane_of(access.mask, [&](int l) { count(uint32_t(l)); });
  }
  return owners.failed() ? count_units_by_set(access, groups) : banks.wavefronts(groups);
}

template <uint32_t UNIT_SHIFT, uint32_t COUNT>
uint32_t count_units(const WarpAccess& access) {
  using Grouping = Groups<UNIT_SHIFT, COUNT>;
  const uint64_t range = Grouping::unit_of(access.lanes.high) - Grouping::unit_of(access.lanes.low);
  if (range < Owners::SIZE / COUNT) return count_units(access, Grouping(), Owners());
  return count_units(access, Grouping(), HashedOwners());
}

uint32_t count_wavefronts(const WarpAccess& access, uint32_t groups) {
  switch (access.size) {
    case 8:
      return groups == 1 ? count_units<3, 1>(access) : count_units<3, 2>(access);
    case 16:
      return groups == 2 ? count_units<4, 2>(access) : count_units<4, 4>(access);
    default:
      return count_units<WORD_SHIFT, 1>(access);
  }
}

// Returns the groups that have an active lane.
uint32_t active_groups(uint32_t mask, uint32_t groups) {
  if (mask == FULL_MASK) return groups;
  const uint32_t lanes = uint32_t(LANES) / groups;
  uint32_t count = 0;
  for (uint32_t g = 0; g < groups; ++g) {
    const uint32_t part = mask >> (g * lanes);
    count += (groups == 1 ? part : part & ((uint32_t{1} << lanes) - 1)) != 0;
  }
  return count;
}

// Whether no bank has two units.
bool has_no_conflicts(const WarpAccess& access) {
  const Lanes& lanes = access.lanes;
  const uint64_t first = lanes.low >> WORD_SHIFT;
  const uint64_t last = (lanes.high + access.size - 1) >> WORD_SHIFT;
  return lanes.low == lanes.high || lanes.whole == Pattern::CONSECUTIVE || last - first < BANKS;
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
  const uint64_t* a = access.lanes.addresses;
  if (access.mask == FULL_MASK) {
    uint64_t differs = a[0] ^ a[bit];
    if (differs != 0) return false;
    for (uint32_t l = 0; l < LANES; ++l) differs |= a[l] ^ a[l ^ bit];
    return differs == 0;
  }
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

// Returns the lanes whose compare-and-swap succeeds.
uint32_t swapped_lanes(const WarpAccess& access) {
  using Units = Groups<3, 2>;
  uint32_t taken[Units::GROUPS] = {};  // banks
  uint64_t lower[Units::UNIT_BANKS];   // addresses
  uint32_t swapped = 0;
  each_lane_of(access.mask, [&](int l) {
    const uint32_t half = Units::of_lane(uint32_t(l));
    const uint64_t address = access.at(l);
    const auto bank = uint32_t(Units::unit_of(address) % Units::UNIT_BANKS);
    if (taken[half] >> bank & 1) return;
    taken[half] |= 1u << bank;
    if (half == 0)
      lower[bank] = address;
    else if ((taken[0] >> bank & 1) && lower[bank] == address)
      return;
    swapped |= 1u << l;
  });
  return swapped;
}

void add_to(Wavefronts& sum, const Wavefronts& wavefronts) {
  sum.count += wavefronts.count;
  sum.groups += wavefronts.groups;
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
  if (last - first < Owners::SIZE) return each * count_sectors(access, first, Owners());
  return each * count_sectors(access, first, HashedOwners());
}

uint32_t atomic_sectors_of(const WarpAccess& access) {
  if (access.lanes.whole == Pattern::CONSECUTIVE) return sectors_of(access);
  if (access.lanes.low == access.lanes.high) return uint32_t(std::popcount(access.mask));
  LaneSet sectors;  // by turn
  uint32_t count = 0;
  const auto add = [&](uint64_t turn, int l) {
    count += sectors.add(turn << 59 | access.at(l) >> SECTOR_SHIFT);
  };
  if (access.lanes.high - access.lanes.low < AtomicGroups::PLACES) {
    LaneCounts turns;
    each_lane_of(access.mask, [&](int l) { add(turns.add(access.at(l)), l); });
    return count;
  }
  AtomicGroups groups(access);
  uint32_t pending = access.mask;
  for (uint64_t turn = 0; pending != 0; ++turn) {
    const uint32_t served = groups.next(pending);
    each_lane_of(served, [&](int l) { add(turn, l); });
    pending &= ~served;
  }
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
  // Addresses of a kernel may be anything, so the product could overflow.
  const uint64_t range = (access.lanes.high >> WORD_SHIFT) - first + words;
  if (range <= SmallSet::LIMIT / SECTORS_OF_WORD)
    return count_local_sectors(access, first, words, SmallSet(range * SECTORS_OF_WORD));
  return count_local_sectors(access, first, words, std::unordered_set<uint64_t>());
}

Wavefronts wavefronts_of(const WarpAccess& access, SharedAccess kind) {
  if (kind == SharedAccess::ATOMIC) return {lanes_of_busiest_bank(access), 1};
  uint32_t groups = std::max(1u, access.size * uint32_t(LANES) / GROUP_BYTES);
  if (groups > 1 && kind == SharedAccess::LOAD &&
      (reads_in_pairs(access, 1) || reads_in_pairs(access, 2)))
    groups /= 2;
  const uint32_t active = active_groups(access.mask, groups);
  if (has_no_conflicts(access)) return {active, active};
  // Words at equal distances are in every n-th bank, where n is a power of two.
  uint64_t stride = 0;
  if (access.size == 4 && has_stride(access, stride))
    return {1u << std::min(5, std::countr_zero(stride >> WORD_SHIFT)), active};
  return {count_wavefronts(access, groups), active};
}

AtomicLoop atomic_loop_of(const WarpAccess& access) {
  constexpr uint32_t HALVES = 2, WAVEFRONTS_OF_SWAP = 2;
  AtomicLoop loop;
  loop.swaps.groups = WAVEFRONTS_OF_SWAP * active_groups(access.mask, HALVES);
  for (uint32_t pending = access.mask; pending != 0;) {
    const WarpAccess round{access.lanes, pending, access.size};
    add_to(loop.loads, wavefronts_of(round, SharedAccess::LOAD));
    loop.swaps.count += WAVEFRONTS_OF_SWAP * active_groups(pending, HALVES);
    pending &= ~swapped_lanes(round);
  }
  return loop;
}

}  // namespace cucore::cpu
