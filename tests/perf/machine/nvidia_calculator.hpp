// SPDX-License-Identifier: Apache-2.0
// NVIDIA's occupancy calculator, if the toolkit has it.
#pragma once

#include <cstdint>
#include <optional>

#include "perf/machine/limits.hpp"

bool has_nvidia_calculator();

// Returns nullopt if the calculator refuses the block.
std::optional<uint32_t> blocks_by_nvidia(const cucore::perf::Limits& limits, uint32_t registers,
                                         uint32_t threads, uint32_t shared);
