// SPDX-License-Identifier: Apache-2.0
// Tensor maps of a known tensor, and copies of one box by them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "rows.hpp"

namespace cucore::cpu::record {

// The arguments of cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col.
struct TensorShape {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
  unsigned rank = 4;
  unsigned offset = 0;  // of the address in the memory of the tensor
  unsigned place = 0;   // of the map in memory that is aligned to 128 bytes
  std::array<cuuint64_t, 6> sizes{};
  std::array<cuuint64_t, 5> strides{};
  std::array<cuuint32_t, 6> box{};
  std::array<cuuint32_t, 6> steps{1, 1, 1, 1, 1, 1};
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  bool is_im2col = false;
  std::array<int, 3> lower{}, upper{};
  cuuint32_t channels = 0, pixels = 0;
};

// The memory and the kernels of the copies, in the context of the SHARED rows. The tensor has the
// 16-bit words 1, 2, 3 ..., and 0xbbbb after its end.
class TensorCopies {
 public:
  static TensorCopies& get();

  // Makes the map of the next copy.
  CUresult encode(const TensorShape& shape);
  // Copies the box that starts at these coordinates to shared memory. The offsets of im2col are
  // {1, 2, 0}. Returns the result of the kernel.
  CUresult load(const TensorShape& shape, const std::vector<int>& start);
  // Returns the bytes of which the copy has informed its mbarrier; -1 without end.
  int counted() const { return int(words_.back()); }
  // Returns what each 16 bytes of shared memory contain. "5" is the 16 bytes at 5 * 16 of the
  // tensor, and "5..7" also has those after them. "." stands for bytes that no copy wrote, "z" for
  // zeros, and ".x3" for three of them. "1+2" is 2 words after "1". Other bytes are in hexadecimal.
  std::string atoms() const;

 private:
  TensorCopies();
  alignas(128) char maps_[256] = {};
  CUtensorMap* map_ = nullptr;
  CUmodule module_ = nullptr;
  CUdeviceptr tensor_ = 0, seen_ = 0;
  std::vector<uint32_t> words_;
};

}  // namespace cucore::cpu::record
