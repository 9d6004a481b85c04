// SPDX-License-Identifier: Apache-2.0
// The findings from the resources of a kernel.
#include "perf/analyze/findings.hpp"

#include <algorithm>
#include <cmath>

#include "support/concat.hpp"
#include "support/counted.hpp"
#include "support/extent.hpp"

namespace cucore::perf {
namespace {

constexpr uint32_t USUAL_BLOCK = 256;
constexpr double LOW = 0.5;
constexpr double VERY_LOW = 0.25;

std::string percent(double fraction) {
  return concat(static_cast<int>(std::lround(fraction * 100)), " %");
}

uint32_t threads_of(const Kernel& kernel, const Launch& launch) {
  if (launch.block != 0) return launch.block;
  if (!kernel.block.empty()) return kernel.max_threads;
  return std::min(kernel.max_threads, USUAL_BLOCK);
}

void find_spills(const Kernel& kernel, Findings& findings) {
  const uint32_t stores = kernel.resources.spill_stores.value_or(0);
  const uint32_t loads = kernel.resources.spill_loads.value_or(0);
  if (stores + loads == 0) return;
  findings.add(RuleId::SPILL, Severity::WARNING, kernel.place,
               concat("each thread stores ", counted(stores, "byte"),
                      " of registers to local memory and loads ", counted(loads, "byte")));
}

void find_limiter(const Kernel& kernel, const Launch& launch, Findings& findings) {
  const Limits* const limits = find_limits(kernel.arch.number);
  if (!limits || !kernel.resources.registers) return;
  const uint32_t threads = threads_of(kernel, launch);
  if (threads == 0 || threads > MAX_BLOCK || *kernel.resources.registers > MAX_REGISTERS) return;
  const uint32_t shared = shared_of(kernel, launch.shared);
  const Occupancy occupancy = occupancy_of(*limits, {*kernel.resources.registers, threads, shared});
  const bool by_resource =
      occupancy.limiter == Limiter::REGISTERS || occupancy.limiter == Limiter::SHARED;
  if (by_resource && occupancy.blocks == 0) {
    const std::string needs = occupancy.limiter == Limiter::REGISTERS
                                  ? counted(*kernel.resources.registers, "register") + " each"
                                  : counted(shared, "byte") + " of shared memory";
    findings.add(RuleId::OCCUPANCY_LIMITER, Severity::ERROR, kernel.place,
                 concat("a block of ", threads, " threads with ", needs, " does not fit ",
                        kernel.arch.text(), "; its launch fails"));
  } else if (by_resource && occupancy.fraction < LOW) {
    std::string message =
        concat("blocks of ", threads, " threads occupy ", percent(occupancy.fraction), " of ",
               kernel.arch.text(), ", limited by ",
               occupancy.limiter == Limiter::REGISTERS ? "registers" : "shared memory");
    if (occupancy.limiter == Limiter::REGISTERS && occupancy.registers_for_more)
      message += concat("; one more block fits with ", *occupancy.registers_for_more,
                        " registers instead of ", *kernel.resources.registers);
    if (occupancy.limiter == Limiter::SHARED && occupancy.shared_for_more)
      message += concat("; one more block fits with ", *occupancy.shared_for_more,
                        " bytes instead of ", shared);
    const bool known = launch.block != 0 || !kernel.block.empty();
    findings.add(RuleId::OCCUPANCY_LIMITER,
                 known && occupancy.fraction < VERY_LOW ? Severity::WARNING : Severity::NOTE,
                 kernel.place, message);
  }
  if (launch.grid == 0 || launch.multiprocessors == 0) return;
  const uint64_t wave = uint64_t{occupancy.blocks} * launch.multiprocessors;
  if (launch.grid >= wave) return;
  findings.add(RuleId::SMALL_GRID,
               launch.grid < launch.multiprocessors ? Severity::WARNING : Severity::NOTE,
               kernel.place,
               concat("the grid has ", counted(launch.grid, "block"), "; ", launch.multiprocessors,
                      " multiprocessors run ", wave, " at a time"));
}

}  // namespace

uint32_t shared_of(const Kernel& kernel, uint32_t dynamic) {
  return clamped(uint64_t{kernel.resources.shared.value_or(0)} + dynamic);
}

void Findings::add(RuleId rule, Severity severity, Place place, std::string message) {
  if (all_.size() - first_ >= MOST) return;
  for (size_t at = first_; at < all_.size(); ++at) {
    Finding& known = all_[at];
    const bool same_line = place.line != 0
                               ? known.place.line == place.line && known.place.file == place.file
                               : known.place.ptx_line == place.ptx_line;
    if (known.rule->number == static_cast<uint16_t>(rule) && same_line &&
        known.message == message) {
      ++known.count;
      return;
    }
  }
  all_.push_back({&rule_of(rule), severity, index_, kernel_.name, kernel_.arch_name,
                  std::move(place), std::move(message), 1});
}

void find_in_resources(const Kernel& kernel, const Launch& launch, bool has_ptx,
                       Findings& findings) {
  find_spills(kernel, findings);
  const Resources& resources = kernel.resources;
  const uint32_t spilled =
      std::max(resources.spill_stores.value_or(0), resources.spill_loads.value_or(0));
  if (!has_ptx && resources.stack.value_or(0) > spilled && resources.spill_stores)
    findings.add(RuleId::LOCAL_ARRAY, Severity::NOTE, kernel.place,
                 concat("the stack has ", counted(*resources.stack, "byte"),
                        " per thread, of which ", spilled, " are spilled registers"));
  find_limiter(kernel, launch, findings);
  const uint32_t threads = launch.block != 0      ? launch.block
                           : kernel.block.empty() ? 0
                                                  : kernel.max_threads;
  if (threads % WARP_SIZE != 0)
    findings.add(RuleId::PARTIAL_WARP, Severity::WARNING, kernel.place,
                 concat("blocks of ", threads, " threads leave ", WARP_SIZE - threads % WARP_SIZE,
                        " lanes of the last warp unused"));
}

}  // namespace cucore::perf
