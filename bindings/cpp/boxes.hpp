// SPDX-License-Identifier: Apache-2.0
// Boxes of copies from the parameters that the languages pass.
#pragma once

#include <cucore.h>

#include <cstddef>

namespace cucore::bind {

inline cucore_box box_of(cucore_buffer* buffer, size_t offset, size_t row_bytes, size_t slice_rows,
                         size_t x, size_t y, size_t z) {
  cucore_box box = CUCORE_BOX_INIT;
  box.buffer = buffer;
  box.offset = offset;
  box.row_bytes = row_bytes;
  box.slice_rows = slice_rows;
  box.x = x;
  box.y = y;
  box.z = z;
  return box;
}

}  // namespace cucore::bind
