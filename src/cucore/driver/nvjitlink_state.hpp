// SPDX-License-Identifier: Apache-2.0
// The one table of nvJitLink, for those parts of this folder that tell of it or configure it.
#pragma once

#include "driver/nvjitlink.hpp"
#include "driver/toolkit_table.hpp"

namespace cucore::driver {

ToolkitTable<NvJitLinkTable>& nvjitlink_state();

// A function of an open nvJitLink, by its name with or without a version; null if there is none.
void* find_nvjitlink_symbol(void* handle, const char* name);

}  // namespace cucore::driver
