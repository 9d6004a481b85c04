// SPDX-License-Identifier: Apache-2.0
#include "cpu/counts/footprint.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace cucore::cpu {
namespace {

constexpr uint64_t SECTOR_BYTES = 32;
constexpr uint64_t SECTORS_OF_PAGE = 128;

}  // namespace

Footprint::Page& Footprint::page(uint64_t number) {
  if (number != last_number_) {
    last_ = &pages_[number];  // elements of the map keep their place
    last_number_ = number;
  }
  return *last_;
}

void Footprint::add(uint64_t address, uint64_t size, bool reads, bool writes) {
  const uint64_t end = (address + size - 1) / SECTOR_BYTES;
  for (uint64_t sector = address / SECTOR_BYTES; sector <= end; ++sector) {
    Page& p = page(sector / SECTORS_OF_PAGE);
    const uint64_t bit = uint64_t{1} << (sector & 63);
    const size_t word = sector >> 6 & 1;
    if (reads) p.read[word] |= bit;
    if (writes) p.written[word] |= bit;
  }
}

void Footprint::merge(const Footprint& other) {
  for (const auto& [number, page] : other.pages_) {
    Page& mine = pages_[number];
    for (size_t word = 0; word < 2; ++word) {
      mine.read[word] |= page.read[word];
      mine.written[word] |= page.written[word];
    }
  }
}

Footprint::Sectors Footprint::count_if(const std::function<bool(uint64_t)>& counts) const {
  Sectors sum;
  for (const auto& [number, page] : pages_)
    for (uint64_t at = 0; at < SECTORS_OF_PAGE; ++at) {
      const size_t word = at >> 6;
      const uint64_t bit = uint64_t{1} << (at & 63);
      if (((page.read[word] | page.written[word]) & bit) == 0) continue;
      if (!counts(number * SECTORS_OF_PAGE + at)) continue;
      sum.read += (page.read[word] & bit) != 0;
      sum.written += (page.written[word] & bit) != 0;
    }
  return sum;
}

std::vector<cucore_cpu_trace_region> Footprint::regions() const {
  std::vector<uint64_t> numbers;
  numbers.reserve(pages_.size());
  for (const auto& [number, page] : pages_) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  std::vector<cucore_cpu_trace_region> all;
  for (const uint64_t number : numbers) {
    const Page& page = pages_.at(number);
    const uint64_t address = number * SECTORS_OF_PAGE * SECTOR_BYTES;
    for (size_t word = 0; word < 2; ++word) {
      const uint64_t any = page.read[word] | page.written[word];
      if (any == 0) continue;
      const uint64_t begin = address + word * 64 * SECTOR_BYTES;
      const uint64_t first = begin + uint64_t(std::countr_zero(any)) * SECTOR_BYTES;
      if (all.empty() || first - all.back().end >= GAP) all.push_back({first, first, 0, 0, 0});
      cucore_cpu_trace_region& region = all.back();
      region.end = begin + uint64_t(64 - std::countl_zero(any)) * SECTOR_BYTES;
      region.read += uint64_t(std::popcount(page.read[word]));
      region.written += uint64_t(std::popcount(page.written[word]));
      region.any += uint64_t(std::popcount(any));
    }
  }
  return all;
}

}  // namespace cucore::cpu
