// SPDX-License-Identifier: Apache-2.0
// The one table of NVRTC, for those parts of this folder that tell of it or configure it.
#pragma once

#include "driver/nvrtc.hpp"
#include "driver/toolkit_table.hpp"

namespace cucore::driver {

ToolkitTable<NvrtcTable>& nvrtc_state();

}  // namespace cucore::driver
