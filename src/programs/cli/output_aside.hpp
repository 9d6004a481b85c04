// SPDX-License-Identifier: Apache-2.0
// Keeps the standard output free for the result of a run.
#pragma once

namespace cucore::cli {

// While it lives, output of others to the standard output goes to stderr, for example that of
// kernels that print.
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
