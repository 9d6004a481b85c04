// SPDX-License-Identifier: Apache-2.0
#include "cpu/counts/cache_model.hpp"

#include <algorithm>
#include <cmath>

namespace cucore::cpu {
namespace {

constexpr uint64_t SECTOR = 32;
constexpr uint64_t SECTORS_OF_LINE = 4;
constexpr uint64_t MOST_ENTRIES = uint64_t{1} << 15;

// Spreads the numbers of lines, also those at equal distances.
uint64_t hash(uint64_t line) {
  line ^= line >> 29;
  line *= 0xbf58476d1ce4e5b9;
  line ^= line >> 32;
  return line * 0x94d049bb133111eb;
}

uint64_t scaled(uint64_t count, uint64_t some, uint64_t all) {
  if (some == 0) return count;
  return uint64_t(std::llround(double(count) * double(all) / double(some)));
}

}  // namespace

CacheModel::CacheModel(uint64_t bytes) {
  uint64_t sectors = std::max<uint64_t>(1, bytes / SECTOR);
  for (; sectors > MOST_ENTRIES; sectors /= 2) ++shift_;
  capacity_ = sectors;
}

bool CacheModel::is_modelled(uint64_t sector) const {
  return shift_ == 0 || hash(sector / SECTORS_OF_LINE) >> (64 - shift_) == 0;
}

void CacheModel::access(uint64_t address, uint64_t size, bool reads, bool writes) {
  const uint64_t end = (address + size - 1) / SECTOR;
  for (uint64_t sector = address / SECTOR; sector <= end; ++sector)
    if (is_modelled(sector)) touch(sector, reads, writes);
}

// A store fetches nothing: a cache keeps which bytes of a sector it has.
void CacheModel::touch(uint64_t sector, bool reads, bool writes) {
  std::lock_guard lock(mutex_);
  Entry& entry = entry_of(sector);
  if (reads && !entry.is_loaded && !entry.is_written) ++traffic_.loads;
  entry.is_loaded |= reads;
  entry.is_written |= writes;
}

CacheModel::Entry& CacheModel::entry_of(uint64_t sector) {
  const auto found = places_.find(sector);
  if (found != places_.end()) {
    unlink(found->second);
    make_newest(found->second);
    return entries_[found->second];
  }
  uint32_t index = oldest_;
  if (entries_.size() < capacity_) {
    index = uint32_t(entries_.size());
    entries_.emplace_back();
  } else {
    unlink(index);
    places_.erase(entries_[index].sector);
    traffic_.write_backs += entries_[index].is_written;
  }
  entries_[index] = {.sector = sector};
  places_[sector] = index;
  make_newest(index);
  return entries_[index];
}

void CacheModel::unlink(uint32_t index) {
  const Entry& entry = entries_[index];
  (entry.newer == NONE ? newest_ : entries_[entry.newer].older) = entry.older;
  (entry.older == NONE ? oldest_ : entries_[entry.older].newer) = entry.newer;
}

void CacheModel::make_newest(uint32_t index) {
  entries_[index].newer = NONE;
  entries_[index].older = newest_;
  if (newest_ != NONE) entries_[newest_].newer = index;
  newest_ = index;
  if (oldest_ == NONE) oldest_ = index;
}

CacheModel::Traffic CacheModel::modelled_traffic() const {
  std::lock_guard lock(mutex_);
  Traffic all = traffic_;
  for (const Entry& entry : entries_) all.write_backs += entry.is_written;
  return all;
}

CacheModel::Traffic CacheModel::traffic(const Footprint& sectors) const {
  const Traffic part = modelled_traffic();
  const auto all = sectors.count_if([](uint64_t) { return true; });
  const auto some = sectors.count_if([this](uint64_t sector) { return is_modelled(sector); });
  return {scaled(part.loads, some.read, all.read),
          scaled(part.write_backs, some.written, all.written)};
}

}  // namespace cucore::cpu
