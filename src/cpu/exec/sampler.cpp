// SPDX-License-Identifier: Apache-2.0
// The arithmetic of texture reads, after the appendix on texture fetching of the CUDA C++
// programming guide. An H200 settles what the guide leaves open. A filter has whole weights. Its
// numbers end at the same bit, and the weighted sum is exact and rounded once.
#include "cpu/exec/sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "cpu/exec/texel_values.hpp"

namespace cucore::cpu {
namespace {

constexpr int64_t ONE = 256;  // a coordinate has 8 fractional bits
constexpr double FAR = 1e12;  // beyond every image, and exact as an integer
// A normalized coordinate has 21 fractional bits. The bits below are dropped.
constexpr int NORMALIZED_BITS = 21;
constexpr int64_t NORMALIZED_ONE = int64_t{1} << NORMALIZED_BITS;

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

const std::byte* bytes_at(const Level& l, const std::array<int64_t, 3>& index) {
  return l.texels + l.size.offset + uint64_t(index[2]) * l.size.plane_bytes() +
         uint64_t(index[1]) * l.size.pitch + uint64_t(index[0]) * l.object.image.texel_bytes();
}

// The bits of channels that the format has.
struct Raw {
  std::array<uint32_t, 4> channels{};
  uint32_t count = 0;
};

Raw raw_at(const Level& l, const std::array<int64_t, 3>& index) {
  const Image& image = l.object.image;
  const uint32_t bytes = channel_bytes(image.format);
  const std::byte* from = bytes_at(l, index);
  Raw raw{{}, image.channels};
  for (unsigned c = 0; c < raw.count; ++c)
    raw.channels[c] = raw_channel(from + size_t{c} * bytes, bytes);
  return raw;
}

Raw border_of(const ImageObject& o) {
  Raw raw{{}, o.image.is_linear ? 0u : o.image.channels};
  for (unsigned c = 0; c < raw.count; ++c) raw.channels[c] = border_channel(o, c);
  return raw;
}

// Channels that the format lacks are 0.
Texel texel_of(const ImageObject& o, const Raw& raw) {
  Texel texel{};
  for (unsigned c = 0; c < raw.count; ++c) texel[c] = channel_word(o, raw.channels[c], c);
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

// Returns false for the border.
bool inside(const Level& l, std::array<int64_t, 3>& index, unsigned axes) {
  for (unsigned axis = 0; axis < axes; ++axis)
    if (!address(mode_of(l.object, axis), l.extent(axis), index[axis])) return false;
  return true;
}

Raw addressed(const Level& l, std::array<int64_t, 3> index, unsigned axes) {
  return inside(l, index, axes) ? raw_at(l, index) : border_of(l.object);
}

// A place along an axis, in texels: the texel that has it, and 1/256 from the first center on.
struct Place {
  int64_t texel = 0, fixed = 0;
};

// Normalized places repeat after two images at most, so they stay small. Others end so far outside
// that an offset does not return to the image.
constexpr double OUTSIDE = 32 * double(NORMALIZED_ONE);
int64_t reduced(Addressing mode, double coordinate) {
  const double parts = std::floor(coordinate * double(NORMALIZED_ONE));
  if (mode == Addressing::WRAP || mode == Addressing::MIRROR)
    return int64_t(std::fmod(parts, 2.0 * double(NORMALIZED_ONE)));
  return int64_t(std::clamp(parts, -OUTSIDE, OUTSIDE));
}

Place normalized_place(Addressing mode, int64_t size, double coordinate) {
  constexpr int64_t HALF = NORMALIZED_ONE / 2, HALF_PART = HALF / ONE;
  const int64_t parts = reduced(mode, coordinate) * size;
  return {parts >> NORMALIZED_BITS, (parts - HALF + HALF_PART) >> (NORMALIZED_BITS - 8)};
}

Place whole_place(double coordinate) {
  return {int64_t(std::floor(coordinate)),
          int64_t(std::floor((coordinate - 0.5) * double(ONE) + 0.5))};
}

// NaN and subnormal numbers count as 0.
Place place_along(const Level& l, unsigned axis, double coordinate) {
  const bool is_normal = std::fabs(coordinate) >= double{std::numeric_limits<float>::min()};
  const double finite = is_normal ? std::clamp(coordinate, -FAR, FAR) : 0;
  if (!l.object.sampler.is_normalized && !l.object.image.is_cube) return whole_place(finite);
  return normalized_place(mode_of(l.object, axis), l.extent(axis), finite);
}

struct Plane {
  unsigned axes;  // that have coordinates
  int64_t plane;  // of an image with fewer than three of them
  std::array<Place, 3> place;
};

Texel nearest(const Level& l, const Plane& p) {
  std::array<int64_t, 3> index{0, 0, p.plane};
  for (unsigned axis = 0; axis < p.axes; ++axis) index[axis] = p.place[axis].texel;
  return texel_of(l.object, addressed(l, index, p.axes));
}

// The texels of one read with their weights. These are whole, and 256 in all.
struct Sum {
  struct Addend {
    int64_t weight;
    Raw raw;
  };
  const ImageObject& object;
  std::array<Addend, 16> addends{};
  size_t count = 0;

  void add(const Level& l, const std::array<int64_t, 3>& index, unsigned axes, int64_t weight) {
    if (weight != 0) addends[count++] = {weight, addressed(l, index, axes)};
  }

  double channel(unsigned c) const {
    std::array<double, 16> numbers{};
    for (size_t i = 0; i < count; ++i)
      if (c < addends[i].raw.count)
        numbers[i] = channel_number(object, addends[i].raw.channels[c], c);
    end_at_one_bit(object, c, std::span(numbers.data(), count));
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += double(addends[i].weight) * numbers[i];
    return sum / double(ONE);
  }

  Texel texel() const {
    Texel words{};
    for (unsigned c = 0; c < object.image.channels; ++c)
      words[c] = filtered_word(object, channel(c), c);
    return words;
  }
};

// A part of a weight, and the rest of it.
struct Halves {
  int64_t lower, upper;
};
Halves split(int64_t weight, int64_t fraction, bool ties_up) {
  const int64_t upper = (weight * fraction + ONE / 2 - (ties_up ? 0 : 1)) >> 8;
  return {weight - upper, upper};
}

// Splits the weight of a level by z, then x, then y, and rounds each part. Ties go up, except along
// z, and along y in the lower column.
void add_level(const Level& l, const Plane& p, int64_t weight, Sum& sum) {
  auto fraction = [&](unsigned axis) { return p.place[axis].fixed & (ONE - 1); };
  auto index = [&](unsigned axis) { return p.place[axis].fixed >> 8; };
  const unsigned axes = p.axes;
  const Halves planes = axes > 2 ? split(weight, fraction(2), false) : Halves{weight, 0};
  for (const bool back : {false, true}) {
    const int64_t z = axes > 2 ? index(2) + back : p.plane;
    const Halves columns = split(back ? planes.upper : planes.lower, fraction(0), true);
    for (const bool right : {false, true}) {
      const int64_t column = right ? columns.upper : columns.lower;
      const Halves rows = axes > 1 ? split(column, fraction(1), right) : Halves{column, 0};
      sum.add(l, {index(0) + right, axes > 1 ? index(1) : 0, z}, axes, rows.lower);
      sum.add(l, {index(0) + right, axes > 1 ? index(1) + 1 : 0, z}, axes, rows.upper);
    }
  }
}

int64_t clamped_layer(const Level& l, uint32_t layer) {
  if (l.object.image.is_cube) {
    const uint32_t cubes = l.size.planes / 6;
    return int64_t{6} * std::min(layer, cubes - 1);
  }
  return l.object.image.is_layered ? std::min(layer, l.size.planes - 1) : 0;
}

Plane plane_of(const Level& l, const SamplePlace& s) {
  const Image& image = l.object.image;
  Plane p{image.dimensions, clamped_layer(l, s.layer), {}};
  if (image.is_cube) {
    const FacePlace face = face_of(s.at);
    p.plane += face.face;
    p.place[0] = place_along(l, 0, double{face.s});
    p.place[1] = place_along(l, 1, double{face.t});
    return p;
  }
  // A line is a plane of one row, read at the upper edge of that row.
  if (image.dimensions == 1 && !image.is_layered) p.axes = 2;
  for (unsigned axis = 0; axis < p.axes; ++axis) {
    p.place[axis] = place_along(l, axis, axis < image.dimensions ? double{s.at[axis]} : 0);
    p.place[axis].texel += s.offset[axis];
    p.place[axis].fixed += s.offset[axis] * ONE;
  }
  return p;
}

// A clamped place is at the center of a texel, where the next one has no weight.
Plane filtered_plane(const Level& l, const SamplePlace& s) {
  Plane p = plane_of(l, s);
  for (unsigned axis = 0; axis < p.axes; ++axis)
    if (mode_of(l.object, axis) == Addressing::CLAMP)
      p.place[axis].fixed = std::clamp<int64_t>(p.place[axis].fixed, 0, (l.extent(axis) - 1) * ONE);
  return p;
}

Level level_at(const ImageObject& o, const std::byte* texels, int64_t level) {
  return {o, texels, o.image.levels[size_t(level)]};
}

bool is_filtered(const ImageObject& o) { return o.sampler.is_linear && !yields_integers(o); }

// Drops the bits below 1/256, toward zero.
int64_t fixed(float level) {
  const double parts = double{level} * double(ONE);
  return parts == parts ? int64_t(std::clamp(parts, -FAR, FAR)) : 0;
}

// Returns the level in 1/256.
int64_t fixed_level(const ImageObject& o, const SamplePlace& place) {
  const Sampler& s = o.sampler;
  const int64_t last = (int64_t(o.image.levels.size()) - 1) * ONE;
  const int64_t wanted = place.has_level ? fixed(place.level) + fixed(s.bias) : 0;
  const int64_t limited = std::min(std::max(wanted, fixed(s.least_level)), fixed(s.most_level));
  return std::clamp<int64_t>(limited, 0, last);
}

Texel nearest_at(const ImageObject& o, const std::byte* texels, int64_t level,
                 const SamplePlace& place) {
  const Level l = level_at(o, texels, level);
  return nearest(l, plane_of(l, place));
}

}  // namespace

FacePlace face_of(const std::array<float, 3>& v) {
  const float x = std::fabs(v[0]), y = std::fabs(v[1]), z = std::fabs(v[2]);
  auto on = [](uint32_t face, float s, float t, float m) {
    return FacePlace{face, (s / m + 1) / 2, (t / m + 1) / 2};
  };
  if (x >= y && x >= z) return v[0] >= 0 ? on(0, -v[2], -v[1], x) : on(1, v[2], -v[1], x);
  if (y >= z) return v[1] >= 0 ? on(2, v[0], v[2], y) : on(3, v[0], -v[2], y);
  return v[2] >= 0 ? on(4, v[0], -v[1], z) : on(5, -v[0], -v[1], z);
}

Texel sample(const ImageObject& o, const std::byte* texels, const SamplePlace& place) {
  const int64_t level = o.image.levels.size() > 1 ? fixed_level(o, place) : 0;
  const bool mixes = o.sampler.mixes_levels && !yields_integers(o);
  const int64_t lower = mixes ? level >> 8 : (level + ONE / 2) >> 8;
  const int64_t weight = mixes ? level & (ONE - 1) : 0;
  if (!is_filtered(o) && weight == 0) return nearest_at(o, texels, lower, place);
  Sum sum{o};
  for (const bool upper : {false, true}) {
    const int64_t part = upper ? weight : ONE - weight;
    if (part == 0) continue;
    const Level l = level_at(o, texels, lower + upper);
    if (is_filtered(o)) {
      add_level(l, filtered_plane(l, place), part, sum);
      continue;
    }
    const Plane p = plane_of(l, place);
    std::array<int64_t, 3> index{0, 0, p.plane};
    for (unsigned axis = 0; axis < p.axes; ++axis) index[axis] = p.place[axis].texel;
    sum.add(l, index, p.axes, part);
  }
  return sum.texel();
}

// Places outside read zero, as do all places of a line in an array.
Texel fetch(const ImageObject& o, const std::byte* texels, const FetchPlace& place) {
  const Image& image = o.image;
  if (place.level < 0 || place.level >= int64_t(image.levels.size())) return {};
  const Level l = level_at(o, texels, place.level);
  if (image.dimensions == 1 && !image.is_layered && !image.is_linear) return {};
  std::array<int64_t, 3> index = place.at;
  for (unsigned axis = image.dimensions; axis < 3; ++axis) index[axis] = 0;
  if (image.is_layered) index[2] = place.layer;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (index[axis] < 0 || index[axis] >= l.extent(axis)) return {};
  return texel_of(o, raw_at(l, index));
}

Texel gather(const ImageObject& o, const std::byte* texels, const SamplePlace& place,
             unsigned component) {
  static constexpr int64_t COLUMN[] = {0, 1, 1, 0}, ROW[] = {1, 1, 0, 0};
  const Level l = level_at(o, texels, 0);
  const Plane p = plane_of(l, place);
  const int64_t x = p.place[0].fixed >> 8, y = p.place[1].fixed >> 8;
  Texel texel{};
  for (unsigned i = 0; i < 4; ++i) {
    const Raw raw = addressed(l, {x + COLUMN[i], y + ROW[i], p.plane}, 2);
    if (component >= raw.count) continue;
    texel[i] = gathered_word(o, raw.channels[component], component);
  }
  return texel;
}

}  // namespace cucore::cpu
