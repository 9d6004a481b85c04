// SPDX-License-Identifier: Apache-2.0
// Libraries that are opened for others: of each, nothing is called but the function that returns
// its version.
#pragma once

#include <string>

#include "driver/library_info.hpp"
#include "driver/toolkit_table.hpp"

namespace cucore::driver {

struct PlainTable {
  std::string path;  // the file in use
  int version_major = 0;
  int version_minor = 0;
};

// Null for a library that is not one of them.
ToolkitTable<PlainTable>* plain_state(Library library);

}  // namespace cucore::driver
