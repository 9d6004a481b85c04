// SPDX-License-Identifier: Apache-2.0
// Functions of drivers that are newer than the oldest cuda.h that compiles the library, by the
// version of CUDA that added them.
#pragma once

#include <cuda.h>

// NOLINTBEGIN(readability-identifier-naming)
#if CUDA_VERSION < 13010
extern "C" CUresult CUDAAPI cuGraphNodeGetToolsId(CUgraphNode node, unsigned long long* tools_id);
#endif
// NOLINTEND(readability-identifier-naming)
