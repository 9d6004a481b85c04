// SPDX-License-Identifier: Apache-2.0
// Keeps a run from destroying its own inputs and outputs.
#pragma once

#include <string>
#include <vector>

namespace cucore::cli {

// The files that a run reads and writes, "-" being the standard streams.
struct FileUse {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

// Refuses an output that is an input or another output, under whatever names. Files are the same
// if device and inode are; a file that is still to come is known by its folder and name.
void require_distinct(const FileUse& use);

}  // namespace cucore::cli
