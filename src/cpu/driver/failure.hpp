// SPDX-License-Identifier: Apache-2.0
// How a driver function gives up: a thrown result code, turned into the return value by the
// wrapper.
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
