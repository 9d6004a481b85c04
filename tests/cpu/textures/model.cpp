// SPDX-License-Identifier: Apache-2.0
// The model has the formulas of the CUDA C++ programming guide ("Texture Fetching"). It rounds as
// an H200 does, which are coordinates, each product of weights, and the sum once.
#include <algorithm>
#include <bit>
#include <cmath>
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

double decoded(double fraction) {
  return fraction <= 0.04045 ? fraction / 12.92 : std::pow((fraction + 0.055) / 1.055, 2.4);
}

bool is_fraction(const Case& row) {
  return row.format->is_integer && row.format->bytes < 4 && !row.yields_integers();
}

// The largest value of a fraction in a filter.
double scale(const Case& row) { return row.format->is_signed ? 32767 : 65535; }

bool is_encoded(const Case& row, unsigned channel) {
  return row.flags & CU_TRSF_SRGB && channel < 3;
}

// Returns the value that a read without a filter has.
double number(const Case& row, uint32_t value, unsigned channel) {
  const Format& format = *row.format;
  if (!format.is_integer)
    return format.bytes == 4 ? double{std::bit_cast<float>(value)} : ops::HALF.value(value);
  const long whole = sign_extended(value, format);
  if (row.yields_integers()) return double(whole);
  const double most = double((1u << (8 * format.bytes - format.is_signed)) - 1);
  const double fraction = std::max(double(whole) / most, -1.0);
  return is_encoded(row, channel) ? decoded(fraction) : fraction;
}

// Returns the number that a filter weighs. A fraction has 16 bits.
double weighed(const Case& row, uint32_t value, unsigned channel) {
  if (!is_fraction(row)) return number(row, value, channel);
  if (is_encoded(row, channel)) return double{float(number(row, value, channel))} * scale(row);
  const double whole = double(sign_extended(value, *row.format));
  return row.format->bytes == 1
             ? std::round(whole * scale(row) / (row.format->is_signed ? 127 : 255))
             : whole;
}

Values texel(const View& v, const Index& index, bool filtered) {
  Values values{};
  for (unsigned c = 0; c < v.row.channels; ++c)
    values[c] = (filtered ? weighed : number)(v.row, raw(v, index, c), c);
  return values;
}

Values border(const Case& row, bool filtered) {
  Values values{};
  if (row.geometry == Geometry::BUFFER) return values;
  for (unsigned c = 0; c < 4; ++c) {
    values[c] = double{BORDER[c]};
    if (row.yields_integers()) values[c] = double(std::bit_cast<uint32_t>(BORDER[c]));
    if (!is_fraction(row)) continue;
    values[c] = std::clamp(values[c], row.format->is_signed ? -1.0 : 0.0, 1.0);
    if (filtered) values[c] = std::round(values[c] * scale(row));
  }
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
  index[2] = v.row.is_layered() ? std::min(long{o.layer}, layers - 1) : 0;
  std::array<double, 3> at{double{o.at[0]}, double{o.at[1]}, double{o.at[2]}};
  if (v.row.is_cube()) index[2] = 6 * index[2] + face(o.at, at[0], at[1]);
  for (unsigned axis = 0; axis < v.row.axes(); ++axis) {
    const double from = std::isnan(at[axis]) ? 0 : std::clamp(at[axis], -1e12, 1e12);
    const double kept = std::floor(from * 0x1p21) / 0x1p21 * v.row.extent(axis, v.level);
    place[axis] = v.row.is_normalized() ? kept : from;
  }
  return place;
}

// One of the texels that a filter weighs; the weights are whole, and 256 in all.
struct Part {
  Index index{};
  bool is_inside = true;
  bool is_right = false;
  long weight = 256;
};

void move_inside(const View& v, size_t axis, Part& part) {
  const auto moved = moved_inside(v.row, part.index[axis], v.row.extent(unsigned(axis), v.level));
  part.is_inside = part.is_inside && moved;
  part.index[axis] = moved.value_or(0);
}

// Divides each part between two neighbours along an axis, and rounds. The guide has exact products.
std::vector<Part> divided(const View& v, size_t axis, double place, const std::vector<Part>& parts,
                          bool upper_level) {
  const auto last = double(v.row.extent(unsigned(axis), v.level) - 1);
  double fixed = std::floor((place - 0.5) * 256 + 0.5) / 256;
  const bool repeats = v.row.addressing != CU_TR_ADDRESS_MODE_CLAMP && v.row.is_normalized();
  if (!repeats && v.row.addressing != CU_TR_ADDRESS_MODE_BORDER)
    fixed = std::clamp(fixed, 0.0, last);
  std::vector<Part> all;
  for (const Part& part : parts) {
    const bool ties_up = axis == 0 || (axis == 1 ? part.is_right : upper_level);
    const double share = double(part.weight) * (fixed - std::floor(fixed));
    const long upper = long(ties_up ? std::floor(share + 0.5) : std::ceil(share - 0.5));
    for (const bool second : {false, true}) {
      Part next = part;
      next.weight = second ? upper : part.weight - upper;
      next.is_right = axis == 0 ? second : part.is_right;
      next.index[axis] = long(std::floor(fixed)) + second;
      move_inside(v, axis, next);
      all.push_back(next);
    }
  }
  return all;
}

Values sum(const View& v, const std::vector<Part>& parts) {
  Values total{};
  for (const Part& part : parts) {
    if (part.weight == 0) continue;
    const Values values = part.is_inside ? texel(v, part.index, true) : border(v.row, true);
    for (unsigned c = 0; c < 4; ++c) total[c] += double(part.weight) * values[c];
  }
  return total;
}

Part nearest(const View& v, const Operands& o) {
  Part part;
  const auto place = places(v, o, part.index);
  for (size_t axis = 0; axis < v.row.axes(); ++axis) {
    part.index[axis] = long(std::floor(place[axis]));
    move_inside(v, axis, part);
  }
  return part;
}

bool has_filter(const Case& row) {
  return row.filter == CU_TR_FILTER_MODE_LINEAR && !row.yields_integers();
}

// Returns the weighted sum of a level, of 256 times its weight.
Values level_sum(const View& v, const Operands& o, long weight, bool upper_level) {
  if (!has_filter(v.row)) {
    Part part = nearest(v, o);
    part.weight = weight;
    return sum(v, {part});
  }
  Part first;
  first.weight = weight;
  const auto place = places(v, o, first.index);
  std::vector<Part> parts{first};
  if (v.row.axes() > 2) parts = divided(v, 2, place[2], parts, upper_level);
  parts = divided(v, 0, place[0], parts, upper_level);
  // A line is a plane of one row, read at 0.
  if (v.row.axes() > 1 || v.row.geometry == Geometry::LINE)
    parts = divided(v, 1, place[1], parts, upper_level);
  return sum(v, parts);
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

// Rounds to the significant bits of the format; ties go away from zero.
double rounded(double value, const Format& format) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int bits = format.bytes == 4 ? 24 : 11, least = format.bytes == 4 ? -126 : -14;
  const double step = std::ldexp(1.0, std::max(std::ilogb(value), least) - bits + 1);
  return std::round(value / step) * step;
}

Result filtered(const Case& row, const Values& total) {
  Values values;
  for (unsigned c = 0; c < 4; ++c) {
    values[c] = total[c] / 256;
    if (is_fraction(row))
      values[c] = std::max(std::floor(values[c] + 0.5) / scale(row), -1.0);
    else
      values[c] = rounded(values[c], *row.format);
  }
  return bits_of(row, values);
}

double in_parts(float level) { return std::trunc(double{level} * 256); }

// `tex` reads the first level that the sampler permits, without the bias.
double level_in_parts(const Case& row, const Operands& o) {
  const bool named = row.read == Read::LEVEL || row.read == Read::GRADIENT;
  const double wanted = named ? in_parts(float(wanted_level(row, o))) + in_parts(row.bias) : 0.0;
  const double least = in_parts(row.least_level);
  const double most = std::min(in_parts(row.most_level), 256.0 * (row.levels - 1));
  return std::min(std::max(wanted, least), most);
}

Result of_levels(const Case& row, const Texels& texels, const Operands& o) {
  const double level = row.levels > 1 ? level_in_parts(row, o) : 0;
  const bool mixes = row.level_filter == CU_TR_FILTER_MODE_LINEAR && !row.yields_integers();
  const double lower = std::floor(level / 256 + (mixes ? 0 : 0.5));
  const long weight = mixes ? long(level - lower * 256) : 0;
  const View v{row, texels, unsigned(lower)};
  if (weight == 0 && !has_filter(row)) {
    const Part part = nearest(v, o);
    return bits_of(row, part.is_inside ? texel(v, part.index, false) : border(row, false));
  }
  Values total = level_sum(v, o, 256 - weight, false);
  if (weight == 0) return filtered(row, total);
  const Values next = level_sum({row, texels, v.level + 1}, o, weight, true);
  for (unsigned c = 0; c < 4; ++c) total[c] += next[c];
  return filtered(row, total);
}

// Whole coordinates outside read zero, and so does every one of a line in an array.
Result whole(const Case& row, const Texels& texels, const Operands& o) {
  const View v{row, texels, 0};
  Index index{};
  bool inside = row.geometry != Geometry::LINE;
  for (unsigned axis = 0; axis < row.axes(); ++axis) {
    index[axis] = std::bit_cast<int32_t>(o.at[axis]);
    inside = inside && index[axis] >= 0 && index[axis] < long(row.extent(axis, 0));
  }
  if (row.is_layered()) index[2] = o.layer;
  inside = inside && (!row.is_layered() || o.layer < row.depth);
  return inside ? bits_of(row, texel(v, index, false)) : Result{};
}

Result gathered(const Case& row, const Texels& texels, const Operands& o) {
  static constexpr long OFFSETS[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  const View v{row, texels, 0};
  Index index{};
  const auto place = places(v, o, index);
  Values values;
  for (unsigned i = 0; i < 4; ++i) {
    Part part;
    for (size_t axis = 0; axis < 2; ++axis) {
      part.index[axis] = long(std::floor((place[axis] - 0.5) + 1.0 / 512)) + OFFSETS[i][axis];
      move_inside(v, axis, part);
    }
    const Values found = part.is_inside ? texel(v, part.index, false) : border(row, false);
    values[i] = found[row.component];
  }
  return bits_of(row, values);
}

}  // namespace

Result expected(const Case& row, const Texels& texels, const Operands& operands) {
  if (row.read == Read::GATHER) return gathered(row, texels, operands);
  if (row.read == Read::WHOLE && row.geometry != Geometry::BUFFER)
    return whole(row, texels, operands);
  Operands o = operands;
  if (row.read == Read::WHOLE) o.at[0] = float(std::bit_cast<int32_t>(o.at[0]));
  return of_levels(row, texels, o);
}

}  // namespace cucore::cpu::textures
