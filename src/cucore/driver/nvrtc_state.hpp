// SPDX-License-Identifier: Apache-2.0
// The table of NVRTC, for the parts of this folder that report or configure it.
#pragma once

#include "driver/nvrtc.hpp"
#include "driver/toolkit_table.hpp"

namespace cucore::driver {

ToolkitTable<NvrtcTable>& nvrtc_state();

}  // namespace cucore::driver
