// SPDX-License-Identifier: Apache-2.0
// The one table of libNVVM, for those parts of this folder that tell of it or configure it.
#pragma once

#include "driver/nvvm.hpp"
#include "driver/toolkit_table.hpp"

namespace cucore::driver {

ToolkitTable<NvvmTable>& nvvm_state();

}  // namespace cucore::driver
