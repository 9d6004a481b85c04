// SPDX-License-Identifier: Apache-2.0
// The kernels that measure tensor cores: mma, and wgmma on devices of compute capability 9.0.
#pragma once

#include <optional>

#include "perf/measure/roof_kernels.hpp"

namespace cucore::perf {

// Returns nothing if devices of this compute capability lack products of the type.
std::optional<ArithmeticCode> matrix_roof_code(RoofKind kind, uint32_t capability);

}  // namespace cucore::perf
