// SPDX-License-Identifier: Apache-2.0
#include "perf/cupti/presets.hpp"

#include "perf/cupti/chip.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::perf {
namespace {

constexpr uint32_t QUICK = 1, BALANCED = 2, FLOPS = 4, MEMORY = 8, ROOF = 16;

struct NamedPreset {
  std::string_view name;
  uint32_t bits;
};
constexpr NamedPreset PRESETS[] = {
    {"quick", QUICK},   {"balanced", BALANCED}, {"flops", FLOPS},
    {"memory", MEMORY}, {"roof", ROOF},         {"all", QUICK | BALANCED | FLOPS | MEMORY},
};

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

uint32_t preset_of(std::string_view name) {
  std::string known;
  for (const NamedPreset& preset : PRESETS) {
    if (preset.name == name) return preset.bits;
    known += concat(known.empty() ? "" : ", ", preset.name);
  }
  throw Error(Status::INVALID_ARGUMENT,
              concat("preset is \"", name, "\"; expected one of ", known));
}

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
