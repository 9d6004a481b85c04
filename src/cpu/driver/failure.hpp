// SPDX-License-Identifier: Apache-2.0
// Failures of driver functions: a thrown result code, which the wrapper converts to the return
// value. Some have a reason, which the control table returns.
#pragma once

#include <cuda.h>

#include <string>
#include <utility>

namespace cucore::cpu {

struct Failure {
  CUresult code;
  std::string reason = {};
};

[[noreturn]] inline void fail(CUresult code) { throw Failure{code}; }
[[noreturn]] inline void fail(CUresult code, std::string reason) {
  throw Failure{code, std::move(reason)};
}

inline void require(bool condition, CUresult code = CUDA_ERROR_INVALID_VALUE) {
  if (!condition) fail(code);
}

}  // namespace cucore::cpu
