// SPDX-License-Identifier: Apache-2.0
// Finds the reason that the driver refused a launch, because its own result is mostly "invalid
// argument".
#pragma once

#include "core/load/kernel.hpp"

namespace cucore::core {

[[noreturn]] void throw_launch_failure(const Kernel& kernel, const Device& device,
                                       const CUlaunchConfig& config, CUresult result);

}  // namespace cucore::core
