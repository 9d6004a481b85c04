// SPDX-License-Identifier: Apache-2.0
// The decisions about a kernel that its text depends on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "array/codegen/code.hpp"

namespace cucore::array {

// How an access moves along the axis that a thread's vector lies on.
enum class Along : uint8_t {
  STILL,     // one element for all
  VECTOR,    // consecutive and aligned: one load
  ELEMENTS,  // consecutive
  STRIDED,
  TURNED,  // strided here, but consecutive along the other axis of a tile
};

struct AccessForm {
  Along along = Along::STILL;
  uint32_t moves =
      0;              // a bit per axis of the space besides the vector's, if the access moves on it
  uint8_t inner = 0;  // axes of the inner view, 0: none
  bool uniform() const noexcept { return along == Along::STILL && moves == 0; }
};

struct Form {
  uint8_t vector = 1;              // elements of a thread's vector
  uint8_t unroll = 1;              // vectors of a thread
  bool wide = false;               // indices of 64 bits
  uint8_t axes = 0;                // the outer ones of the space
  uint8_t along = 0;               // the axis that a vector lies on, outer axes first
  uint8_t side = 0;                // of a tile; 0: no tiles
  uint8_t tile_axis = 0;           // the other axis of a tile is the last one
  bool whole = false;              // its size is a multiple of a vector
  bool exact = false;              // no thread is without an element
  std::vector<AccessForm> nodes;   // by node; those of kinds without an access are unused
  std::vector<AccessForm> stores;  // by store
};

Form form_of(const Kernel& kernel, const Target& target, const Addresses& addresses);

// Whether indices or positions of the kernel need 64 bits.
bool needs_wide(const Kernel& kernel);

// The address of the element that the access finds at index 0, besides the outer offset of an
// access with an inner view.
uint64_t address_of(uint64_t memory, const Access& access, Part part, Dtype dtype);
// In elements of the type that is loaded: the parts of complex numbers lie two apart.
int64_t stride_of(const View& view, size_t axis, Part part);

std::string encoded(const Form& form, const Kernel& kernel, const Target& target);

}  // namespace cucore::array
