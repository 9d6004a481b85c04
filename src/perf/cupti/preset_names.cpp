// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "perf/cupti/presets.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::perf {
namespace {

struct NamedPreset {
  std::string_view name;
  uint32_t bits;
};
constexpr NamedPreset PRESETS[] = {
    {"quick", PRESET_QUICK}, {"balanced", PRESET_BALANCED},
    {"flops", PRESET_FLOPS}, {"memory", PRESET_MEMORY},
    {"roof", PRESET_ROOF},   {"all", PRESET_QUICK | PRESET_BALANCED | PRESET_FLOPS | PRESET_MEMORY},
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

}  // namespace cucore::perf
