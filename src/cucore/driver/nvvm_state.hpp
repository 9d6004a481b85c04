// SPDX-License-Identifier: Apache-2.0
// The table of libNVVM, for the parts of this folder that report or configure it.
#pragma once

#include "driver/nvvm.hpp"
#include "driver/toolkit_table.hpp"

namespace cucore::driver {

ToolkitTable<NvvmTable>& nvvm_state();

}  // namespace cucore::driver
