// SPDX-License-Identifier: Apache-2.0
// The model has the formulas of the CUDA C++ programming guide ("Texture Fetching"). It rounds as
// an H200 does, which are coordinates, each product of weights, and the sum once.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "../ops/small_floats.hpp"
#include "case.hpp"
#include "decoded.hpp"

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
  if (is_encoded(row, channel)) return DECODED[value & 255] / 32768.0;
  return std::max(double(whole) / most, -1.0);
}

bool is_signed_byte(const Case& row) { return row.format->is_signed && row.format->bytes == 1; }

// Returns the number that a filter weighs. A fraction has 16 bits; a signed byte is the upper one.
double weighed(const Case& row, uint32_t value, unsigned channel) {
  if (!is_fraction(row) || is_encoded(row, channel)) return number(row, value, channel);
  const double whole = double(sign_extended(value, *row.format));
  if (row.format->bytes == 2) return whole;
  return whole * (row.format->is_signed ? 256 : 257);
}

Values texel(const View& v, const Index& index, bool filtered) {
  Values values{};
  for (unsigned c = 0; c < v.row.channels; ++c)
    values[c] = (filtered ? weighed : number)(v.row, raw(v, index, c), c);
  return values;
}

// A border is a texel: the format rounds it, and has no room for other channels. Integers are the
// low bits of its words.
uint32_t raw_border(const Case& row, unsigned channel) {
  const uint32_t word = std::bit_cast<uint32_t>(BORDER[channel]);
  if (row.yields_integers() && row.format->bytes < 4)
    return word & ((1u << 8 * row.format->bytes) - 1);
  if (!is_fraction(row)) return word;
  const double most = double((1u << (8 * row.format->bytes - row.format->is_signed)) - 1);
  const double value = std::clamp(double{BORDER[channel]}, row.format->is_signed ? -1.0 : 0.0, 1.0);
  return uint32_t(long(std::floor(value * most + 0.5)));
}

Values border(const View& v, bool filtered) {
  const Case& row = v.row;
  Values values{};
  if (row.geometry == Geometry::BUFFER) return values;
  for (unsigned c = 0; c < row.channels; ++c) {
    const uint32_t value = raw_border(row, c);
    if (row.format->is_integer)
      values[c] = (filtered ? weighed : number)(row, value, c);
    else
      values[c] = double{BORDER[c]};
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
    const bool is_none = std::isnan(at[axis]) || std::fabs(at[axis]) < 0x1p-126;
    const double from = is_none ? 0 : std::clamp(at[axis], -1e12, 1e12);
    const double kept = std::floor(from * 0x1p21) / 0x1p21 * v.row.extent(axis, v.level);
    place[axis] = v.row.is_normalized() ? kept : from;
    if (v.row.has_offsets) place[axis] += o.offset(axis);
  }
  // The upper bits of the offset along a line are taken for an offset of its row.
  const bool leaves_line = v.row.geometry == Geometry::LINE && v.row.has_offsets && o.offset(0) < 0;
  if (leaves_line) place[1] = -1;
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
std::vector<Part> divided(const View& v, size_t axis, double place,
                          const std::vector<Part>& parts) {
  const auto last = double(v.row.extent(unsigned(axis), v.level) - 1);
  double fixed = std::floor((place - 0.5) * 256 + 0.5) / 256;
  const bool repeats = v.row.addressing != CU_TR_ADDRESS_MODE_CLAMP && v.row.is_normalized();
  if (!repeats && v.row.addressing != CU_TR_ADDRESS_MODE_BORDER)
    fixed = std::clamp(fixed, 0.0, last);
  std::vector<Part> all;
  for (const Part& part : parts) {
    const bool ties_up = axis == 0 || (axis == 1 && part.is_right);
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

// The numbers that a part adds to a sum.
struct Addend {
  long weight;
  Values values;
};

// The bits below those of the largest number that a sum keeps.
int kept_bits(const Case& row, unsigned channel) {
  if (is_encoded(row, channel)) return 7;
  return row.format->bytes == 2 ? 14 : 27;
}

// Returns a number with the exponent that a sum has for this one. sRGB values have the exponent of
// the last one of their eight.
double with_exponent(const Case& row, unsigned channel, double value) {
  if (!is_encoded(row, channel)) return std::fabs(value);
  const auto* encoded = std::ranges::lower_bound(DECODED, value * 32768);
  return DECODED[size_t(encoded - DECODED) | 7] / 32768.0;
}

double cut(double value, double unit) { return std::trunc(value / unit) * unit; }

// The numbers of a sum end at the same bit. Fractions do so from the start.
Values sum(const Case& row, const std::vector<Addend>& addends) {
  Values total{};
  for (unsigned c = 0; c < 4; ++c) {
    double largest = 0;
    for (const Addend& a : addends) largest = std::max(largest, with_exponent(row, c, a.values[c]));
    const bool whole = is_fraction(row) && !is_encoded(row, c);
    const bool cuts = !whole && largest > 0 && std::isfinite(largest);
    const double unit = cuts ? std::ldexp(1.0, std::ilogb(largest) - kept_bits(row, c)) : 0;
    for (const Addend& a : addends)
      total[c] += double(a.weight) * (cuts ? cut(a.values[c], unit) : a.values[c]);
  }
  return total;
}

void append(const View& v, const std::vector<Part>& parts, std::vector<Addend>& all) {
  for (const Part& part : parts)
    if (part.weight != 0)
      all.push_back({part.weight, part.is_inside ? texel(v, part.index, true) : border(v, true)});
}

// A line is a plane of one row, read at 0.
size_t read_axes(const Case& row) { return row.geometry == Geometry::LINE ? 2 : row.axes(); }

Part nearest(const View& v, const Operands& o) {
  Part part;
  const auto place = places(v, o, part.index);
  for (size_t axis = 0; axis < read_axes(v.row); ++axis) {
    part.index[axis] = long(std::floor(place[axis]));
    move_inside(v, axis, part);
  }
  return part;
}

bool has_filter(const Case& row) {
  return row.filter == CU_TR_FILTER_MODE_LINEAR && !row.yields_integers();
}

// Appends the parts of a level that has this weight.
void append_level(const View& v, const Operands& o, long weight, std::vector<Addend>& all) {
  if (!has_filter(v.row)) {
    Part part = nearest(v, o);
    part.weight = weight;
    return append(v, {part}, all);
  }
  Part first;
  first.weight = weight;
  const auto place = places(v, o, first.index);
  std::vector<Part> parts{first};
  if (v.row.axes() > 2) parts = divided(v, 2, place[2], parts);
  parts = divided(v, 0, place[0], parts);
  if (read_axes(v.row) > 1) parts = divided(v, 1, place[1], parts);
  append(v, parts, all);
}

using Gradient = std::array<double, 3>;

// A number of a gradient has 10 significant bits; the bits below are dropped.
double last_bit(double of) { return std::ldexp(1.0, std::ilogb(of) - 9); }
double nearest_of(double value, double unit) { return std::floor(value / unit + 0.5) * unit; }

double shortened(double value) {
  return value == 0 || !std::isfinite(value) ? value : cut(value, last_bit(value));
}

// Both numbers end one bit below the larger one.
double added(double x, double y) {
  if (x == 0 && y == 0) return 0;
  const double unit = last_bit(std::max(std::fabs(x), std::fabs(y))) / 2;
  return shortened(cut(x, unit) + cut(y, unit));
}

// Products of numbers that have the same exponent are rounded at the same bit, which is the last
// one of the least of them.
double product(double factor, double value) {
  if (value == 0) return 0;
  const double unit = last_bit(std::ldexp(factor, std::ilogb(value)));
  return shortened(nearest_of(factor * value, unit));
}

// A sum of the parts instead of the root of squares. The largest one has the last factor.
double length(Gradient parts, const Gradient& factors) {
  for (double& part : parts) part = std::fabs(part);
  std::ranges::sort(parts);
  const double smaller = added(product(factors[1], parts[1]), product(factors[0], parts[0]));
  return added(product(factors[2], parts[2]), smaller);
}

double side(const Gradient& parts) { return length(parts, {1.0 / 4, 11.0 / 32, 1}); }

// 11/16 of a side. Each part has one factor, so it is rounded once.
double diagonal(const Gradient& parts) {
  return length(parts, {11.0 / 64, 121.0 / 512, 11.0 / 16});
}

// A table of 256 logarithms, each for the middle of its numbers.
double logarithm(double length) {
  if (!(length > 0)) return -1e9;
  if (!std::isfinite(length)) return 1e9;
  const int exponent = std::ilogb(length);
  const double index = std::floor(std::ldexp(length, 8 - exponent)) - 256;
  const double parts = std::floor(256 * std::log2((256.5 + index) / 256) + 15.0 / 32);
  return exponent + (index > 0 ? std::min(parts, 255.0) : 0) / 256;
}

// In space, the gradients are the differences of places that are rounded to f32.
double step(const Case& row, float from, float by) {
  if (row.axes() < 3) return double{by};
  const float to = from + by;
  return double{to} - double{from};
}

using Direction = std::array<float, 3>;

size_t largest_axis(const Direction& v) {
  double s = 0, t = 0;
  return size_t(face(v, s, t)) / 2;
}

// The part of a direction along an axis, if the largest part is 1. The reciprocal has 23 bits.
double on_face(const Direction& v, size_t axis) {
  const double inverse = 1 / std::fabs(double{v[largest_axis(v)]});
  return double{v[axis]} * nearest_of(inverse, std::ldexp(1.0, std::ilogb(inverse) - 22));
}

// The change of the place on the face of `at` along one axis, if `texels` is half of the face. The
// next face continues the plane: the distances of both places from the common edge are added.
double face_change(const Direction& at, const Direction& to, size_t axis, double texels) {
  const size_t own = largest_axis(at), other = largest_axis(to);
  if (own == other || axis != other)
    return shortened((on_face(to, axis) - on_face(at, axis)) * texels);
  const double sign = to[axis] < 0 ? -1 : 1;
  const double height = on_face(to, own) * (at[own] < 0 ? -1 : 1);
  return sign * added(shortened((1 - sign * on_face(at, axis)) * texels),
                      shortened((1 - height) * texels));
}

// A gradient on a cube: its change in texels, and where it ends.
struct FaceStep {
  Gradient change{};
  bool is_on_face = true, is_opposite = false;
};

FaceStep face_step(const Case& row, const Direction& at, const Direction& by) {
  Direction to = at;
  for (size_t k = 0; k < 3; ++k) to[k] += by[k];
  const size_t own = largest_axis(at);
  FaceStep step;
  const bool turned = std::signbit(at[own]) != std::signbit(to[own]);
  step.is_opposite = largest_axis(to) == own && turned;
  step.is_on_face = largest_axis(to) == own && !turned;
  size_t k = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (axis == own) continue;
    step.change[k++] = face_change(at, to, axis, row.extent(0, 0) / 2.0);
  }
  return step;
}

double wanted_on_cube(const Case& row, const Operands& o) {
  const FaceStep x = face_step(row, o.at, o.dx), y = face_step(row, o.at, o.dy);
  if (x.is_opposite || y.is_opposite) return 1e9;
  const double sides = std::max(side(x.change), side(y.change));
  if (!x.is_on_face || !y.is_on_face) return logarithm(sides);
  Gradient sums{}, differences{};
  for (size_t k = 0; k < 2; ++k) {
    sums[k] = added(x.change[k], y.change[k]);
    differences[k] = added(x.change[k], -y.change[k]);
  }
  return logarithm(std::max({sides, diagonal(sums), diagonal(differences)}));
}

// The pixel is a parallelogram: both sides count, and 11/16 of both diagonals.
double wanted_level(const Case& row, const Operands& o) {
  if (row.read == Read::LEVEL) return double{o.level};
  if (row.read != Read::GRADIENT) return 0;
  if (row.is_cube()) return wanted_on_cube(row, o);
  Gradient x{}, y{}, sums{}, differences{};
  for (unsigned axis = 0; axis < row.axes(); ++axis) {
    x[axis] = shortened(step(row, o.at[axis], o.dx[axis]) * row.extent(axis, 0));
    y[axis] = shortened(step(row, o.at[axis], o.dy[axis]) * row.extent(axis, 0));
    sums[axis] = added(x[axis], y[axis]);
    differences[axis] = added(x[axis], -y[axis]);
  }
  return logarithm(std::max({side(x), side(y), diagonal(sums), diagonal(differences)}));
}

// The nearest half; ties go to even ones.
uint32_t half_bits(double value) {
  const uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  if (size == 0) return sign;
  if (size >= 65520) return sign | 0x7c00;  // halfway to the next power of two
  const int exponent = std::max(std::ilogb(size), -14);
  const double parts = std::nearbyint(std::ldexp(size, 10 - exponent));
  return sign + uint32_t(parts) + (uint32_t(exponent + 14) << 10);
}

Result bits_of(const Case& row, const Values& values) {
  Result result{};
  for (unsigned c = 0; c < 4; ++c) {
    if (row.halves == Halves::PAIRS)
      result[c / 2] |= half_bits(values[c]) << 16 * (c % 2);
    else if (row.halves == Halves::SINGLE)
      result[c] = half_bits(values[c]);
    else
      result[c] = row.yields_integers() ? uint32_t(long(values[c]))
                                        : std::bit_cast<uint32_t>(float(values[c]));
  }
  return result;
}

// Rounds to significant bits; ties go away from zero. A subnormal f32 number becomes 0.
double rounded(double value, int bits, int least) {
  if (value == 0 || !std::isfinite(value)) return value;
  if (std::fabs(value) < 0x1p-126) return std::copysign(0.0, value);
  const double step = std::ldexp(1.0, std::max(std::ilogb(value), least) - bits + 1);
  return std::round(value / step) * step;
}

// Rounds a fraction. The lower byte of a signed one comes from the sum, without its last 4 bits.
double fraction(const Case& row, double value) {
  if (is_signed_byte(row)) value += std::floor(value / 16) * 257 / 2048;
  return std::max(std::floor(value + 0.5) / scale(row), -1.0);
}

Result filtered(const Case& row, const Values& total) {
  Values values;
  for (unsigned c = 0; c < 4; ++c) {
    const double value = total[c] / 256;
    if (is_fraction(row) && !is_encoded(row, c))
      values[c] = fraction(row, value);
    else
      values[c] = is_encoded(row, c) || row.format->bytes == 2 ? rounded(value, 11, -14)
                                                               : rounded(value, 24, -126);
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
    return bits_of(row, part.is_inside ? texel(v, part.index, false) : border(v, false));
  }
  std::vector<Addend> all;
  append_level(v, o, 256 - weight, all);
  if (weight != 0) append_level({row, texels, v.level + 1}, o, weight, all);
  return filtered(row, sum(row, all));
}

// Whole coordinates outside read zero, and so does every one of a line in an array.
Result whole(const Case& row, const Texels& texels, const Operands& o) {
  const View v{row, texels, 0};
  Index index{};
  bool inside = row.geometry != Geometry::LINE;
  for (unsigned axis = 0; axis < row.axes(); ++axis) {
    index[axis] = std::bit_cast<int32_t>(o.at[axis]);
    if (row.has_offsets) index[axis] += o.offset(axis);
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
    part.index[2] = index[2];
    for (size_t axis = 0; axis < 2; ++axis) {
      part.index[axis] = long(std::floor((place[axis] - 0.5) + 1.0 / 512)) + OFFSETS[i][axis];
      move_inside(v, axis, part);
    }
    const Values found = part.is_inside ? texel(v, part.index, true) : border(v, true);
    values[i] = found[row.component];
    if (is_fraction(row)) values[i] = fraction(row, values[i]);
  }
  return bits_of(row, values);
}

// A line is a plane whose rows are its layers; a surface or a buffer of one line has no height.
uint32_t height_of(const Case& row, unsigned level) {
  if (row.axes() > 1) return row.extent(1, level);
  if (row.is_layered()) return row.depth;
  return row.read == Read::SURFACE_QUERY || row.geometry == Geometry::BUFFER ? 0 : 1;
}

// The depth of a surface counts the faces of cubes.
uint32_t depth_of(const Case& row, unsigned level) {
  if (row.geometry == Geometry::SPACE) return row.extent(2, level);
  if (row.is_cube() && row.read == Read::SURFACE_QUERY) return row.extent(2, level);
  return row.is_layered() && row.axes() > 1 ? row.depth : 0;
}

// Levels that the image lacks have no size. The layers of planes and cubes are their depth.
Result queried(const Case& row) {
  const auto sizes = [&](unsigned level) -> Result {
    if (level >= row.levels) return {};
    return {row.extent(0, level), height_of(row, level), depth_of(row, level), 0};
  };
  Result all = sizes(row.component == 1 ? 1 : row.component == 2 ? 3 : 0);
  if (row.read == Read::SURFACE_QUERY) return all;
  if (row.component == 4) all = {};
  const uint32_t last[] = {sizes(2)[0], sizes(2)[1], sizes(2)[2], row.width, sizes(1)[2]};
  all[3] = last[row.component];
  return all;
}

// The half that is next to a number toward zero.
uint32_t cut_half_bits(double value) {
  const uint32_t nearest = half_bits(value), size = nearest & 0x7fff;
  if (std::isinf(value) || size == 0) return nearest;
  const double exponent = double(std::max(size >> 10, 1u)) - 25;
  const double kept = std::ldexp(double((size & 0x3ff) | (size >> 10 ? 0x400 : 0)), int(exponent));
  return size == 0x7c00 || kept > std::fabs(value) ? nearest - 1 : nearest;
}

// Integers beyond the format become its nearest one; a float becomes the next half toward zero.
uint32_t stored(const Case& row, uint32_t word) {
  const Format& format = *row.format;
  if (!format.is_integer)
    return format.bytes == 4 ? word : cut_half_bits(double{std::bit_cast<float>(word)});
  const long bits = 8 * long{format.bytes};
  const long value = format.is_signed ? long{int32_t(word)} : long{word};
  const long high = (1l << (bits - format.is_signed)) - 1, low = format.is_signed ? -high - 1 : 0;
  return uint32_t(std::clamp(value, low, high)) & uint32_t((1l << bits) - 1);
}

uint32_t reduced(const Case& row, uint32_t texel, uint32_t word) {
  const bool less = row.format->is_signed ? int32_t(word) < int32_t(texel) : word < texel;
  const uint32_t results[] = {texel + word, less ? word : texel, less ? texel : word, texel & word,
                              texel | word};
  return results[row.component];
}

// The result has the bits of the texel of the thread.
Result accessed(const Case& row, const Texels& texels, const Operands& o, size_t thread) {
  const View v{row, texels, 0};
  const Index index{long(thread % row.width), long(thread / row.width), 0};
  Result result{};
  for (unsigned c = 0; c < row.channels; ++c)
    result[c] = row.read == Read::STORE ? stored(row, o.word(c))
                                        : reduced(row, raw(v, index, c), o.word(c));
  return result;
}

}  // namespace

Result expected(const Case& row, const Texels& texels, const Operands& operands, size_t thread) {
  if (row.is_query()) return queried(row);
  if (row.is_surface()) return accessed(row, texels, operands, thread);
  if (row.read == Read::GATHER) return gathered(row, texels, operands);
  if (row.read == Read::WHOLE && row.geometry != Geometry::BUFFER)
    return whole(row, texels, operands);
  Operands o = operands;
  if (row.read == Read::WHOLE) o.at[0] = float(std::bit_cast<int32_t>(o.at[0]));
  return of_levels(row, texels, o);
}

}  // namespace cucore::cpu::textures
