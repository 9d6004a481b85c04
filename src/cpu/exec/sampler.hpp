// SPDX-License-Identifier: Apache-2.0
// Reads of textures: coordinates to texels, address modes, filters and levels. Coordinates have 8
// fractional bits where a filter weighs texels with them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cpu/exec/image.hpp"

namespace cucore::cpu {

// The four words of a result: f32 values, or integers.
using Texel = std::array<uint32_t, 4>;

// Coordinates as numbers along the axes of the image, which are 1 to 3; of a cube, a direction.
struct SamplePlace {
  std::array<float, 3> at{};
  uint32_t layer = 0;
  float level = 0;
  bool has_level = false;           // else the level is 0, without the bias
  std::array<int32_t, 3> offset{};  // in texels of the level
};

// Reads without a filter and without the normalization of coordinates.
struct FetchPlace {
  std::array<int64_t, 3> at{};
  uint32_t layer = 0;
  int64_t level = 0;
};

// The face of a cube that a direction meets, with the place on the face from 0 to 1.
struct FacePlace {
  uint32_t face;
  float s, t;
};
FacePlace face_of(const std::array<float, 3>& direction);

// `texels` are the bytes of the image on the host.
Texel sample(const ImageObject& object, const std::byte* texels, const SamplePlace& place);
Texel fetch(const ImageObject& object, const std::byte* texels, const FetchPlace& place);
// Returns one component of the four texels that a linear filter weighs.
Texel gather(const ImageObject& object, const std::byte* texels, const SamplePlace& place,
             unsigned component);

}  // namespace cucore::cpu
