// SPDX-License-Identifier: Apache-2.0
// The level of mipmaps that the gradients of coordinates ask for.
#pragma once

#include <array>

#include "cpu/exec/image.hpp"

namespace cucore::cpu {

// The changes of coordinates from a pixel to its neighbours.
struct Gradients {
  std::array<float, 3> dx{}, dy{};
};

// Returns the level at which a pixel at these coordinates has about the size of a texel.
float level_of(const ImageObject& object, const std::array<float, 3>& at, const Gradients& by);

}  // namespace cucore::cpu
