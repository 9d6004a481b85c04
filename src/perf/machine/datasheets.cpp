// SPDX-License-Identifier: Apache-2.0
#include "perf/machine/datasheets.hpp"

#include <algorithm>

namespace cucore::perf {
namespace {

constexpr double KIB = 1024, MEGA = 1e6, GIGA = 1e9;

constexpr Datasheet sheet_of(uint16_t arch, const char* device, uint32_t multiprocessors,
                             double clock_mhz, double l2_kib, double gigabytes, double f32,
                             double f64, double f16, double integer, double matrix) {
  const double fused = 2 * multiprocessors * clock_mhz * MEGA;
  return {arch,
          device,
          multiprocessors,
          l2_kib * KIB,
          gigabytes * GIGA,
          {f16 * fused, f32 * fused, f64 * fused, integer * fused, matrix * fused}};
}

constexpr Datasheet SHEETS[] = {
#define SHEET(...) sheet_of(__VA_ARGS__),
#include "perf/machine/datasheets.inc"
#undef SHEET
};

}  // namespace

std::span<const Datasheet> all_datasheets() { return SHEETS; }

const Datasheet* find_datasheet(uint16_t arch) {
  const auto* const found = std::ranges::find(SHEETS, arch, &Datasheet::arch);
  return found == std::end(SHEETS) ? nullptr : found;
}

}  // namespace cucore::perf
