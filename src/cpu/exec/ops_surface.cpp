// SPDX-License-Identifier: Apache-2.0
// suld.b, sust.b and sured.b: accesses to texels by the byte, with the layout of the array.
#include <bit>
#include <cstring>

#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/image_access.hpp"
#include "cpu/exec/surface_place.hpp"

namespace cucore::cpu {

using ptx::Opcode;

namespace {

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
    std::byte* texels = surface_bytes(
        w, op, site, image, lane, surface_place(w, site, image, lane, 1), site.bytes * site.count);
    if (site.op == Opcode::suld_b)
      put(w, site, lane, texels);
    else if (texels)
      store(w, site, lane, texels);
  }
}

}  // namespace cucore::cpu
