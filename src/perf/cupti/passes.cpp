// SPDX-License-Identifier: Apache-2.0
#include "perf/cupti/passes.hpp"

#include "perf/cupti/chip.hpp"
#include "perf/cupti/presets.hpp"

namespace cucore::perf {

int32_t preset_passes(const std::string& name, std::string_view preset) {
  const uint32_t wanted = preset_of(preset);
  const Chip chip(name, "count the passes of a preset");
  return static_cast<int32_t>(chip.plan(metrics_of(wanted, chip)).passes);
}

}  // namespace cucore::perf
