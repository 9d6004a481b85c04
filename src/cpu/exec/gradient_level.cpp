// SPDX-License-Identifier: Apache-2.0
// CUDA documents no formula for the level of gradients. These are the numbers of an H200, with few
// bits.
#include "cpu/exec/gradient_level.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cpu/exec/sampler.hpp"

namespace cucore::cpu {
namespace {

constexpr int KEPT_BITS = 9;  // below the first bit of a number
constexpr double MIDDLE = 11.0 / 32, LEAST = 1.0 / 4, DIAGONAL = 11.0 / 16;

using Lengths = std::array<double, 3>;  // along the axes, in texels

// Returns the last bit of a number that has `bits` below its first one.
double last_bit(double number, int bits) { return std::ldexp(1.0, std::ilogb(number) - bits); }

double cut(double number, double bit) { return std::trunc(number / bit) * bit; }
double rounded(double number, double bit) { return std::floor(number / bit + 0.5) * bit; }

double shortened(double number) {
  if (number == 0 || !std::isfinite(number)) return number;
  return cut(number, last_bit(number, KEPT_BITS));
}

Lengths sorted(Lengths parts) {
  for (double& part : parts) part = std::fabs(part);
  std::sort(parts.begin(), parts.end());
  return parts;
}

// The root of a sum of squares is replaced by a sum of parts.
double side(const Lengths& parts) {
  const auto [least, middle, most] = sorted(parts);
  if (middle == 0 || !std::isfinite(most)) return most;
  const double shares = rounded(MIDDLE * middle, last_bit(middle, KEPT_BITS + 2)) + LEAST * least;
  return most + cut(shares, last_bit(most, KEPT_BITS));
}

// Returns the part of a diagonal that counts as much as a side. Its roundings differ from those of
// a side.
double diagonal(const Lengths& parts) {
  const auto [least, middle, most] = sorted(parts);
  if (most == 0 || !std::isfinite(most)) return most;
  const double first = rounded(DIAGONAL * most, last_bit(most, KEPT_BITS + 1));
  if (middle == 0) return first;
  const double second = rounded(DIAGONAL * middle, last_bit(middle, KEPT_BITS + 2));
  return first + cut(MIDDLE * second + LEAST * DIAGONAL * least, last_bit(first, KEPT_BITS));
}

// Both numbers end at the same bit.
double added(double x, double y) {
  const double larger = std::max(std::fabs(x), std::fabs(y));
  if (larger == 0 || !std::isfinite(larger)) return larger;
  const double bit = last_bit(larger, KEPT_BITS);
  return shortened(cut(x, bit) + cut(y, bit));
}

// The table of logarithms has 256 entries, each for the middle of its numbers.
float logarithm(double length) {
  constexpr int ENTRIES = 256;
  if (!(length > 0)) return -std::numeric_limits<float>::infinity();
  if (!std::isfinite(length)) return std::numeric_limits<float>::infinity();
  const int exponent = std::ilogb(length);
  const double entry = std::floor(std::ldexp(length, -exponent) * ENTRIES) - ENTRIES;
  const double exact = std::log2((ENTRIES + entry + 0.5) / ENTRIES) * ENTRIES;
  const double value = entry == 0 ? 0 : std::min(std::floor(exact + 15.0 / 32), ENTRIES - 1.0);
  return float(exponent + value / ENTRIES);
}

// In space, a gradient is the difference of two places of f32. A NaN counts as 0.
double texels_along(const ImageObject& o, unsigned axis, float at, float by) {
  const ImageLevel& size = o.image.levels[0];
  const std::array<uint32_t, 3> extents{size.width, size.height, size.planes};
  const float to = at + by;
  const double change = o.image.dimensions == 3 ? double{to} - double{at} : double{by};
  if (std::isnan(change)) return 0;
  return shortened(o.sampler.is_normalized ? change * extents[axis] : change);
}

// A number along a face is a signed coordinate, divided by the largest one.
struct FaceAxes {
  unsigned s, t, m;
  float s_sign, t_sign, m_sign;
};
constexpr FaceAxes FACES[] = {{2, 1, 0, -1, -1, 1}, {2, 1, 0, 1, -1, -1}, {0, 2, 1, 1, 1, 1},
                              {0, 2, 1, 1, -1, -1}, {0, 1, 2, 1, -1, 1},  {0, 1, 2, -1, -1, -1}};

constexpr double BEYOND_EACH_LEVEL = 1e30;

uint32_t axis_of(uint32_t face) { return FACES[face].m; }

// A direction after a gradient, and the face that it points to.
struct Moved {
  std::array<float, 3> to;
  uint32_t face;
};

Moved moved(const std::array<float, 3>& at, const std::array<float, 3>& by) {
  Moved m{};
  for (unsigned k = 0; k < 3; ++k) m.to[k] = at[k] + (std::isnan(by[k]) ? 0 : by[k]);
  m.face = face_of(m.to).face;
  return m;
}

// Returns the place of a direction along an axis of a face, from -1 to 1 on the face. The face next
// to it continues it in the same plane: its distance from the common edge counts on.
double place_along(unsigned axis, uint32_t face, const Moved& m, const std::array<float, 3>& at) {
  const unsigned own = axis_of(face), other = axis_of(m.face);
  const double most = std::fabs(double{m.to[other]});
  if (axis != other) return double{m.to[axis]} / most;
  const double depth = std::copysign(1.0, at[own]) * double{m.to[own]} / most;
  return std::copysign(2 - depth, double{m.to[axis]});
}

// Returns the change of the place on the face that follows from a change of the direction. The
// opposite face is beyond each level.
std::array<double, 3> on_face(const std::array<float, 3>& at, const Moved& m) {
  const uint32_t face = face_of(at).face;
  const FaceAxes& f = FACES[face];
  if (m.face != face && axis_of(m.face) == f.m) return {BEYOND_EACH_LEVEL, 0, 0};
  const double most = std::fabs(double{at[f.m]});
  if (most == 0) return {};
  const auto change = [&](unsigned axis, float sign) {
    const double places = place_along(axis, face, m, at) - double{at[axis]} / most;
    return std::isnan(places) ? 0 : double{sign} * places / 2;
  };
  return {change(f.s, f.s_sign), change(f.t, f.t_sign), 0};
}

float level_on_cube(const ImageObject& o, const std::array<float, 3>& at, const Gradients& by) {
  const uint32_t face = face_of(at).face;
  const Moved to_x = moved(at, by.dx), to_y = moved(at, by.dy);
  const auto along_x = on_face(at, to_x), along_y = on_face(at, to_y);
  const double size = o.image.levels[0].width;
  Lengths x{}, y{}, sum{}, difference{};
  for (unsigned axis = 0; axis < 2; ++axis) {
    x[axis] = shortened(along_x[axis] * size);
    y[axis] = shortened(along_y[axis] * size);
    sum[axis] = added(x[axis], y[axis]);
    difference[axis] = added(x[axis], -y[axis]);
  }
  const double sides = std::max(side(x), side(y));
  // Diagonals count while both gradients stay on the face.
  if (to_x.face != face || to_y.face != face) return logarithm(sides);
  return logarithm(std::max({sides, diagonal(sum), diagonal(difference)}));
}

}  // namespace

float level_of(const ImageObject& o, const std::array<float, 3>& at, const Gradients& by) {
  if (o.image.is_cube) return level_on_cube(o, at, by);
  Lengths x{}, y{}, sum{}, difference{};
  for (unsigned axis = 0; axis < o.image.dimensions; ++axis) {
    x[axis] = texels_along(o, axis, at[axis], by.dx[axis]);
    y[axis] = texels_along(o, axis, at[axis], by.dy[axis]);
    sum[axis] = added(x[axis], y[axis]);
    difference[axis] = added(x[axis], -y[axis]);
  }
  return logarithm(std::max({side(x), side(y), diagonal(sum), diagonal(difference)}));
}

}  // namespace cucore::cpu
