// The one table of nvJitLink, for those parts of this folder that tell of it or configure it.
#pragma once

#include "driver/nvjitlink.hpp"
#include "driver/toolkit_table.hpp"

namespace cucore::driver {

ToolkitTable<NvJitLinkTable>& nvjitlink_state();

}  // namespace cucore::driver
