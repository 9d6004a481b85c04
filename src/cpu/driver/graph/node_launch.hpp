// SPDX-License-Identifier: Apache-2.0
// The launch that a kernel node describes.
#pragma once

#include "cpu/driver/graph/node_params.hpp"
#include "cpu/driver/launch.hpp"

namespace cucore::cpu {

PreparedLaunch prepared(const KernelParams& kernel);

}  // namespace cucore::cpu
