// SPDX-License-Identifier: Apache-2.0
// Finds out why the driver refused a launch: its own answer is mostly "invalid argument".
#pragma once

#include "core/load/kernel.hpp"

namespace cucore::core {

[[noreturn]] void throw_launch_failure(const Kernel& kernel, const Device& device,
                                       const CUlaunchConfig& config, CUresult result);

}  // namespace cucore::core
