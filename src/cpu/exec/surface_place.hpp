// SPDX-License-Identifier: Apache-2.0
// The places in a surface that its instructions access.
#pragma once

#include <cstdint>

#include "cpu/exec/access.hpp"
#include "cpu/exec/image.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu {

// The place of an access in bytes, rows and planes.
struct SurfacePlace {
  int64_t byte = 0, row = 0, plane = 0;
};

// Returns the coordinates of a lane; the first one counts units of `unit` bytes.
SurfacePlace surface_place(const Warp& w, const ImageSite& site, const Image& image, int lane,
                           uint32_t unit);

// Returns the host's pointer to the bytes of an access, or nullptr for one without an effect.
// Throws KernelFault for a misaligned place, and for one outside of the image under `.trap`.
std::byte* surface_bytes(Warp& w, const Op& op, const ImageSite& site, const Image& image, int lane,
                         SurfacePlace place, uint32_t bytes);

}  // namespace cucore::cpu
