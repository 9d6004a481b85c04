// SPDX-License-Identifier: Apache-2.0
// Converts a program's code (PTX text, fat binary, CUBIN) to PTX text for a device, or reports why
// that is impossible.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>

namespace cucore::cpu {

struct PtxText {
  CUresult code = CUDA_SUCCESS;
  std::string text;
  std::string log;  // for the error log of the JIT options
  // The image is for a linker. As on a GPU, a library of it loads, and its first use fails.
  bool for_linker = false;
};

// `image` is zero-terminated text or contains its own size, as for cuModuleLoadData.
PtxText ptx_of_image(const void* image, int device_sm);
PtxText ptx_of_file(const char* path, int device_sm);
// `image` has `size` bytes; text ends at its first zero byte. The bytes may come from a file, so no
// pointer in them is followed.
PtxText ptx_of_bytes(const void* image, size_t size, int device_sm);
// The same for memory that the program passes, which may also be a wrapper that points to a fat
// binary.
PtxText ptx_of_memory(const void* image, size_t size, int device_sm);

// Reads a regular file; other files could wait for a writer or have no end.
CUresult read_image_file(const char* path, std::string& bytes);

// Version and target of PTX, to be compared with the driver and the device.
struct PtxHeader {
  int version = 0;  // 803 for 8.3
  int target = 0;   // 90
  char suffix = 0;  // 'a' or 'f'
  int line = 1;     // line of .target
};
PtxHeader read_ptx_header(const std::string& text);

}  // namespace cucore::cpu
