// SPDX-License-Identifier: Apache-2.0
// Rows of tiles and of im2col boxes, and swizzles.
#include "cpu/exec/tensor_walk.hpp"

namespace cucore::cpu {
namespace {

constexpr uint64_t FOUR_ROWS = 4;

// Returns the steps of a dimension of a tile. With interleave, a tile has one slice of channels,
// whatever the length of its box is.
uint32_t steps(const TensorMap& map, uint32_t dimension) {
  if (map.slice_bytes() && dimension + 2 == map.rank) return 1;
  const uint32_t stride = map.element_strides[dimension];
  return (map.box[dimension] + stride - 1) / stride;
}

}  // namespace

uint64_t TensorTransfer::rows() const {
  if (has_four_rows) return FOUR_ROWS;
  if (is_im2col()) return map.pixels;
  uint64_t count = 1;
  for (uint32_t k = map.width_dimension(); k < map.rank; ++k) count *= steps(map, k);
  return count;
}

// A tile counts its steps from 0. An im2col box counts pixels in coordinates of the tensor.
void TensorRows::start(int64_t (&place)[TENSOR_RANKS]) const {
  if (t_.is_im2col())
    for (uint32_t k = t_.map.width_dimension(); k < t_.map.rank; ++k) place[k] = t_.coordinates[k];
}

void TensorRows::step(int64_t (&place)[TENSOR_RANKS]) const {
  if (t_.has_four_rows) return void(++place[1]);
  t_.is_im2col() ? step_pixel(place) : step_tile(place);
}

void TensorRows::step_tile(int64_t (&place)[TENSOR_RANKS]) const {
  for (uint32_t k = t_.map.width_dimension(); k < t_.map.rank; ++k) {
    if (++place[k] < int64_t{steps(t_.map, k)}) return;
    place[k] = 0;
  }
}

bool TensorTransfer::starts_in_box_of_pixels() const {
  const uint32_t width = map.width_dimension();
  for (uint32_t k = 0; k + 2 < map.rank; ++k) {
    const int64_t start = coordinates[width + k];
    const int64_t last = int64_t{map.last_index[width + k]} + map.upper[k];
    if (start < map.lower[k] || start > last) return false;
  }
  return true;
}

// Pixels follow each other in the box of pixels, the width first; then the next image. All are of
// one slice of channels.
void TensorRows::step_pixel(int64_t (&place)[TENSOR_RANKS]) const {
  const uint32_t width = t_.map.width_dimension(), images = t_.map.rank - 1u;
  for (uint32_t k = 0; k + 2 < t_.map.rank; ++k) {
    place[width + k] += t_.map.element_strides[width + k];
    if (place[width + k] <= int64_t{t_.map.last_index[width + k]} + t_.map.upper[k]) return;
    place[width + k] = t_.map.lower[k];
  }
  ++place[images];
}

int64_t TensorRows::index_of(const int64_t (&place)[TENSOR_RANKS], uint32_t k) const {
  const uint32_t width = t_.map.width_dimension();
  if (k < width) return t_.coordinates[k];
  if (t_.has_four_rows) return t_.coordinates[1 + place[1]];
  if (!t_.is_im2col()) return t_.coordinates[k] + place[k] * t_.map.element_strides[k];
  return place[k] + (k - width + 2 < t_.map.rank ? t_.offsets[k - width] : 0);
}

bool TensorRows::is_inside(const int64_t (&place)[TENSOR_RANKS]) const {
  for (uint32_t k = t_.map.width_dimension(); k < t_.map.rank; ++k)
    if (uint64_t(index_of(place, k)) > t_.map.last_index[k]) return false;
  return true;
}

uint64_t TensorRows::address_of(const int64_t (&place)[TENSOR_RANKS]) const {
  const uint32_t slice = t_.map.slice_bytes();
  uint64_t address = t_.map.address + uint64_t(index_of(place, 0)) * (slice ? slice : t_.element());
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
