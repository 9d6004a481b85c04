// SPDX-License-Identifier: Apache-2.0
// cuda.h with every function under its exported name, so that the exports are checked against it.
// The build defines __CUDA_API_VERSION_INTERNAL for all files, whichever includes cuda.h first.
#pragma once

#ifndef __CUDA_API_VERSION_INTERNAL
#error "compile with -D__CUDA_API_VERSION_INTERNAL"
#endif
#include <cuda.h>

// Of cudaProfiler.h, which not every package of CUDA's headers has.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the driver's names.
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);
// NOLINTEND(readability-identifier-naming)
}
