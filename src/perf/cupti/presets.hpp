// SPDX-License-Identifier: Apache-2.0
// Presets: lists of metrics for one question about a kernel.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cucore::perf {

class Chip;

// Bits of presets.
inline constexpr uint32_t PRESET_QUICK = 1, PRESET_BALANCED = 2, PRESET_FLOPS = 4,
                          PRESET_MEMORY = 8, PRESET_ROOF = 16;

// Throws INVALID_ARGUMENT for a name that is not a preset. Returns its bits.
uint32_t preset_of(std::string_view name);

// Returns the names of the metrics that the chip has, in the order of the table. They are static.
std::vector<const char*> metrics_of(uint32_t preset, const Chip& chip);

}  // namespace cucore::perf
