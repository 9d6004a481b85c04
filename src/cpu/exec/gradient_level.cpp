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

using Lengths = std::array<double, 3>;  // along the axes, in texels

// Factors of the least, the middle and the largest part of a length, instead of the root of
// squares. Diagonals count 11/16 of a side.
constexpr Lengths SIDE = {1.0 / 4, 11.0 / 32, 1}, DIAGONAL = {11.0 / 64, 121.0 / 512, 11.0 / 16};

double last_bit(double number) { return std::ldexp(1.0, std::ilogb(number) - KEPT_BITS); }

double cut(double number, double bit) { return std::trunc(number / bit) * bit; }
double rounded(double number, double bit) { return std::floor(number / bit + 0.5) * bit; }

double shortened(double number) {
  if (number == 0 || !std::isfinite(number)) return number;
  return cut(number, last_bit(number));
}

// Both numbers end one bit below the last one of the larger number.
double added(double x, double y) {
  const double larger = std::max(std::fabs(x), std::fabs(y));
  if (larger == 0 || !std::isfinite(larger)) return larger;
  const double bit = last_bit(larger) / 2;
  return shortened(cut(x, bit) + cut(y, bit));
}

// The factor and the exponent of the number settle the last bit. A product with one bit more loses
// it after the rounding.
double multiplied(double factor, double number) {
  if (number == 0 || !std::isfinite(number)) return number;
  const double bit = last_bit(std::ldexp(factor, std::ilogb(number)));
  return shortened(rounded(factor * number, bit));
}

double length(Lengths parts, const Lengths& factors) {
  for (double& part : parts) part = std::fabs(part);
  std::sort(parts.begin(), parts.end());
  const auto share = [&](unsigned k) { return multiplied(factors[k], parts[k]); };
  return added(share(2), added(share(1), share(0)));
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

constexpr double BEYOND_EACH_LEVEL = 1e30;

// Returns the axis of the largest coordinate. The other two ones are along the face.
unsigned axis_of(uint32_t face) { return face / 2; }

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

// Returns a coordinate of a direction as a place on the face `own`, which is from -1 to 1. The
// reciprocal of the largest coordinate has 23 bits.
double place_of(const std::array<float, 3>& v, unsigned axis, unsigned own) {
  const double reciprocal = 1 / std::fabs(double{v[own]});
  if (reciprocal == 0 || !std::isfinite(reciprocal)) return double{v[axis]} * reciprocal;
  return double{v[axis]} * rounded(reciprocal, std::ldexp(1.0, std::ilogb(reciprocal) - 22));
}

// Returns the change of the place along an axis of the face `own`, if `radius` is half of the face
// in texels. The face next to it continues it in the same plane: the distances of both places from
// the common edge are added.
double change_along(unsigned axis, const std::array<float, 3>& at, unsigned own, const Moved& m,
                    double radius) {
  const unsigned other = axis_of(m.face);
  const double from = place_of(at, axis, own);
  if (axis != other) return shortened((place_of(m.to, axis, other) - from) * radius);
  const double sign = std::copysign(1.0, double{m.to[axis]});
  const double depth = std::copysign(1.0, double{at[own]}) * place_of(m.to, own, other);
  return sign * added(shortened((1 - sign * from) * radius), shortened((1 - depth) * radius));
}

// Returns the changes of the place on the face that follow from a change of the direction. The
// opposite face is beyond each level.
Lengths on_face(const std::array<float, 3>& at, const Moved& m, double radius) {
  const uint32_t face = face_of(at).face;
  const unsigned own = axis_of(face);
  if (m.face != face && axis_of(m.face) == own) return {BEYOND_EACH_LEVEL, 0, 0};
  Lengths changes{};
  if (at[own] == 0) return changes;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (axis == own) continue;
    const double change = change_along(axis, at, own, m, radius);
    changes[axis] = std::isnan(change) ? 0 : change;
  }
  return changes;
}

// The sides and the diagonals of a pixel, which is a parallelogram.
double longest_side(const Lengths& x, const Lengths& y) {
  return std::max(length(x, SIDE), length(y, SIDE));
}

double longest_diagonal(const Lengths& x, const Lengths& y) {
  Lengths sum{}, difference{};
  for (unsigned axis = 0; axis < 3; ++axis) {
    sum[axis] = added(x[axis], y[axis]);
    difference[axis] = added(x[axis], -y[axis]);
  }
  return std::max(length(sum, DIAGONAL), length(difference, DIAGONAL));
}

float level_on_cube(const ImageObject& o, const std::array<float, 3>& at, const Gradients& by) {
  const uint32_t face = face_of(at).face;
  const Moved to_x = moved(at, by.dx), to_y = moved(at, by.dy);
  const double radius = o.image.levels[0].width / 2.0;
  const Lengths x = on_face(at, to_x, radius), y = on_face(at, to_y, radius);
  const double side = longest_side(x, y);
  // Diagonals count while both gradients stay on the face.
  if (to_x.face != face || to_y.face != face) return logarithm(side);
  return logarithm(std::max(side, longest_diagonal(x, y)));
}

}  // namespace

float level_of(const ImageObject& o, const std::array<float, 3>& at, const Gradients& by) {
  if (o.image.is_cube) return level_on_cube(o, at, by);
  Lengths x{}, y{};
  for (unsigned axis = 0; axis < o.image.dimensions; ++axis) {
    x[axis] = texels_along(o, axis, at[axis], by.dx[axis]);
    y[axis] = texels_along(o, axis, at[axis], by.dy[axis]);
  }
  return logarithm(std::max(longest_side(x, y), longest_diagonal(x, y)));
}

}  // namespace cucore::cpu
