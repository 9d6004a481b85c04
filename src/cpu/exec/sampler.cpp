// SPDX-License-Identifier: Apache-2.0
// The arithmetic of texture reads, after the appendix on texture fetching of the CUDA C++
// programming guide. A filter computes the weighted sum exactly and rounds it once.
#include "cpu/exec/sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "cpu/exec/halves.hpp"

namespace cucore::cpu {
namespace {

constexpr int64_t ONE = 256;  // a coordinate has 8 fractional bits
constexpr double FAR = 1e12;  // beyond every image, and exact as an integer

// The texels of one level that a read uses.
struct Level {
  const ImageObject& object;
  const std::byte* texels;
  const ImageLevel& size;

  uint32_t extent(unsigned axis) const {
    return axis == 0 ? size.width : axis == 1 ? size.height : size.planes;
  }
};

uint32_t raw_channel(const std::byte* from, uint32_t bytes) {
  uint32_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

float linear_of(float encoded) {
  if (encoded <= 0.04045f) return encoded / 12.92f;
  return std::pow((encoded + 0.055f) / 1.055f, 2.4f);
}

// Integers of 8 and 16 bits become fractions of their largest value.
float real_channel(ChannelFormat format, uint32_t raw) {
  switch (format) {
    case ChannelFormat::U8:
      return float(raw) / 255.0f;
    case ChannelFormat::U16:
      return float(raw) / 65535.0f;
    case ChannelFormat::S8:
      return std::max(float(int8_t(raw)) / 127.0f, -1.0f);
    case ChannelFormat::S16:
      return std::max(float(int16_t(raw)) / 32767.0f, -1.0f);
    case ChannelFormat::HALF:
      return float(Half::to(uint16_t(raw)));
    default:
      return std::bit_cast<float>(raw);
  }
}

bool yields_integers(const ImageObject& o) {
  if (!is_integer(o.image.format)) return false;
  return o.sampler.reads_integers || channel_bytes(o.image.format) == 4;
}

uint32_t channel_word(const ImageObject& o, uint32_t raw, unsigned channel) {
  const ChannelFormat format = o.image.format;
  if (yields_integers(o)) {
    if (format == ChannelFormat::S8) return uint32_t(int32_t(int8_t(raw)));
    if (format == ChannelFormat::S16) return uint32_t(int32_t(int16_t(raw)));
    return raw;
  }
  const float value = real_channel(format, raw);
  return std::bit_cast<uint32_t>(o.sampler.is_srgb && channel < 3 ? linear_of(value) : value);
}

// A channel that the format lacks is 0, and the last one is 1.
Texel texel_at(const Level& l, const std::array<int64_t, 3>& index) {
  const Image& image = l.object.image;
  const uint32_t bytes = channel_bytes(image.format);
  const std::byte* from = l.texels + l.size.offset + uint64_t(index[2]) * l.size.plane_bytes() +
                          uint64_t(index[1]) * l.size.pitch +
                          uint64_t(index[0]) * image.texel_bytes();
  Texel texel{0, 0, 0, yields_integers(l.object) ? 1 : std::bit_cast<uint32_t>(1.0f)};
  for (unsigned c = 0; c < image.channels; ++c)
    texel[c] = channel_word(l.object, raw_channel(from + size_t{c} * bytes, bytes), c);
  return texel;
}

Texel border_of(const ImageObject& o) {
  Texel texel{};
  if (o.image.is_linear) return texel;
  for (unsigned c = 0; c < 4; ++c) texel[c] = std::bit_cast<uint32_t>(o.sampler.border[c]);
  return texel;
}

// Moves an index into [0, size). Returns false for the border.
bool address(Addressing mode, int64_t size, int64_t& index) {
  switch (mode) {
    case Addressing::WRAP:
      index = (index % size + size) % size;
      return true;
    case Addressing::MIRROR: {
      const int64_t both = (index % (2 * size) + 2 * size) % (2 * size);
      index = both < size ? both : 2 * size - 1 - both;
      return true;
    }
    case Addressing::BORDER:
      return index >= 0 && index < size;
    default:
      index = std::clamp<int64_t>(index, 0, size - 1);
      return true;
  }
}

// Wrapping and mirroring exist for normalized coordinates alone. A face of a cube clamps.
Addressing mode_of(const ImageObject& o, unsigned axis) {
  const Addressing mode = o.sampler.addressing[axis];
  const bool repeats = mode == Addressing::WRAP || mode == Addressing::MIRROR;
  if (o.image.is_linear) return Addressing::BORDER;
  return o.image.is_cube || (repeats && !o.sampler.is_normalized) ? Addressing::CLAMP : mode;
}

Texel addressed(const Level& l, std::array<int64_t, 3> index, unsigned axes) {
  for (unsigned axis = 0; axis < axes; ++axis)
    if (!address(mode_of(l.object, axis), l.extent(axis), index[axis])) return border_of(l.object);
  return texel_at(l, index);
}

// Numbers that are not finite have no place; they count as 0.
double texels_along(const Level& l, unsigned axis, float coordinate) {
  const double scale = l.object.sampler.is_normalized ? double(l.extent(axis)) : 1.0;
  const double place = double(coordinate) * scale;
  return place == place ? std::clamp(place, -FAR, FAR) : 0;
}

// The lower texel of a filter along an axis, and the weight of the next one in 1/256.
struct Footprint {
  int64_t index;
  int64_t weight;
};
Footprint footprint(double place) {
  const auto fixed = int64_t(std::floor((place - 0.5) * double(ONE) + 0.5));
  return {fixed >> 8, fixed & (ONE - 1)};
}

struct Plane {
  unsigned axes;  // that have coordinates
  int64_t plane;  // of an image with fewer than three of them
  std::array<double, 3> place;
};

Texel nearest(const Level& l, const Plane& p) {
  std::array<int64_t, 3> index{0, 0, p.plane};
  for (unsigned axis = 0; axis < p.axes; ++axis) index[axis] = int64_t(std::floor(p.place[axis]));
  return addressed(l, index, p.axes);
}

Texel rounded(const std::array<double, 4>& sum) {
  Texel texel;
  for (unsigned c = 0; c < 4; ++c) texel[c] = std::bit_cast<uint32_t>(float(sum[c]));
  return texel;
}

Texel filtered(const Level& l, const Plane& p) {
  std::array<Footprint, 3> at{};
  for (unsigned axis = 0; axis < p.axes; ++axis) at[axis] = footprint(p.place[axis]);
  std::array<double, 4> sum{};
  for (unsigned corner = 0; corner < 1u << p.axes; ++corner) {
    std::array<int64_t, 3> index{0, 0, p.plane};
    double weight = 1;
    for (unsigned axis = 0; axis < p.axes; ++axis) {
      const bool upper = corner >> axis & 1;
      index[axis] = at[axis].index + upper;
      weight *= double(upper ? at[axis].weight : ONE - at[axis].weight) / double(ONE);
    }
    if (weight == 0) continue;
    const Texel texel = addressed(l, index, p.axes);
    for (unsigned c = 0; c < 4; ++c) sum[c] += weight * double{std::bit_cast<float>(texel[c])};
  }
  return rounded(sum);
}

// The face of a cube that a direction meets, with the place on the face from 0 to 1.
struct FacePlace {
  uint32_t face;
  float s, t;
};
FacePlace face_of(const std::array<float, 3>& v) {
  const float x = std::fabs(v[0]), y = std::fabs(v[1]), z = std::fabs(v[2]);
  auto on = [](uint32_t face, float s, float t, float m) {
    return FacePlace{face, (s / m + 1) / 2, (t / m + 1) / 2};
  };
  if (x >= y && x >= z) return v[0] >= 0 ? on(0, -v[2], -v[1], x) : on(1, v[2], -v[1], x);
  if (y >= z) return v[1] >= 0 ? on(2, v[0], v[2], y) : on(3, v[0], -v[2], y);
  return v[2] >= 0 ? on(4, v[0], -v[1], z) : on(5, -v[0], -v[1], z);
}

int64_t clamped_layer(const Level& l, uint32_t layer) {
  if (l.object.image.is_cube) {
    const uint32_t cubes = l.size.planes / 6;
    return int64_t{6} * std::min(layer, cubes - 1);
  }
  return l.object.image.is_layered ? std::min(layer, l.size.planes - 1) : 0;
}

Plane plane_of(const Level& l, const SamplePlace& s) {
  Plane p{l.object.image.dimensions, clamped_layer(l, s.layer), {}};
  if (l.object.image.is_cube) {
    const FacePlace face = face_of(s.at);
    p.plane += face.face;
    for (unsigned axis = 0; axis < 2; ++axis) {
      const double place = double(axis ? face.t : face.s) * l.size.width;
      p.place[axis] = place == place ? place : 0;
    }
    return p;
  }
  for (unsigned axis = 0; axis < p.axes; ++axis) p.place[axis] = texels_along(l, axis, s.at[axis]);
  return p;
}

Level level_at(const ImageObject& o, const std::byte* texels, int64_t level) {
  return {o, texels, o.image.levels[size_t(level)]};
}

Texel sample_level(const Level& l, const SamplePlace& place) {
  const Plane p = plane_of(l, place);
  return l.object.sampler.is_linear && !yields_integers(l.object) ? filtered(l, p) : nearest(l, p);
}

// Returns the level in 1/256.
int64_t fixed_level(const ImageObject& o, float level) {
  const Sampler& s = o.sampler;
  const auto last = double(o.image.levels.size() - 1);
  double place = double{level} + double{s.bias};
  if (place != place) place = 0;
  place = std::min(std::max(place, double{s.least_level}), double{s.most_level});
  return int64_t(std::floor(std::clamp(place, 0.0, last) * double(ONE) + 0.5));
}

Texel mixed(const Texel& a, const Texel& b, int64_t weight) {
  std::array<double, 4> sum;
  for (unsigned c = 0; c < 4; ++c)
    sum[c] = (double{std::bit_cast<float>(a[c])} * double(ONE - weight) +
              double{std::bit_cast<float>(b[c])} * double(weight)) /
             double(ONE);
  return rounded(sum);
}

}  // namespace

Texel sample(const ImageObject& o, const std::byte* texels, const SamplePlace& place) {
  const int64_t level = o.image.levels.size() > 1 ? fixed_level(o, place.level) : 0;
  const int64_t weight = level & (ONE - 1);
  if (!o.sampler.mixes_levels || yields_integers(o))
    return sample_level(level_at(o, texels, (level + ONE / 2) >> 8), place);
  const Texel lower = sample_level(level_at(o, texels, level >> 8), place);
  if (weight == 0) return lower;
  return mixed(lower, sample_level(level_at(o, texels, (level >> 8) + 1), place), weight);
}

Texel fetch(const ImageObject& o, const std::byte* texels, const FetchPlace& place) {
  const Level l = level_at(o, texels, 0);
  std::array<int64_t, 3> index = place.at;
  for (unsigned axis = o.image.dimensions; axis < 3; ++axis) index[axis] = 0;
  if (o.image.dimensions < 3) index[2] = clamped_layer(l, place.layer);
  return addressed(l, index, o.image.dimensions);
}

Texel gather(const ImageObject& o, const std::byte* texels, const SamplePlace& place,
             unsigned component) {
  static constexpr int64_t COLUMN[] = {0, 1, 1, 0}, ROW[] = {1, 1, 0, 0};
  const Level l = level_at(o, texels, 0);
  const Plane p = plane_of(l, place);
  const int64_t x = footprint(p.place[0]).index, y = footprint(p.place[1]).index;
  Texel texel;
  for (unsigned i = 0; i < 4; ++i)
    texel[i] = addressed(l, {x + COLUMN[i], y + ROW[i], p.plane}, 2)[component];
  return texel;
}

float level_of(const ImageObject& o, const std::array<float, 3>& dx,
               const std::array<float, 3>& dy) {
  const ImageLevel& size = o.image.levels[0];
  const double extents[] = {double(size.width), double(size.height), double(size.planes)};
  double squares[2] = {};
  for (unsigned axis = 0; axis < o.image.dimensions; ++axis) {
    const double scale = o.sampler.is_normalized ? extents[axis] : 1;
    squares[0] += double{dx[axis]} * dx[axis] * scale * scale;
    squares[1] += double{dy[axis]} * dy[axis] * scale * scale;
  }
  return float(std::log2(std::max(squares[0], squares[1])) / 2);
}

}  // namespace cucore::cpu
