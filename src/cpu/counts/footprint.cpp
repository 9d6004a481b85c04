// SPDX-License-Identifier: Apache-2.0
#include "cpu/counts/footprint.hpp"

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

Footprint::Sectors Footprint::count() const {
  Sectors sum;
  for (const auto& [number, page] : pages_) {
    for (size_t word = 0; word < 2; ++word) {
      sum.read += uint64_t(std::popcount(page.read[word]));
      sum.written += uint64_t(std::popcount(page.written[word]));
      sum.any += uint64_t(std::popcount(page.read[word] | page.written[word]));
    }
  }
  return sum;
}

}  // namespace cucore::cpu
