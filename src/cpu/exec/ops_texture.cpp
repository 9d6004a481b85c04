// SPDX-License-Identifier: Apache-2.0
// tex, tld4, txq and suq.
#include <bit>

#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/gradient_level.hpp"
#include "cpu/exec/image_access.hpp"
#include "cpu/exec/sampler.hpp"

namespace cucore::cpu {

using ptx::Geometry;
using ptx::Mode;
using ptx::Opcode;

namespace {

constexpr int64_t SAMPLE_COST = 8;  // of a lane, in instructions

bool is_surface_op(Opcode op) {
  return op == Opcode::suld_b || op == Opcode::sust_b || op == Opcode::sured_b || op == Opcode::suq;
}

// Surfaces of cubes have layers.
bool fits(Geometry geometry, const ImageObject& object) {
  const Image& image = object.image;
  switch (geometry) {
    case Geometry::d1:
    case Geometry::d2:
    case Geometry::d3:
      return image.dimensions == unsigned(geometry) && !image.is_layered && !image.is_cube;
    case Geometry::a1d:
      return image.dimensions == 1 && image.is_layered;
    case Geometry::a2d:
      return image.dimensions == 2 && (object.is_surface ? image.is_layered || image.is_cube
                                                         : image.is_layered && !image.is_cube);
    case Geometry::cube:
      return image.is_cube && !image.is_layered;
    case Geometry::acube:
      return image.is_cube && image.is_layered;
    default:
      return true;
  }
}

float number(const Warp& w, Slot slot, int lane) {
  return slot == NO_SLOT ? 0 : w.at<float>(slot)[lane];
}

std::array<float, 3> numbers(const Warp& w, const Slot (&slots)[3], int lane) {
  return {number(w, slots[0], lane), number(w, slots[1], lane), number(w, slots[2], lane)};
}

uint32_t layer_of(const Warp& w, const ImageSite& site, int lane) {
  return site.layer == NO_SLOT ? 0 : w.at<uint32_t>(site.layer)[lane];
}

Texel sample_lane(const Warp& w, const ImageSite& site, const ImageObject& object,
                  const std::byte* texels, int lane) {
  if (site.is_whole) {
    FetchPlace place;
    place.layer = layer_of(w, site, lane);
    for (unsigned axis = 0; axis < 3; ++axis)
      if (site.place[axis] != NO_SLOT) place.at[axis] = w.at<int32_t>(site.place[axis])[lane];
    return fetch(object, texels, place);
  }
  SamplePlace place;
  place.at = numbers(w, site.place, lane);
  place.layer = layer_of(w, site, lane);
  if (site.op == Opcode::tld4)
    return gather(object, texels, place, unsigned(site.mode) - unsigned(Mode::red));
  place.has_level = site.op == Opcode::tex_level || site.op == Opcode::tex_grad;
  if (site.op == Opcode::tex_level) place.level = number(w, site.level, lane);
  if (site.op == Opcode::tex_grad)
    place.level =
        level_of(object, place.at, {numbers(w, site.dx, lane), numbers(w, site.dy, lane)});
  return sample(object, texels, place);
}

uint32_t layers_of(const Image& image) {
  const uint32_t planes = image.levels[0].planes;
  return image.is_cube ? planes / 6 : image.is_layered ? planes : 0;
}

uint32_t queried(const ImageObject& object, Mode mode) {
  const Image& image = object.image;
  switch (mode) {
    case Mode::width:
      return image.levels[0].width;
    case Mode::height:
      return image.dimensions > 1 ? image.levels[0].height : 0;
    case Mode::depth:
      return image.dimensions > 2 ? image.levels[0].planes : 0;
    case Mode::array_size:
      return layers_of(image);
    case Mode::num_mipmap_levels:
      return uint32_t(image.levels.size());
    case Mode::normalized_coords:
      return object.sampler.is_normalized;
    default:
      return 1;  // samples
  }
}

}  // namespace

void NamedImage::fail(int lane, const std::string& what) const {
  raise(w_, op_, lane, CUDA_ERROR_ILLEGAL_ADDRESS, "invalid image object",
        "the handle " + hex_text(handle_) + " is " + what);
}

void NamedImage::check(int lane) const {
  const bool surface = is_surface_op(site_.op);
  const char* kind = surface ? "surface object" : "texture object";
  if (!object_ || object_->is_surface != surface)
    fail(lane, std::string("no ") + kind + "; expected one that has not been destroyed");
  if (object_->device != w_.block->launch.launch->device)
    fail(lane, std::string("a ") + kind + " of device " + std::to_string(object_->device));
  if (!fits(site_.geometry, *object_))
    fail(lane, std::string("a ") + kind + " of another geometry than the instruction");
}

void sample_texture(Warp& w, const Op& op) {
  const ImageSite& site = w.frame->function->images[op.target];
  NamedImage image(w, op, site);
  const ImageObject* last = nullptr;
  const std::byte* texels = nullptr;
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const ImageObject& object = image.of(lane);
    if (&object != last)
      texels = resolve_bytes(w, op, lane, object.image.address, object.image.bytes, Access::READ,
                             Region::GLOBAL);
    last = &object;
    const Texel texel = sample_lane(w, site, object, texels, lane);
    for (unsigned c = 0; c < site.count; ++c)
      if (site.values[c] != NO_SLOT) w.at<uint32_t>(site.values[c])[lane] = texel[c];
    w.quantum -= SAMPLE_COST;
  }
  if (site.resident != NO_SLOT) *w.at<uint32_t>(site.resident) |= w.mask;
}

void query_image(Warp& w, const Op& op) {
  const ImageSite& site = w.frame->function->images[op.target];
  NamedImage image(w, op, site);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    w.at<uint32_t>(site.values[0])[lane] = queried(image.of(lane), site.mode);
  }
}

}  // namespace cucore::cpu
