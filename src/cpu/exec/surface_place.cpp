// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/surface_place.hpp"

#include <algorithm>

#include "cpu/exec/fault.hpp"

namespace cucore::cpu {

using ptx::Mode;
using ptx::Opcode;

namespace {

// Moves a place into the image, or returns false for an access without an effect.
bool bound(const Warp& w, const Op& op, const ImageSite& site, const Image& image, int lane,
           SurfacePlace& p, int64_t bytes) {
  const ImageLevel& level = image.levels[0];
  const int64_t last_byte = int64_t{level.width} * image.texel_bytes() - bytes;
  const int64_t last_row = int64_t{level.height} - 1, last_plane = int64_t{level.planes} - 1;
  const bool inside = p.byte >= 0 && p.byte <= last_byte && p.row >= 0 && p.row <= last_row &&
                      p.plane >= 0 && p.plane <= last_plane;
  if (inside) return true;
  if (site.mode == Mode::zero || last_byte < 0) {
    if (site.mode == Mode::zero) return false;
  } else if (site.mode == Mode::clamp) {
    p.byte = std::clamp<int64_t>(p.byte, 0, last_byte / bytes * bytes);
    p.row = std::clamp<int64_t>(p.row, 0, last_row);
    p.plane = std::clamp<int64_t>(p.plane, 0, last_plane);
    return true;
  }
  raise(w, op, lane, CUDA_ERROR_ILLEGAL_ADDRESS, "illegal address",
        std::to_string(bytes) + " bytes at byte " + std::to_string(p.byte) + ", row " +
            std::to_string(p.row) + ", plane " + std::to_string(p.plane) + " of a surface with " +
            std::to_string(last_byte + bytes) + " bytes, " + std::to_string(last_row + 1) +
            " rows and " + std::to_string(last_plane + 1) + " planes");
}

}  // namespace

SurfacePlace surface_place(const Warp& w, const ImageSite& site, const Image& image, int lane,
                           uint32_t unit) {
  SurfacePlace place;
  auto at = [&](unsigned axis) {
    return site.place[axis] == NO_SLOT ? 0 : int64_t{w.at<int32_t>(site.place[axis])[lane]};
  };
  place.byte = at(0) * unit;
  if (image.dimensions > 1) place.row = at(1);
  place.plane = image.dimensions > 2 ? at(2) : 0;
  if (site.layer != NO_SLOT) place.plane = int64_t{w.at<int32_t>(site.layer)[lane]};
  return place;
}

std::byte* surface_bytes(Warp& w, const Op& op, const ImageSite& site, const Image& image, int lane,
                         SurfacePlace p, uint32_t bytes) {
  if (!bound(w, op, site, image, lane, p, bytes)) return nullptr;
  if (uint64_t(p.byte) % bytes)
    raise(w, op, lane, CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address",
          "byte " + std::to_string(p.byte) + " of a surface; expected a multiple of " +
              std::to_string(bytes));
  const ImageLevel& level = image.levels[0];
  const uint64_t address = image.address + level.offset + uint64_t(p.plane) * level.plane_bytes() +
                           uint64_t(p.row) * level.pitch + uint64_t(p.byte);
  const Access access = site.op == Opcode::suld_b ? Access::READ : Access::WRITE;
  return resolve_bytes(w, op, lane, address, bytes, access, Region::GLOBAL);
}

}  // namespace cucore::cpu
