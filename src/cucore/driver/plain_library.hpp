// SPDX-License-Identifier: Apache-2.0
// Libraries that are opened for others: only the function that returns the version is called.
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

// Returns null for a library of another kind.
ToolkitTable<PlainTable>* plain_state(Library library);

}  // namespace cucore::driver
