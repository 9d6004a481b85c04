// SPDX-License-Identifier: Apache-2.0
// cuda.h with every function under its exported name, so that the compiler checks the exports. The
// build defines __CUDA_API_VERSION_INTERNAL for all files, so the order of includes does not
// matter.
#pragma once

#ifndef __CUDA_API_VERSION_INTERNAL
#error "compile with -D__CUDA_API_VERSION_INTERNAL"
#endif
#include <cuda.h>

// From cudaProfiler.h, which some packages of CUDA's headers lack.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the driver's names.
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);
// NOLINTEND(readability-identifier-naming)
}
