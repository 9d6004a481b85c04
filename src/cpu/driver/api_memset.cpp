// SPDX-License-Identifier: Apache-2.0
// The memset functions, expanded for the three widths.
#include "cpu/driver/api.hpp"
#include "cpu/driver/copy.hpp"

namespace cucore::cpu::api {
namespace {

CUresult set(CUdeviceptr to, size_t pitch, uint32_t value, size_t unit, size_t width, size_t height,
             Waiting waiting, CUstream stream) {
  const auto s = find_stream(stream);
  if (width == 0 || height == 0) return CUDA_SUCCESS;
  require(width <= SIZE_MAX / unit);
  Box box{width * unit, height, 1};
  require(height <= 1 || pitch >= box.width);
  fill({to, pitch, 0, Claim::DEVICE}, value, unit, box, waiting, *s);
  return CUDA_SUCCESS;
}

}  // namespace

#define CUCPU_MEMSET(bits, type)                                                            \
  CUresult cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t n) {                     \
    return set(to, 0, value, sizeof(type), n, 1, Waiting::BLOCKING, nullptr);               \
  }                                                                                         \
  CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t n, CUstream stream) {  \
    return set(to, 0, value, sizeof(type), n, 1, Waiting::ASYNC, stream);                   \
  }                                                                                         \
  CUresult cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type value, size_t width,   \
                                  size_t height) {                                          \
    return set(to, pitch, value, sizeof(type), width, height, Waiting::BLOCKING, nullptr);  \
  }                                                                                         \
  CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, \
                                    size_t height, CUstream stream) {                       \
    return set(to, pitch, value, sizeof(type), width, height, Waiting::ASYNC, stream);      \
  }

CUCPU_MEMSET(8, unsigned char)
CUCPU_MEMSET(16, unsigned short)
CUCPU_MEMSET(32, unsigned int)
#undef CUCPU_MEMSET

}  // namespace cucore::cpu::api
