// SPDX-License-Identifier: Apache-2.0
// The elements of a tensor copy, from the definition of tensor maps and without the device's walk.
// The map is valid, and the copy starts in the box of pixels.
#pragma once

#include <cstdint>

#include "cpu/exec/tensor_map.hpp"

namespace cucore::cpu::test {

// Returns the place in shared memory to which a swizzle moves the byte at `offset`.
inline uint64_t reference_swizzle(uint8_t swizzle, uint64_t offset) {
  // In each row of 128 bytes, units change places by the number of the row.
  struct Pattern {
    uint64_t unit, rows;
  };
  constexpr Pattern PATTERNS[] = {{16, 1}, {16, 2}, {16, 4}, {16, 8}, {32, 4}, {32, 4}, {64, 2}};
  const auto [unit, rows] = PATTERNS[swizzle];
  const uint64_t row = offset / 128, number = offset % 128 / unit;
  uint64_t byte = offset % unit;
  if (swizzle == 5 && row % 2)
    byte = byte / 16 * 16 + (byte % 16 + 8) % 16;  // halves change places
  return row * 128 + (number ^ row % rows) * unit + byte;
}

// Enumerates the elements of a box that are in the tensor.
class ReferenceBox {
 public:
  ReferenceBox(const TensorMap& map, const int32_t* coordinates, uint64_t place)
      : map_(map), place_(place), slice_(map.interleave * 16u), width_(slice_ ? 0 : 1) {
    for (uint32_t k = 0; k < map.rank; ++k) start_[k] = coordinates[k];
    element_ = tensor_element_bytes(map.type);
    is_im2col_ = map.mode == 1;
    row_ = slice_ ? slice_ / element_ : is_im2col_ ? map.channels : map.box[0];
    pitch_ = row_ * element_;
    const uint32_t spans[] = {0, 32, 64, 128, 128, 128, 128};
    if (!slice_ && pitch_ < spans[map.swizzle]) pitch_ = spans[map.swizzle];
  }

  // Calls f(place in shared memory, address in global memory) for each element.
  template <class F>
  void each(F f) const {
    uint64_t number = 0;
    const auto row = [&](const int64_t* index) {
      if (is_inside(index)) each_in_row(index, number * pitch_, f);
      ++number;
    };
    int64_t index[TENSOR_RANKS];
    for (uint32_t k = 0; k < TENSOR_RANKS; ++k) index[k] = start_[k];
    if (!is_im2col_) return tiles(map_.rank, index, row);
    uint32_t left = map_.pixels;
    for (bool is_first = true; left; ++index[map_.rank - 1])
      pixels(map_.rank - 2u, index, is_first, left, row);
  }
  uint32_t element() const { return element_; }

 private:
  // The loops of a tile: the last dimension is the outermost. Without interleave, dimension 0 is
  // the row; with it, the slices of channels have one step.
  template <class F>
  void tiles(uint32_t dimension, int64_t* index, const F& row) const {
    if (dimension == width_) return row(index);
    const uint32_t k = dimension - 1;
    const bool is_slice = slice_ && k + 2 == map_.rank;
    for (int64_t step = 0; step < (is_slice ? 1 : map_.box[k]); step += map_.element_strides[k]) {
      index[k] = start_[k] + step;
      tiles(k, index, row);
    }
  }
  // The loops over the pixels of one image; only the first pass starts at the coordinates.
  template <class F>
  void pixels(uint32_t spatial, int64_t* index, bool& is_first, uint32_t& left,
              const F& row) const {
    if (spatial == 0) {
      is_first = false;
      --left;
      return row(index);
    }
    const uint32_t k = spatial - 1, dimension = width_ + k;
    const int64_t end = int64_t{map_.last_index[dimension]} + map_.upper[k];
    for (int64_t at = is_first ? start_[dimension] : map_.lower[k]; at <= end && left;
         at += map_.element_strides[dimension]) {
      index[dimension] = at;
      pixels(k, index, is_first, left, row);
    }
  }
  bool is_inside(const int64_t* index) const {
    for (uint32_t k = width_; k < map_.rank; ++k)
      if (index[k] < 0 || index[k] > int64_t{map_.last_index[k]}) return false;
    return true;
  }
  template <class F>
  void each_in_row(const int64_t* index, uint64_t offset, F& f) const {
    uint64_t address = map_.address;
    for (uint32_t k = 1; k < map_.rank; ++k) address += uint64_t(index[k]) * map_.strides[k - 1];
    if (slice_) address += uint64_t(index[0]) * slice_;
    for (uint32_t e = 0; e < row_; ++e) {
      const int64_t channel = start_[0] + int64_t{e};
      if (!slice_ && (channel < 0 || channel > int64_t{map_.last_index[0]})) continue;
      f(reference_swizzle(map_.swizzle, place_ + offset + e * element_),
        address + (slice_ ? e : uint64_t(channel)) * element_);
    }
  }

  const TensorMap& map_;
  const uint64_t place_;
  const uint32_t slice_, width_;  // bytes of a slice of channels, or 0; the dimension of W
  int64_t start_[TENSOR_RANKS] = {};
  uint32_t element_, row_, pitch_;  // bytes, elements, bytes
  bool is_im2col_;
};

}  // namespace cucore::cpu::test
