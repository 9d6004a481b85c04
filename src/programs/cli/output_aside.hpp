// SPDX-License-Identifier: Apache-2.0
// Keeps the standard output for the result of a run.
#pragma once

namespace cucore::cli {

// While it lives, what others write to the standard output, as kernels that print do, goes to
// stderr.
class OutputAside {
 public:
  OutputAside();
  ~OutputAside();
  OutputAside(const OutputAside&) = delete;
  OutputAside& operator=(const OutputAside&) = delete;

 private:
  int output_ = -1;
};

}  // namespace cucore::cli
