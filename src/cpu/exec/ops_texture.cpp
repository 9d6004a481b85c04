// SPDX-License-Identifier: Apache-2.0
// tex, tld4, txq, suq and istypep.
#include <bit>

#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/gradient_level.hpp"
#include "cpu/exec/halves.hpp"
#include "cpu/exec/image_access.hpp"
#include "cpu/exec/sampler.hpp"
#include "cpu/exec/texel_values.hpp"

namespace cucore::cpu {

using ptx::Mode;
using ptx::Opcode;

namespace {

constexpr int64_t SAMPLE_COST = 8;  // of a lane, in instructions

float number(const Warp& w, Slot slot, int lane) {
  return slot == NO_SLOT ? 0 : w.at<float>(slot)[lane];
}

std::array<float, 3> numbers(const Warp& w, const Slot (&slots)[3], int lane) {
  return {number(w, slots[0], lane), number(w, slots[1], lane), number(w, slots[2], lane)};
}

// Offsets have four bits. A GPU takes the next four bits of the one offset of a line as its row, so
// that a negative offset leaves the line. This shows at a border. Arrays of lines have no rows.
std::array<int32_t, 3> offsets_of(const Warp& w, const ImageSite& site, int lane) {
  std::array<int32_t, 3> offsets{};
  const auto bits = [&](unsigned axis, unsigned first) {
    return int32_t(w.at<uint32_t>(site.offsets[axis])[lane] << (28 - first)) >> 28;
  };
  for (unsigned axis = 0; axis < 3; ++axis)
    if (site.offsets[axis] != NO_SLOT) offsets[axis] = bits(axis, 0);
  if (site.offsets[0] != NO_SLOT && site.offsets[1] == NO_SLOT) offsets[1] = bits(0, 4);
  return offsets;
}

uint32_t layer_of(const Warp& w, const ImageSite& site, int lane) {
  return site.layer == NO_SLOT ? 0 : w.at<uint32_t>(site.layer)[lane];
}

FetchPlace whole_place(const Warp& w, const ImageSite& site, int lane) {
  FetchPlace place;
  const auto offsets = offsets_of(w, site, lane);
  place.layer = layer_of(w, site, lane);
  for (unsigned axis = 0; axis < 3; ++axis)
    if (site.place[axis] != NO_SLOT)
      place.at[axis] = int64_t{w.at<int32_t>(site.place[axis])[lane]} + offsets[axis];
  if (site.level != NO_SLOT) place.level = w.at<int32_t>(site.level)[lane];
  return place;
}

Texel sample_lane(const Warp& w, const ImageSite& site, const ImageObject& object,
                  const std::byte* texels, int lane) {
  if (site.is_whole) return fetch(object, texels, whole_place(w, site, lane));
  SamplePlace place;
  place.at = numbers(w, site.place, lane);
  place.layer = layer_of(w, site, lane);
  place.offset = offsets_of(w, site, lane);
  if (site.op == Opcode::tld4)
    return gather(object, texels, place, unsigned(site.mode) - unsigned(Mode::red));
  place.has_level = site.op == Opcode::tex_level || site.op == Opcode::tex_grad;
  if (site.op == Opcode::tex_level) place.level = number(w, site.level, lane);
  if (site.op == Opcode::tex_grad)
    place.level =
        level_of(object, place.at, {numbers(w, site.dx, lane), numbers(w, site.dy, lane)});
  return sample(object, texels, place);
}

// Integers have their lower bits, other results are rounded to the nearest half.
uint16_t half_of(const ImageObject& object, uint32_t word) {
  if (yields_integers(object)) return uint16_t(word);
  return Half::from(double{std::bit_cast<float>(word)});
}

void put_results(const Warp& w, const ImageSite& site, const ImageObject& object,
                 const Texel& texel, int lane) {
  auto half = [&](unsigned c) { return half_of(object, texel[c]); };
  for (unsigned c = 0; c < site.count; ++c) {
    if (site.values[c] == NO_SLOT) continue;
    if (site.result == TexelResult::HALF)
      w.at<uint16_t>(site.values[c])[lane] = half(c);
    else if (site.result == TexelResult::HALVES)
      w.at<uint32_t>(site.values[c])[lane] = half(2 * c) | uint32_t{half(2 * c + 1)} << 16;
    else
      w.at<uint32_t>(site.values[c])[lane] = texel[c];
  }
}

uint32_t layers_of(const Image& image) {
  const uint32_t planes = image.levels[0].planes;
  return image.is_cube ? planes / 6 : image.is_layered ? planes : 0;
}

// As an H200 answers: the layers of lines are their height, and a texture of one line has height 1.
uint32_t height_of(const ImageObject& object, const ImageLevel& level) {
  const Image& image = object.image;
  if (image.dimensions > 1) return level.height;
  if (image.is_layered) return layers_of(image);
  return image.is_linear || object.is_surface ? 0 : 1;
}

// The layers of planes and cubes are their depth. The planes of a surface include the faces.
uint32_t depth_of(const ImageObject& object, const ImageLevel& level) {
  const Image& image = object.image;
  if (image.dimensions > 2) return level.planes;
  if (image.dimensions == 1) return 0;
  if (image.is_cube && object.is_surface) return level.planes;
  return image.is_layered ? layers_of(image) : 0;
}

// A level that the image lacks has no size.
uint32_t queried(const ImageObject& object, Mode mode, uint32_t number) {
  if (number >= object.image.levels.size()) return 0;
  const ImageLevel& level = object.image.levels[number];
  if (mode == Mode::width) return level.width;
  return mode == Mode::height ? height_of(object, level) : depth_of(object, level);
}

}  // namespace

void sample_texture(Warp& w, const Op& op) {
  const ImageSite& site = w.frame->function->images[op.target];
  NamedImage image(w, op, site);
  // Not the object: a later one may have its address.
  uint64_t address = 0, bytes = 0;
  const std::byte* texels = nullptr;
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const ImageObject& object = image.of(lane);
    if (!texels || object.image.address != address || object.image.bytes != bytes) {
      address = object.image.address, bytes = object.image.bytes;
      texels = resolve_bytes(w, op, lane, address, bytes, Access::READ, Region::GLOBAL);
    }
    const Texel texel = sample_lane(w, site, object, texels, lane);
    put_results(w, site, object, texel, lane);
    w.quantum -= SAMPLE_COST;
  }
  if (site.resident != NO_SLOT) *w.at<uint32_t>(site.resident) |= w.mask;
}

void query_image(Warp& w, const Op& op) {
  const ImageSite& site = w.frame->function->images[op.target];
  NamedImage image(w, op, site);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const uint32_t level = site.level == NO_SLOT ? 0 : w.at<uint32_t>(site.level)[lane];
    w.at<uint32_t>(site.values[0])[lane] = queried(image.of(lane), site.mode, level);
  }
}

void test_opaque(Warp& w, const Op& op) {
  const uint64_t* addresses = w.at<uint64_t>(op[Regular::FIRST]);
  uint32_t found = 0;
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    if (find_opaque(addresses[lane]) == OpaqueKind(op.imm)) found |= uint32_t{1} << lane;
  }
  uint32_t* d = w.at<uint32_t>(op[Regular::RESULT]);
  *d = (*d & ~w.mask) | found;
}

}  // namespace cucore::cpu
