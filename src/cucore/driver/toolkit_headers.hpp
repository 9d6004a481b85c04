// SPDX-License-Identifier: Apache-2.0
// Finds the headers of the CUDA toolkit that the NVRTC in use belongs to.
#pragma once

#include <string>
#include <vector>

namespace cucore::driver {

struct ToolkitHeaders {
  std::vector<std::string> folders;   // for the compiler to search, in this order
  std::vector<std::string> searched;  // every folder that was looked for
};

// Of the NVRTC in use; searched on the first call. Throws LIBRARY_MISSING as nvrtc() does.
const ToolkitHeaders& toolkit_headers();

// Of a library at `nvrtc_path` and of a version, 13000 for CUDA 13.0. Headers in the folder
// of the library's toolkit belong to it. Those of CUDA_HOME, CUDA_PATH and /usr/local/cuda must be
// of its version: headers of another one may call what this compiler does not have.
ToolkitHeaders find_toolkit_headers(const std::string& nvrtc_path, int version);

}  // namespace cucore::driver
