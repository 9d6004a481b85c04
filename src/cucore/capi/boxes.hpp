// SPDX-License-Identifier: Apache-2.0
// Reads the boxes of copies.
#pragma once

#include <cstddef>
#include <string>

#include "capi/guard.hpp"
#include "core/objects/box_copy.hpp"
#include "support/concat.hpp"

namespace cucore::capi {

// `side` is "destination" or "source".
inline core::Box box_of(const cucore_box* given, const char* side) {
  constexpr size_t FIRST_RELEASE = offsetof(cucore_box, z) + sizeof(size_t);
  const cucore_box box = read_options(require(given, side), FIRST_RELEASE, "cucore_box");
  if (box.array)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_box.array of the ", side,
                       " is set; expected NULL, because the library has no images yet"));
  core::Box out;
  if (box.buffer) out.buffer = share(box.buffer, concat("the buffer of the ", side).c_str());
  out.host = box.host;
  out.offset = box.offset;
  out.row_bytes = box.row_bytes;
  out.slice_rows = box.slice_rows;
  out.x = box.x;
  out.y = box.y;
  out.z = box.z;
  return out;
}

inline core::BoxCopy box_copy(const cucore_box* destination, const cucore_box* source,
                              const core::BoxExtent& extent) {
  core::Box to = box_of(destination, "destination");
  return {std::move(to), box_of(source, "source"), extent};
}

}  // namespace cucore::capi
