// SPDX-License-Identifier: Apache-2.0
// The rules of tensor maps, as CUDA documents them for cuTensorMapEncodeTiled and
// cuTensorMapEncodeIm2col, and as the driver of an H100 checks them.
#include "cpu/exec/tensor_map.hpp"

#include <iterator>

namespace cucore::cpu {
namespace {

struct TypeRow {
  uint8_t bytes;
  bool is_float;
};

// In the order of CUtensorMapDataType. Packed 4- and 6-bit types are missing.
constexpr TypeRow TYPES[] = {{1, false}, {2, false}, {4, false}, {4, false}, {8, false},
                             {8, false}, {2, true},  {4, true},  {8, true},  {2, true},
                             {4, true},  {4, true},  {4, true}};

constexpr uint64_t MAX_STRIDE = uint64_t{1} << 40;
constexpr uint32_t MAX_BOX = 256, MAX_PIXELS = 1024, MAX_ELEMENT_STRIDE = 8;

uint32_t alignment(const TensorMap& map) { return map.interleave == 2 ? 32 : 16; }

const char* fault_of_layout(const TensorMap& map) {
  const uint64_t unit = alignment(map);
  if (map.address % unit) return "a misaligned address";
  for (uint32_t k = 0; k + 1 < map.rank; ++k)
    if (map.strides[k] % unit || map.strides[k] >= MAX_STRIDE) return "an invalid stride";
  for (uint32_t k = 0; k < map.rank; ++k)
    if (map.element_strides[k] == 0 || map.element_strides[k] > MAX_ELEMENT_STRIDE)
      return "an invalid stride of elements";
  return nullptr;
}

const char* fault_of_kinds(const TensorMap& map) {
  if (map.interleave > 2) return "an unknown interleave";
  if (map.swizzle >= uint8_t(TensorSwizzle::COUNT)) return "an unknown swizzle";
  if (map.atomicity && map.swizzle < uint8_t(TensorSwizzle::BYTES_128))
    return "an atomicity that does not fit the swizzle";
  if (map.fill > 1 || (map.fill && !is_tensor_float(map.type))) return "an invalid fill";
  if (map.promotion > 3) return "an unknown promotion";
  return nullptr;
}

const char* fault_of_inner(const TensorMap& map, uint64_t bytes) {
  const uint32_t span = swizzle_span(TensorSwizzle(map.swizzle));
  if (bytes % 16) return "a box whose rows are not multiples of 16 bytes";
  if (span && bytes > span && map.interleave == 0) return "a box with rows longer than the swizzle";
  return nullptr;
}

const char* fault_of_tile(const TensorMap& map) {
  for (uint32_t k = 0; k < map.rank; ++k)
    if (map.box[k] == 0 || map.box[k] > MAX_BOX) return "an invalid box";
  return fault_of_inner(map, uint64_t{map.box[0]} * tensor_element_bytes(map.type));
}

// The precision of corners depends on the number of spatial dimensions.
const char* fault_of_im2col(const TensorMap& map) {
  if (map.rank < 3) return "too few dimensions for im2col";
  constexpr int LIMITS[] = {32768, 128, 16};
  const uint32_t spatial = map.rank - 2u;
  const int limit = LIMITS[spatial - 1];
  for (uint32_t k = 0; k < spatial; ++k) {
    const int64_t low = map.lower[k], high = map.upper[k];
    if (low < -limit || low >= limit || high < -limit || high >= limit) return "an invalid corner";
    if (int64_t{map.last_index[k + map.width_dimension()]} + high < low)
      return "an empty box of pixels";
  }
  if (map.channels == 0 || map.channels > MAX_BOX) return "an invalid number of channels";
  if (map.pixels == 0 || map.pixels > MAX_PIXELS) return "an invalid number of pixels";
  return fault_of_inner(map, uint64_t{map.channels} * tensor_element_bytes(map.type));
}

}  // namespace

uint32_t tensor_element_bytes(uint32_t type) {
  return type < std::size(TYPES) ? TYPES[type].bytes : 0;
}
bool is_tensor_tf32(uint32_t type) { return type == 11 || type == 12; }
bool is_tensor_float(uint32_t type) { return type < std::size(TYPES) && TYPES[type].is_float; }

uint32_t swizzle_span(TensorSwizzle swizzle) {
  switch (swizzle) {
    case TensorSwizzle::NONE:
      return 0;
    case TensorSwizzle::BYTES_32:
      return 32;
    case TensorSwizzle::BYTES_64:
      return 64;
    default:
      return 128;
  }
}

const char* tensor_map_fault(const TensorMap& map) {
  if (map.magic != TensorMap::MAGIC) return "no tensor map";
  if (map.rank == 0 || map.rank > TENSOR_RANKS) return "an invalid number of dimensions";
  if (map.interleave && map.rank < 3) return "too few dimensions for the interleave";
  if (tensor_element_bytes(map.type) == 0) return "a type that the device does not support";
  if (const char* fault = fault_of_kinds(map)) return fault;
  if (const char* fault = fault_of_layout(map)) return fault;
  if (map.mode > uint8_t(TensorMode::IM2COL)) return "an unknown mode";
  return map.mode == uint8_t(TensorMode::IM2COL) ? fault_of_im2col(map) : fault_of_tile(map);
}

}  // namespace cucore::cpu
