// SPDX-License-Identifier: Apache-2.0
#include "perf/machine/occupancy.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::perf {
namespace {

constexpr const char* NAMES[] = {"none", "warps", "blocks", "registers", "shared"};

uint64_t round_up(uint64_t a, uint64_t b) { return (a + b - 1) / b * b; }
uint32_t warps_of(const BlockNeeds& needs) { return (needs.threads + WARP_SIZE - 1) / WARP_SIZE; }

// Each partition has a part of the registers and runs whole warps.
uint32_t warps_by_registers(uint32_t registers) {
  const uint64_t of_warp = round_up(uint64_t{std::max(registers, 1U)} * WARP_SIZE, REGISTER_UNIT);
  return static_cast<uint32_t>(REGISTERS / PARTITIONS / of_warp * PARTITIONS);
}

uint32_t blocks_by_shared(const Limits& limits, uint32_t shared) {
  const uint64_t of_block = round_up(uint64_t{shared} + limits.reserved, limits.shared_unit);
  return of_block == 0 ? UINT32_MAX : static_cast<uint32_t>(limits.shared / of_block);
}

using Bounds = std::array<std::pair<Limiter, uint32_t>, 4>;

// How many blocks each resource allows.
Bounds bounds_of(const Limits& limits, const BlockNeeds& needs) {
  const uint32_t warps = warps_of(needs);
  return {{{Limiter::WARPS, limits.warps / warps},
           {Limiter::BLOCKS, limits.blocks},
           {Limiter::REGISTERS, warps_by_registers(needs.registers) / warps},
           {Limiter::SHARED, blocks_by_shared(limits, needs.shared)}}};
}

uint32_t blocks_of(const Limits& limits, const BlockNeeds& needs) {
  const Bounds bounds = bounds_of(limits, needs);
  return std::ranges::min_element(bounds, {}, &Bounds::value_type::second)->second;
}

// Searches the largest value below `present` of one resource with which `fits` holds. Less of a
// resource never allows fewer blocks.
template <class Fits>
std::optional<uint32_t> largest_below(uint32_t present, Fits&& fits) {
  if (present == 0 || !fits(0)) return std::nullopt;
  uint32_t low = 0;
  uint32_t high = present;  // does not fit
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

void check(const BlockNeeds& needs) {
  if (needs.threads == 0 || needs.threads > MAX_BLOCK)
    throw Error(Status::INVALID_ARGUMENT,
                concat("threads is ", needs.threads, "; expected 1 to ", MAX_BLOCK));
  if (needs.registers > MAX_REGISTERS)
    throw Error(Status::INVALID_ARGUMENT,
                concat("registers is ", needs.registers, "; expected 0 to ", MAX_REGISTERS));
}

}  // namespace

const char* limiter_name(Limiter limiter) { return NAMES[static_cast<size_t>(limiter)]; }

Occupancy occupancy_of(const Limits& limits, const BlockNeeds& needs) {
  check(needs);
  const Bounds bounds = bounds_of(limits, needs);
  const auto& [limiter, blocks] =
      *std::ranges::min_element(bounds, {}, &Bounds::value_type::second);
  Occupancy result;
  result.blocks = blocks;
  result.warps = blocks * warps_of(needs);
  result.fraction = static_cast<double>(result.warps) / limits.warps;
  result.limiter = limiter;
  result.registers_for_more = largest_below(needs.registers, [&](uint32_t registers) {
    return blocks_of(limits, {registers, needs.threads, needs.shared}) > result.blocks;
  });
  result.shared_for_more = largest_below(needs.shared, [&](uint32_t shared) {
    return blocks_of(limits, {needs.registers, needs.threads, shared}) > result.blocks;
  });
  return result;
}

}  // namespace cucore::perf
