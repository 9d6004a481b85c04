// SPDX-License-Identifier: Apache-2.0
// The walk of a tensor copy through its box: which bytes of shared memory correspond to which bytes
// of global memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/exec/round_up.hpp"
#include "cpu/exec/tensor_map.hpp"

namespace cucore::cpu {

// One tensor copy: the map as it was when the copy was issued, and the place of the box.
struct TensorTransfer {
  TensorMap map;
  int32_t coordinates[TENSOR_RANKS] = {};  // those of four rows follow that of their column
  bool has_four_rows = false;
  uint16_t offsets[3] = {};  // im2col
  uint64_t shared = 0;       // offset of the box in shared memory; swizzles depend on it

  uint32_t element() const { return tensor_element_bytes(map.type); }
  bool is_im2col() const { return map.mode == uint8_t(TensorMode::IM2COL); }
  // Returns the elements of a row: a slice, or the box along dimension 0 without traversal stride.
  uint32_t row() const {
    if (map.slice_bytes()) return map.slice_bytes() / element();
    return is_im2col() ? map.channels : map.box[0];
  }
  uint64_t rows() const;
  // im2col: the box of pixels has its lower corner at `lower`, and its upper one `upper` from the
  // last pixel of an image.
  bool starts_in_box_of_pixels() const;
  uint64_t bytes() const { return rows() * row() * element(); }
  // Returns the distance of rows in shared memory. A row that is shorter than the swizzle takes the
  // space of the whole swizzle; slices are adjacent.
  uint32_t pitch() const {
    if (map.slice_bytes()) return map.slice_bytes();
    return std::max(row() * element(), swizzle_span(TensorSwizzle(map.swizzle)));
  }
  // Returns the bytes of shared memory that the box takes at most. A swizzle can move the last
  // slices behind the others, within its span.
  uint64_t space() const {
    return round_up(rows() * pitch(), std::max(swizzle_span(TensorSwizzle(map.swizzle)), 1u));
  }
};

// Returns the place, relative to the box, at which the swizzle puts a byte.
uint64_t swizzled(const TensorTransfer& transfer, uint64_t offset);

// Calls f(offset of the row in the box, address of the row's first element, whether the row is in
// the tensor) for each row.
class TensorRows {
 public:
  explicit TensorRows(const TensorTransfer& transfer) : t_(transfer) {}

  template <class F>
  void each(F f) const {
    const uint64_t pitch = t_.pitch();
    int64_t place[TENSOR_RANKS] = {};
    start(place);
    for (uint64_t row = 0, count = t_.rows(); row < count; ++row) {
      f(row * pitch, address_of(place), is_inside(place));
      step(place);
    }
  }
  // Returns the elements of each row that are in the tensor: [first, last).
  uint32_t first() const {
    if (t_.map.slice_bytes()) return 0;
    return uint32_t(std::clamp<int64_t>(-int64_t{t_.coordinates[0]}, 0, t_.row()));
  }
  uint32_t last() const {
    if (t_.map.slice_bytes()) return t_.row();
    const int64_t end = int64_t(t_.map.size(0)) - t_.coordinates[0];
    return uint32_t(std::clamp<int64_t>(end, 0, t_.row()));
  }

 private:
  void start(int64_t (&place)[TENSOR_RANKS]) const;
  void step(int64_t (&place)[TENSOR_RANKS]) const;
  void step_tile(int64_t (&place)[TENSOR_RANKS]) const;
  void step_pixel(int64_t (&place)[TENSOR_RANKS]) const;
  int64_t index_of(const int64_t (&place)[TENSOR_RANKS], uint32_t dimension) const;
  bool is_inside(const int64_t (&place)[TENSOR_RANKS]) const;
  uint64_t address_of(const int64_t (&place)[TENSOR_RANKS]) const;

  const TensorTransfer& t_;
};

}  // namespace cucore::cpu
