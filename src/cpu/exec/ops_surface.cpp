// SPDX-License-Identifier: Apache-2.0
// suld, sust and sured: accesses to texels by the byte, with the layout of the array.
#include <algorithm>
#include <bit>
#include <cstring>

#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/image_access.hpp"

namespace cucore::cpu {

using ptx::Mode;
using ptx::Opcode;

namespace {

// The place of an access in bytes, rows and planes.
struct SurfacePlace {
  int64_t byte = 0, row = 0, plane = 0;
};

SurfacePlace place_of(const Warp& w, const ImageSite& site, const Image& image, int lane) {
  SurfacePlace place;
  auto at = [&](unsigned axis) {
    return site.place[axis] == NO_SLOT ? 0 : int64_t{w.at<int32_t>(site.place[axis])[lane]};
  };
  place.byte = at(0);
  if (image.dimensions > 1) place.row = at(1);
  place.plane = image.dimensions > 2 ? at(2) : 0;
  if (site.layer != NO_SLOT) place.plane = int64_t{w.at<int32_t>(site.layer)[lane]};
  return place;
}

// Moves a place into the image, or returns false for an access without an effect.
bool bound(const Warp& w, const Op& op, const ImageSite& site, const Image& image, int lane,
           SurfacePlace& p) {
  const ImageLevel& level = image.levels[0];
  const int64_t bytes = int64_t{site.bytes} * site.count;
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

std::byte* locate(Warp& w, const Op& op, const ImageSite& site, const Image& image, int lane,
                  const SurfacePlace& p) {
  const uint64_t bytes = uint64_t{site.bytes} * site.count;
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

void put(const Warp& w, const ImageSite& site, int lane, const std::byte* from) {
  for (uint32_t k = 0; k < site.count; ++k) {
    if (site.values[k] == NO_SLOT) continue;
    uint64_t value = 0;
    if (from) std::memcpy(&value, from + size_t{k} * site.bytes, site.bytes);
    std::byte* to = w.at<std::byte>(site.values[k]) + size_t(lane) * site.register_bytes;
    std::memcpy(to, &value, site.register_bytes);
  }
}

void store(const Warp& w, const ImageSite& site, int lane, std::byte* to) {
  for (uint32_t k = 0; k < site.count; ++k) {
    const std::byte* from = w.at<std::byte>(site.values[k]) + size_t(lane) * site.register_bytes;
    if (site.reduction.combine)
      site.reduction.combine(to, from);
    else
      std::memcpy(to + size_t{k} * site.bytes, from, site.bytes);
  }
}

}  // namespace

void access_surface(Warp& w, const Op& op) {
  const ImageSite& site = w.frame->function->images[op.target];
  NamedImage named(w, op, site);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const Image& image = named.of(lane).image;
    SurfacePlace place = place_of(w, site, image, lane);
    const bool exists = bound(w, op, site, image, lane, place);
    std::byte* texels = exists ? locate(w, op, site, image, lane, place) : nullptr;
    if (site.op == Opcode::suld_b)
      put(w, site, lane, texels);
    else if (texels)
      store(w, site, lane, texels);
  }
}

}  // namespace cucore::cpu
