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

// A GPU returns the layers of planes and cubes as their depth.
uint32_t depth_of(const Image& image, const ImageLevel& level) {
  if (image.dimensions > 2) return level.planes;
  return image.dimensions > 1 && image.is_layered ? layers_of(image) : 0;
}

// The numbers of OpenCL for the types of channels, in the order of ChannelFormat.
uint32_t channel_type(const ImageObject& object) {
  static constexpr uint32_t NUMBERS[] = {0x10da, 0x10db, 0x10dc, 0x10d7,
                                         0x10d8, 0x10d9, 0x10dd, 0x10de};
  static constexpr uint32_t FRACTIONS[] = {0x10d2, 0x10d3, 0, 0x10d0, 0x10d1};
  const bool is_fraction =
      !object.is_surface && is_integer(object.image.format) && !yields_integers(object);
  return (is_fraction ? FRACTIONS : NUMBERS)[size_t(object.image.format)];
}

uint32_t channel_order(const Image& image) {
  constexpr uint32_t RED = 0x10b0, RED_GREEN = 0x10b2, ALL = 0x10b5;
  return image.channels == 1 ? RED : image.channels == 2 ? RED_GREEN : ALL;
}

// The modes of PTX, in the order of its documentation.
uint32_t address_mode(Addressing mode) {
  constexpr uint32_t WRAPS = 0, MIRRORS = 1, CLAMPS = 3, BORDERS = 4;
  switch (mode) {
    case Addressing::WRAP:
      return WRAPS;
    case Addressing::MIRROR:
      return MIRRORS;
    case Addressing::BORDER:
      return BORDERS;
    default:
      return CLAMPS;
  }
}

uint32_t queried_sampler(const Sampler& sampler, Mode mode) {
  switch (mode) {
    case Mode::filter_mode:
      return sampler.is_linear;
    case Mode::force_unnormalized_coords:
      return !sampler.is_normalized;
    default:
      return address_mode(sampler.addressing[unsigned(mode) - unsigned(Mode::addr_mode_0)]);
  }
}

bool is_of_sampler(Mode mode) {
  return mode >= Mode::force_unnormalized_coords && mode <= Mode::addr_mode_2;
}

// A level that the image lacks has no size.
uint32_t queried(const ImageObject& object, Mode mode, uint32_t number) {
  const Image& image = object.image;
  const ImageLevel none{0, 0, 0, 0, 0};
  const ImageLevel& level = number < image.levels.size() ? image.levels[number] : none;
  switch (mode) {
    case Mode::width:
      return level.width;
    case Mode::height:
      return image.dimensions > 1 ? level.height : 0;
    case Mode::depth:
      return depth_of(image, level);
    case Mode::array_size:
      return layers_of(image);
    case Mode::num_mipmap_levels:
      return uint32_t(image.levels.size());
    case Mode::normalized_coords:
      return object.sampler.is_normalized;
    case Mode::channel_data_type:
      return channel_type(object);
    case Mode::channel_order:
      return channel_order(image);
    case Mode::memory_layout:
      return image.is_linear;
    default:
      return 1;  // samples
  }
}

}  // namespace

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
    w.at<uint32_t>(site.values[0])[lane] =
        is_of_sampler(site.mode)
            ? queried_sampler(image.sampler_of(lane, image.handle_of(lane)), site.mode)
            : queried(image.of(lane), site.mode, level);
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
