// SPDX-License-Identifier: Apache-2.0
// A tensor map: the 128 bytes that describe a tensor in global memory and the box that a tensor
// copy moves. The encoding is that of this device. A kernel can change the bytes, so they are
// checked before each use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cucore::cpu {

inline constexpr uint32_t TENSOR_RANKS = 5;

// The values are those of cuda.h and of tensormap.replace.
enum class TensorSwizzle : uint8_t {
  NONE,
  BYTES_32,
  BYTES_64,
  BYTES_128,
  BYTES_128_ATOM_32,
  BYTES_128_ATOM_32_FLIP_8,
  BYTES_128_ATOM_64,
  COUNT
};

enum class TensorMode : uint8_t { TILE, IM2COL };

struct TensorMap {
  uint32_t magic = MAGIC;
  uint8_t type = 0;  // CUtensorMapDataType
  uint8_t rank = 1;
  uint8_t interleave = 0;  // CUtensorMapInterleave
  uint8_t swizzle = 0;     // TensorSwizzle
  uint64_t address = 0;
  uint64_t strides[TENSOR_RANKS - 1] = {};     // bytes
  uint32_t last_index[TENSOR_RANKS] = {};      // size of each dimension - 1
  uint16_t box[TENSOR_RANKS] = {};             // elements; tile mode
  uint8_t element_strides[TENSOR_RANKS] = {};  // steps of the traversal
  uint8_t fill = 0;                            // CUtensorMapFloatOOBfill
  uint8_t promotion = 0;                       // CUtensorMapL2promotion
  uint8_t mode = 0;                            // TensorMode
  uint8_t atomicity = 0;                       // of tensormap.replace; 128-byte swizzles have it
  int16_t lower[3] = {};                       // im2col: corners of the box of pixels, W, H, D
  int16_t upper[3] = {};
  uint16_t channels = 0;  // im2col: box along the first dimension
  uint16_t pixels = 0;    // im2col: box along the others

  static constexpr uint32_t MAGIC = 0x6d54'7543;

  uint64_t size(uint32_t dimension) const { return uint64_t{last_index[dimension]} + 1; }
  // Returns the bytes of a slice of channels; 0 without interleave. With interleave, dimension 0 is
  // W in slices, and the one before the last is that of the slices of channels.
  uint32_t slice_bytes() const { return interleave == 0 ? 0 : interleave == 1 ? 16 : 32; }
  // Returns the dimension of W, before those of H and D.
  uint32_t width_dimension() const { return interleave == 0 ? 1 : 0; }
};

inline constexpr size_t TENSOR_MAP_BYTES = 128;
static_assert(sizeof(TensorMap) <= TENSOR_MAP_BYTES);

// Returns the bytes of an element; 0 for a type that the device does not support.
uint32_t tensor_element_bytes(uint32_t type);
bool is_tensor_float(uint32_t type);
bool is_tensor_tf32(uint32_t type);  // with or without FTZ
// Returns the bytes within which a swizzle moves data; 0 for no swizzle.
uint32_t swizzle_span(TensorSwizzle swizzle);

// Returns what is wrong in a map, for a message; nullptr: nothing.
const char* tensor_map_fault(const TensorMap& map);

}  // namespace cucore::cpu
