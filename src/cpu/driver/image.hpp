// SPDX-License-Identifier: Apache-2.0
// From what a program hands over as code (PTX text, fat binary, CUBIN) to PTX text that a device
// can run, or the reason why not.
#pragma once

#include <cuda.h>

#include <string>

namespace cucore::cpu {

struct PtxText {
  CUresult code = CUDA_SUCCESS;
  std::string text;
  std::string log;  // for the error log of the JIT options
};

// `image` is zero-terminated text or carries its own size, as cuModuleLoadData takes it.
PtxText ptx_of_image(const void* image, int device_sm);
PtxText ptx_of_file(const char* path, int device_sm);

// Version and target of PTX against the driver and the device.
struct PtxHeader {
  int version = 0;  // 803 for 8.3
  int target = 0;   // 90
  char suffix = 0;  // 'a' or 'f'
  int line = 1;     // of .target
};
PtxHeader read_ptx_header(const std::string& text);

}  // namespace cucore::cpu
