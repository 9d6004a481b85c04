// SPDX-License-Identifier: Apache-2.0
#include "perf/cupti/presets.hpp"

#include "perf/cupti/chip.hpp"

namespace cucore::perf {
namespace {

constexpr uint32_t QUICK = PRESET_QUICK, BALANCED = PRESET_BALANCED, FLOPS = PRESET_FLOPS,
                   MEMORY = PRESET_MEMORY, ROOF = PRESET_ROOF;

struct PresetMetric {
  uint32_t presets;
  const char* names[2];
};
constexpr PresetMetric METRICS[] = {
#define PRESET_METRIC(presets, name, other_name) {(presets), {name, other_name}},
#include "perf/cupti/presets.inc"
#undef PRESET_METRIC
};

}  // namespace

std::vector<const char*> metrics_of(uint32_t preset, const Chip& chip) {
  std::vector<const char*> found;
  for (const PresetMetric& metric : METRICS) {
    if (!(metric.presets & preset)) continue;
    for (const char* const name : metric.names)
      if (*name && chip.has(name)) {
        found.push_back(name);
        break;
      }
  }
  return found;
}

}  // namespace cucore::perf
