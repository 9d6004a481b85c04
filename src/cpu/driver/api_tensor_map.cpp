// SPDX-License-Identifier: Apache-2.0
// Tensor maps: the descriptors of tensor copies.
#include <algorithm>
#include <cstring>

#include "cpu/driver/api.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/exec/tensor_walk.hpp"

namespace cucore::cpu::api {
namespace {

constexpr uint64_t MAX_DIMENSION = uint64_t{1} << 32;

// Maps came with sm_90; some swizzles and types with sm_100.
void require_maps(CUtensorMap* map, CUtensorMapSwizzle swizzle) {
  const int sm = current_context()->device().profile().sm();
  require(sm >= 90, CUDA_ERROR_NOT_SUPPORTED);
  // CUDA asks for an alignment of 64 bytes, which the driver of an H100 does not check.
  require(map != nullptr);
  require(sm >= 100 || swizzle <= CU_TENSOR_MAP_SWIZZLE_128B);
}

void require_type(CUtensorMapDataType type) {
  require(type >= 0 && type <= CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B);
  bool packed = type >= CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B;
  if (packed)
    fail(current_context()->device().profile().sm() >= 100 ? CUDA_ERROR_NOT_SUPPORTED
                                                           : CUDA_ERROR_INVALID_VALUE);
}

// Values that do not fit a byte are not among those of any enumeration.
uint8_t byte_of(unsigned value) {
  require(value < 255);
  return static_cast<uint8_t>(value);
}

struct Kinds {
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
};

// The members that tiled and im2col maps share.
TensorMap common_map(CUtensorMapDataType type, cuuint32_t rank, void* address,
                     const cuuint64_t* sizes, const cuuint64_t* strides,
                     const cuuint32_t* element_strides, const Kinds& kinds) {
  require_type(type);
  require(rank > 0 && rank <= TENSOR_RANKS && sizes && (strides || rank == 1) && element_strides);
  TensorMap map;
  map.type = byte_of(type);
  map.rank = static_cast<uint8_t>(rank);
  map.interleave = byte_of(kinds.interleave);
  map.swizzle = byte_of(kinds.swizzle);
  map.atomicity = kinds.swizzle > CU_TENSOR_MAP_SWIZZLE_128B
                      ? byte_of(kinds.swizzle - CU_TENSOR_MAP_SWIZZLE_128B)
                      : 0;
  map.promotion = byte_of(kinds.promotion);
  map.fill = byte_of(kinds.fill);
  map.address = reinterpret_cast<uint64_t>(address);
  for (cuuint32_t k = 0; k < rank; ++k) {
    require(sizes[k] > 0 && sizes[k] <= MAX_DIMENSION);
    map.last_index[k] = static_cast<uint32_t>(sizes[k] - 1);
    map.element_strides[k] = byte_of(element_strides[k]);
    if (k + 1 < rank) map.strides[k] = strides[k];
  }
  return map;
}

// The driver of an H100 refuses tiles beyond the shared memory of a multiprocessor.
bool fits_shared_memory(const TensorMap& map) {
  const int shared = current_context()->device().profile().multiprocessor().shared;
  TensorTransfer box;
  box.map = map;
  return box.is_im2col() || box.bytes() <= uint64_t(shared);
}

CUresult store(CUtensorMap* out, const TensorMap& map) {
  require(tensor_map_fault(map) == nullptr && fits_shared_memory(map));
  void* bytes = out;  // of any alignment
  std::memset(bytes, 0, sizeof *out);
  std::memcpy(bytes, &map, sizeof map);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuTensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType,
                                cuuint32_t tensorRank, void* globalAddress,
                                const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                const cuuint32_t* boxDim, const cuuint32_t* elementStrides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2Promotion,
                                CUtensorMapFloatOOBfill oobFill) {
  require_maps(tensorMap, swizzle);
  TensorMap map = common_map(tensorDataType, tensorRank, globalAddress, globalDim, globalStrides,
                             elementStrides, {interleave, swizzle, l2Promotion, oobFill});
  require(boxDim != nullptr);
  for (cuuint32_t k = 0; k < tensorRank; ++k) {
    require(boxDim[k] <= 256);
    map.box[k] = static_cast<uint16_t>(boxDim[k]);
  }
  return store(tensorMap, map);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType,
                                 cuuint32_t tensorRank, void* globalAddress,
                                 const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                 const int* pixelBoxLowerCorner, const int* pixelBoxUpperCorner,
                                 cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
                                 const cuuint32_t* elementStrides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                                 CUtensorMapFloatOOBfill oobFill) {
  require_maps(tensorMap, swizzle);
  TensorMap map = common_map(tensorDataType, tensorRank, globalAddress, globalDim, globalStrides,
                             elementStrides, {interleave, swizzle, l2Promotion, oobFill});
  require(tensorRank >= 3 && pixelBoxLowerCorner && pixelBoxUpperCorner);
  require(channelsPerPixel <= 256 && pixelsPerColumn <= 1024);
  map.mode = static_cast<uint8_t>(TensorMode::IM2COL);
  map.channels = static_cast<uint16_t>(channelsPerPixel);
  map.pixels = static_cast<uint16_t>(pixelsPerColumn);
  // The first spatial dimension is the width, as in the other arrays.
  for (cuuint32_t k = 0; k + 2 < tensorRank; ++k) {
    int low = pixelBoxLowerCorner[k], high = pixelBoxUpperCorner[k];
    require(std::min(low, high) >= INT16_MIN && std::max(low, high) <= INT16_MAX);
    map.lower[k] = static_cast<int16_t>(low);
    map.upper[k] = static_cast<int16_t>(high);
  }
  return store(tensorMap, map);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* tensorMap, void* globalAddress) {
  require_maps(tensorMap, CU_TENSOR_MAP_SWIZZLE_NONE);
  TensorMap map;
  std::memcpy(static_cast<void*>(&map), static_cast<const void*>(tensorMap), sizeof map);
  map.address = reinterpret_cast<uint64_t>(globalAddress);
  return store(tensorMap, map);
}

}  // namespace cucore::cpu::api
