// SPDX-License-Identifier: Apache-2.0
// Failures of driver functions: a thrown result code, which the wrapper converts to the return
// value.
#pragma once

#include <cuda.h>

namespace cucore::cpu {

struct Failure {
  CUresult code;
};

[[noreturn]] inline void fail(CUresult code) { throw Failure{code}; }

inline void require(bool condition, CUresult code = CUDA_ERROR_INVALID_VALUE) {
  if (!condition) fail(code);
}

}  // namespace cucore::cpu
