// SPDX-License-Identifier: Apache-2.0
// The model: the formulas of the CUDA C++ programming guide ("Texture Fetching"), one axis after
// another. Weights have 8 fractional bits; sums are exact and rounded once.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>

#include "../ops/small_floats.hpp"
#include "case.hpp"

namespace cucore::cpu::textures {
namespace {

using Values = std::array<double, 4>;
using Index = std::array<long, 3>;

struct View {
  const Case& row;
  const Texels& texels;
  unsigned level;
};

uint32_t raw(const View& v, const Index& index, unsigned channel) {
  const long width = v.row.extent(0, v.level), height = v.row.extent(1, v.level);
  const long texel = (index[2] * height + index[1]) * width + index[0];
  const size_t first = (size_t(texel) * v.row.channels + channel) * v.row.format->bytes;
  uint32_t value = 0;
  for (unsigned b = 0; b < v.row.format->bytes; ++b)
    value |= uint32_t{v.texels[v.level][first + b]} << 8 * b;
  return value;
}

long sign_extended(uint32_t value, const Format& format) {
  const unsigned unused = 32 - 8 * format.bytes;
  if (!format.is_signed) return long{value};
  return long{int32_t(value << unused) >> unused};
}

double number(const Case& row, uint32_t value, unsigned channel) {
  const Format& format = *row.format;
  if (!format.is_integer)
    return format.bytes == 4 ? double{std::bit_cast<float>(value)} : ops::HALF.value(value);
  const long whole = sign_extended(value, format);
  if (row.yields_integers()) return double(whole);
  const float most = float((1u << (8 * format.bytes - format.is_signed)) - 1);
  const float fraction = std::max(float(whole) / most, -1.0f);
  if (!(row.flags & CU_TRSF_SRGB) || channel == 3) return double{fraction};
  return double{fraction <= 0.04045f ? fraction / 12.92f
                                     : std::pow((fraction + 0.055f) / 1.055f, 2.4f)};
}

Values texel(const View& v, const Index& index) {
  Values values{0, 0, 0, 1};
  for (unsigned c = 0; c < v.row.channels; ++c) values[c] = number(v.row, raw(v, index, c), c);
  return values;
}

Values border(const Case& row) {
  Values values{};
  if (row.geometry == Geometry::BUFFER) return values;
  for (unsigned c = 0; c < 4; ++c)
    values[c] =
        row.yields_integers() ? double(std::bit_cast<uint32_t>(BORDER[c])) : double{BORDER[c]};
  return values;
}

std::optional<long> moved_inside(const Case& row, long index, long size) {
  CUaddress_mode mode = row.addressing;
  if (row.geometry == Geometry::BUFFER) mode = CU_TR_ADDRESS_MODE_BORDER;
  if (mode == CU_TR_ADDRESS_MODE_BORDER && (index < 0 || index >= size)) return std::nullopt;
  const bool repeats = row.is_normalized();
  if (mode == CU_TR_ADDRESS_MODE_WRAP && repeats) {
    while (index < 0) index += (-index + size - 1) / size * size;
    return index % size;
  }
  if (mode == CU_TR_ADDRESS_MODE_MIRROR && repeats) {
    if (index < 0) index = -1 - index;
    index %= 2 * size;
    return std::min(index, 2 * size - 1 - index);
  }
  return std::clamp(index, 0l, size - 1);
}

// Sums along axis `axis` and the axes below it.
Values along(const View& v, int axis, const std::array<double, 3>& place, Index index,
             bool inside) {
  if (axis < 0) return inside ? texel(v, index) : border(v.row);
  const long size = v.row.extent(unsigned(axis), v.level);
  auto at = [&](long wanted) {
    const auto moved = moved_inside(v.row, wanted, size);
    Index next = index;
    next[size_t(axis)] = moved.value_or(0);
    return along(v, axis - 1, place, next, inside && moved);
  };
  const double x = place[size_t(axis)];
  if (v.row.filter == CU_TR_FILTER_MODE_POINT) return at(long(std::floor(x)));
  const double fixed = std::floor((x - 0.5) * 256 + 0.5) / 256, lower = std::floor(fixed);
  const double weight = fixed - lower;
  Values a = at(long(lower));
  if (weight == 0) return a;
  const Values b = at(long(lower) + 1);
  for (unsigned c = 0; c < 4; ++c) a[c] = (1 - weight) * a[c] + weight * b[c];
  return a;
}

// The table of the guide: the face, and the numbers along it, by the largest part.
long face(const std::array<float, 3>& v, double& s, double& t) {
  size_t largest = 0;
  for (size_t i = 1; i < 3; ++i)
    if (std::fabs(v[i]) > std::fabs(v[largest])) largest = i;
  const bool negative = v[largest] < 0;
  const float m = std::fabs(v[largest]);
  const float numbers[6][2] = {{-v[2], -v[1]}, {v[2], -v[1]}, {v[0], v[2]},
                               {v[0], -v[2]},  {v[0], -v[1]}, {-v[0], -v[1]}};
  const size_t which = largest * 2 + negative;
  s = double{(numbers[which][0] / m + 1) / 2};
  t = double{(numbers[which][1] / m + 1) / 2};
  return long(which);
}

// Returns the places along the axes in texels, and the plane in index[2].
std::array<double, 3> places(const View& v, const Operands& o, Index& index) {
  std::array<double, 3> place{};
  const long layers = v.row.is_layered() ? v.row.depth : 1;
  index[2] = std::min(long{o.layer}, layers - 1);
  if (!v.row.is_layered()) index[2] = 0;
  if (v.row.is_cube()) {
    double s = 0, t = 0;
    index[2] = 6 * index[2] + face(o.at, s, t);
    return {s * v.row.extent(0, v.level), t * v.row.extent(0, v.level), 0};
  }
  for (unsigned axis = 0; axis < v.row.axes(); ++axis)
    place[axis] = double{o.at[axis]} * (v.row.is_normalized() ? v.row.extent(axis, v.level) : 1);
  return place;
}

Values at_level(const View& v, const Operands& o) {
  Index index{};
  const auto place = places(v, o, index);
  return along(v, int(v.row.axes()) - 1, place, index, true);
}

double wanted_level(const Case& row, const Operands& o) {
  if (row.read == Read::LEVEL) return double{o.level};
  if (row.read != Read::GRADIENT) return 0;
  double lengths[2] = {};
  for (unsigned axis = 0; axis < row.axes(); ++axis) {
    lengths[0] += std::pow(double{o.dx[axis]} * row.extent(axis, 0), 2);
    lengths[1] += std::pow(double{o.dy[axis]} * row.extent(axis, 0), 2);
  }
  return double{float(std::log2(std::max(lengths[0], lengths[1])) / 2)};
}

Result bits_of(const Case& row, const Values& values) {
  Result result;
  for (unsigned c = 0; c < 4; ++c)
    result[c] = row.yields_integers() ? uint32_t(long(values[c]))
                                      : std::bit_cast<uint32_t>(float(values[c]));
  return result;
}

Values rounded(const Values& values) {
  Values result;
  for (unsigned c = 0; c < 4; ++c) result[c] = double{float(values[c])};
  return result;
}

Result of_levels(const Case& row, const Texels& texels, const Operands& o) {
  const double most = std::min(double{MOST_LEVEL}, double(row.levels - 1));
  double level = std::clamp(wanted_level(row, o) + double{LEVEL_BIAS}, 0.0, most);
  level = std::floor(level * 256 + 0.5) / 256;
  if (row.level_filter == CU_TR_FILTER_MODE_POINT)
    return bits_of(row, at_level({row, texels, unsigned(std::floor(level + 0.5))}, o));
  const double lower = std::floor(level), weight = level - lower;
  Values a = rounded(at_level({row, texels, unsigned(lower)}, o));
  if (weight == 0) return bits_of(row, a);
  const Values b = rounded(at_level({row, texels, unsigned(lower) + 1}, o));
  for (unsigned c = 0; c < 4; ++c) a[c] = (a[c] * (1 - weight)) + b[c] * weight;
  return bits_of(row, a);
}

Result gathered(const Case& row, const Texels& texels, const Operands& o) {
  static constexpr long OFFSETS[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  const View v{row, texels, 0};
  Index index{};
  const auto place = places(v, o, index);
  Values values;
  for (unsigned i = 0; i < 4; ++i) {
    std::array<double, 3> center{};
    for (size_t axis = 0; axis < 2; ++axis)
      center[axis] = std::floor((place[axis] - 0.5) + 1.0 / 512) + double(OFFSETS[i][axis]) + 0.5;
    values[i] = along(v, 1, center, index, true)[row.component];
  }
  return bits_of(row, values);
}

}  // namespace

Result expected(const Case& row, const Texels& texels, const Operands& operands) {
  if (row.read == Read::GATHER) return gathered(row, texels, operands);
  if (row.levels > 1) return of_levels(row, texels, operands);
  Operands o = operands;
  if (row.read == Read::WHOLE)
    for (float& place : o.at) place = float(std::bit_cast<int32_t>(place));
  return bits_of(row, at_level({row, texels, 0}, o));
}

}  // namespace cucore::cpu::textures
