// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cucore::perf {

// Returns how often a kernel of the chip runs for the metrics of a preset. Throws INVALID_ARGUMENT
// for an unknown preset, NOT_FOUND for an unknown chip, and what cupti_host() throws.
int32_t preset_passes(const std::string& chip, std::string_view preset);

}  // namespace cucore::perf
