// SPDX-License-Identifier: Apache-2.0
#include "perf/model/array_addresses.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace cucore::perf {
namespace {

constexpr uint64_t FIRST_PLACE = uint64_t{1} << 41;
constexpr uint64_t DISTANCE = uint64_t{1} << 37;  // of parts; each is a multiple of it
constexpr uint64_t GAP = uint64_t{1} << 35;       // that separates parts at least
constexpr uint64_t ALIGNMENT_BITS = (uint64_t{1} << 21) - 1;

// Arrays that overlap.
struct Part {
  uint64_t begin, last;  // on the device
  uint64_t place = 0;    // of `begin` in the model; 0: none yet
};

}  // namespace

std::vector<uint64_t> modelled_addresses(std::span<const LaunchArray> arrays) {
  std::vector<size_t> order(arrays.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t index) { return arrays[index].address; });
  std::vector<Part> parts;
  std::vector<size_t> part_of(arrays.size());
  for (const size_t index : order) {
    const uint64_t address = arrays[index].address;
    const uint64_t last = address + std::max(arrays[index].size, uint64_t{1}) - 1;
    if (address == 0 || parts.empty() || address > parts.back().last)
      parts.push_back({address, address == 0 ? 0 : last});
    else
      parts.back().last = std::max(parts.back().last, last);
    part_of[index] = parts.size() - 1;
  }
  std::vector<uint64_t> addresses;
  uint64_t next = FIRST_PLACE;
  for (size_t index = 0; index < arrays.size(); ++index) {
    Part& part = parts[part_of[index]];
    if (part.place == 0) {
      part.place = next + (part.begin & ALIGNMENT_BITS);
      next += ((part.last - part.begin + GAP) / DISTANCE + 1) * DISTANCE;
    }
    addresses.push_back(part.place + (arrays[index].address - part.begin));
  }
  return addresses;
}

}  // namespace cucore::perf
