// SPDX-License-Identifier: Apache-2.0
// The table of nvJitLink, for the parts of this folder that report or configure it.
#pragma once

#include "driver/nvjitlink.hpp"
#include "driver/toolkit_table.hpp"

namespace cucore::driver {

ToolkitTable<NvJitLinkTable>& nvjitlink_state();

// Returns a function of an open nvJitLink, by its name with or without a version; null if it is
// missing.
void* find_nvjitlink_symbol(void* handle, const char* name);

}  // namespace cucore::driver
