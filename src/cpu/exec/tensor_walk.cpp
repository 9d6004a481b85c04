// SPDX-License-Identifier: Apache-2.0
// Rows of tiles and of im2col boxes, and swizzles.
#include "cpu/exec/tensor_walk.hpp"

namespace cucore::cpu {
namespace {

constexpr uint64_t FOUR_ROWS = 4;

// Returns the steps of a dimension of a tile.
uint32_t steps(const TensorMap& map, uint32_t dimension) {
  const uint32_t stride = map.element_strides[dimension];
  return (map.box[dimension] + stride - 1) / stride;
}

}  // namespace

uint64_t TensorTransfer::rows() const {
  if (has_four_rows) return FOUR_ROWS;
  const uint32_t slice_step = map.element_strides[0];
  if (is_im2col())
    return map.slice_bytes() ? uint64_t{map.pixels} * ((map.channels + slice_step - 1) / slice_step)
                             : map.pixels;
  uint64_t count = map.slice_bytes() ? steps(map, 0) : 1;
  for (uint32_t k = 1; k < map.rank; ++k) count *= steps(map, k);
  return count;
}

// A tile counts its steps from 0. An im2col box counts pixels in coordinates of the tensor.
void TensorRows::start(int64_t (&place)[TENSOR_RANKS]) const {
  if (t_.is_im2col())
    for (uint32_t k = 1; k < t_.map.rank; ++k) place[k] = t_.coordinates[k];
}

// `row` is the number of the next row. Each slice of an im2col box has all of its pixels.
void TensorRows::step(int64_t (&place)[TENSOR_RANKS], uint64_t row) const {
  if (t_.has_four_rows) return void(++place[1]);
  if (!t_.is_im2col()) return step_tile(place);
  if (row % t_.map.pixels) return step_pixel(place);
  start(place);
  ++place[0];
}

// Slices follow each other between the last dimension and the others: N, C / slice, D, H, W.
void TensorRows::step_tile(int64_t (&place)[TENSOR_RANKS]) const {
  const uint32_t last = t_.map.rank - 1u;
  const auto advance = [&](uint32_t k) {
    if (++place[k] < int64_t{steps(t_.map, k)}) return true;
    place[k] = 0;
    return false;
  };
  for (uint32_t k = 1; k < t_.map.rank; ++k) {
    if (k == last && t_.map.slice_bytes() && advance(0)) return;
    if (advance(k)) return;
  }
}

// Pixels follow each other in the box of pixels, the width first; then the next image.
void TensorRows::step_pixel(int64_t (&place)[TENSOR_RANKS]) const {
  const uint32_t images = t_.map.rank - 1u;
  for (uint32_t k = 1; k < images; ++k) {
    place[k] += t_.map.element_strides[k];
    if (place[k] <= int64_t{t_.map.last_index[k]} + t_.map.upper[k - 1]) return;
    place[k] = t_.map.lower[k - 1];
  }
  ++place[images];
}

int64_t TensorRows::index_of(const int64_t (&place)[TENSOR_RANKS], uint32_t k) const {
  if (t_.has_four_rows) return t_.coordinates[1 + place[1]];
  if (k == 0) return t_.coordinates[0] + place[0] * t_.map.element_strides[0];
  if (!t_.is_im2col()) return t_.coordinates[k] + place[k] * t_.map.element_strides[k];
  return place[k] + (k + 1 < t_.map.rank ? t_.offsets[k - 1] : 0);
}

bool TensorRows::is_inside(const int64_t (&place)[TENSOR_RANKS]) const {
  for (uint32_t k = t_.map.slice_bytes() ? 0 : 1; k < t_.map.rank; ++k)
    if (uint64_t(index_of(place, k)) > t_.map.last_index[k]) return false;
  return true;
}

uint64_t TensorRows::address_of(const int64_t (&place)[TENSOR_RANKS]) const {
  if (const uint32_t slice = t_.map.slice_bytes()) {
    uint64_t address = t_.map.address + uint64_t(index_of(place, 1)) * slice;
    for (uint32_t k = 0; k < t_.map.rank; ++k)
      if (k != 1) address += uint64_t(index_of(place, k)) * t_.map.strides[k ? k - 1 : 0];
    return address;
  }
  uint64_t address = t_.map.address + uint64_t(int64_t{t_.coordinates[0]}) * t_.element();
  for (uint32_t k = 1; k < t_.map.rank; ++k)
    address += uint64_t(index_of(place, k)) * t_.map.strides[k - 1];
  return address;
}

// The row of 128 bytes selects how the parts of 16 bytes, or more, change places.
uint64_t swizzled(const TensorTransfer& t, uint64_t offset) {
  const uint64_t address = t.shared + offset;
  const uint64_t row = address >> 7;
  uint64_t moved = 0;
  switch (TensorSwizzle(t.map.swizzle)) {
    case TensorSwizzle::BYTES_32:
      moved = (row & 1) << 4;
      break;
    case TensorSwizzle::BYTES_64:
      moved = (row & 3) << 4;
      break;
    case TensorSwizzle::BYTES_128:
      moved = (row & 7) << 4;
      break;
    case TensorSwizzle::BYTES_128_ATOM_32:
      moved = (row & 3) << 5;
      break;
    case TensorSwizzle::BYTES_128_ATOM_32_FLIP_8:
      moved = (row & 3) << 5 | (row & 1) << 3;
      break;
    case TensorSwizzle::BYTES_128_ATOM_64:
      moved = (row & 1) << 6;
      break;
    default:
      break;
  }
  return (address ^ moved) - t.shared;
}

}  // namespace cucore::cpu
