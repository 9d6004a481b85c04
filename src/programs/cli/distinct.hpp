// SPDX-License-Identifier: Apache-2.0
// Keeps a run from destroying its own inputs and outputs.
#pragma once

#include <string>
#include <vector>

namespace cucore::cli {

// The files that a run reads and writes; "-" means the standard streams.
struct FileUse {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

// Refuses an output that is also an input or another output, under any name. Files are equal if
// device and inode are. A file that does not exist yet is identified by its folder and name.
void require_distinct(const FileUse& use);

}  // namespace cucore::cli
