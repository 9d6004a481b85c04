// cuda.h with every function under its exported name, so that the exports are checked against it.
// The build defines __CUDA_API_VERSION_INTERNAL for all files, whichever includes cuda.h first.
#ifndef CUCPU_DRIVER_CUDA_API_HPP
#define CUCPU_DRIVER_CUDA_API_HPP

#ifndef __CUDA_API_VERSION_INTERNAL
#error "compile with -D__CUDA_API_VERSION_INTERNAL"
#endif
#include <cuda.h>

// Of cudaProfiler.h, which not every package of CUDA's headers has.
extern "C" {
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);
}

#endif
