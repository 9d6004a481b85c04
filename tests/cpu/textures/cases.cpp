// SPDX-License-Identifier: Apache-2.0
// The rows: formats, shapes, address modes, filters and kinds of reads, with their kernels.
#include <algorithm>
#include <bit>
#include <random>

#include "case.hpp"

namespace cucore::cpu::textures {
namespace {

constexpr Format FORMATS[] = {{"u8", CU_AD_FORMAT_UNSIGNED_INT8, 1, true, false},
                              {"u16", CU_AD_FORMAT_UNSIGNED_INT16, 2, true, false},
                              {"u32", CU_AD_FORMAT_UNSIGNED_INT32, 4, true, false},
                              {"s8", CU_AD_FORMAT_SIGNED_INT8, 1, true, true},
                              {"s16", CU_AD_FORMAT_SIGNED_INT16, 2, true, true},
                              {"s32", CU_AD_FORMAT_SIGNED_INT32, 4, true, true},
                              {"f16", CU_AD_FORMAT_HALF, 2, false, true},
                              {"f32", CU_AD_FORMAT_FLOAT, 4, false, true}};
constexpr const Format* FLOAT = &FORMATS[7];

constexpr const char* GEOMETRIES[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "1d", "2d"};
constexpr const char* SHAPES[] = {"line", "plane", "space",  "lines",  "planes",
                                  "cube", "cubes", "buffer", "pitched"};
constexpr const char* READS[] = {"", " whole", " level", " grad", " gather"};
constexpr const char* MODES[] = {" wrap", " clamp", " mirror", " border"};

void add(std::vector<Case>& table, Case row) {
  row.name = std::string(SHAPES[size_t(row.geometry)]) + READS[size_t(row.read)] + " " +
             row.format->name + "x" + std::to_string(row.channels) + MODES[row.addressing] +
             (row.filter ? " linear" : " point") + (row.levels > 1 ? " levels" : "") +
             (row.level_filter ? " mixed" : "") + (row.is_normalized() ? " normalized" : "") +
             (row.flags & CU_TRSF_READ_AS_INTEGER ? " integer" : "") +
             (row.flags & CU_TRSF_SRGB ? " srgb" : "");
  if (row.read == Read::GATHER) row.name += " " + std::to_string(row.component);
  if (row.is_cube()) row.height = row.width = 8;
  // Two families of rows can have a row in common.
  if (std::ranges::none_of(table, [&](const Case& other) { return other.name == row.name; }))
    table.push_back(std::move(row));
}

void add_formats(std::vector<Case>& table) {
  for (const Format& format : FORMATS)
    for (unsigned channels : {1u, 2u, 4u})
      for (unsigned flags : {0u, unsigned(CU_TRSF_READ_AS_INTEGER)})
        for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR}) {
          Case row;
          row.format = &format;
          row.channels = channels;
          row.flags = flags;
          row.filter = filter;
          if (flags && !format.is_integer) continue;
          if (filter && row.yields_integers()) continue;
          add(table, row);
        }
  Case encoded;
  encoded.format = &FORMATS[0];
  encoded.flags = CU_TRSF_SRGB;
  add(table, encoded);
}

void add_shapes(std::vector<Case>& table) {
  for (unsigned shape = 0; shape <= unsigned(Geometry::CUBES); ++shape)
    for (int mode = 0; mode < 4; ++mode)
      for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
        for (unsigned flags : {0u, unsigned(CU_TRSF_NORMALIZED_COORDINATES)}) {
          Case row;
          row.geometry = Geometry(shape);
          row.format = FLOAT;
          row.addressing = CUaddress_mode(mode);
          row.filter = filter;
          row.flags = flags;
          if (row.is_cube() && (mode != CU_TR_ADDRESS_MODE_CLAMP || !flags)) continue;
          add(table, row);
        }
}

void add_reads(std::vector<Case>& table) {
  for (Geometry geometry : {Geometry::LINE, Geometry::PLANE, Geometry::SPACE, Geometry::LINES,
                            Geometry::PLANES, Geometry::BUFFER})
    for (int mode : {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_BORDER}) {
      Case row;
      row.geometry = geometry;
      row.read = Read::WHOLE;
      row.format = FLOAT;
      row.addressing = CUaddress_mode(mode);
      add(table, row);
    }
  Case pitched;
  pitched.geometry = Geometry::PITCHED;
  pitched.format = FLOAT;
  pitched.filter = CU_TR_FILTER_MODE_LINEAR;
  add(table, pitched);
  for (unsigned component = 0; component < 4; ++component)
    for (const Format* format : {FLOAT, &FORMATS[2], &FORMATS[0]}) {
      Case row;
      row.read = Read::GATHER;
      row.format = format;
      row.component = component;
      row.addressing = CUaddress_mode(component % 2 ? CU_TR_ADDRESS_MODE_BORDER : 1);
      add(table, row);
    }
}

void add_levels(std::vector<Case>& table) {
  for (Geometry geometry :
       {Geometry::LINE, Geometry::PLANE, Geometry::SPACE, Geometry::PLANES, Geometry::CUBE})
    for (Read read : {Read::COORDINATE, Read::LEVEL, Read::GRADIENT})
      for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR}) {
        Case row;
        row.geometry = geometry;
        row.read = read;
        row.format = FLOAT;
        row.width = row.height = 16;
        row.depth = 8;
        row.levels = 4;
        row.bias = 0.125f;
        row.most_level = 2.5f;
        row.filter = row.level_filter = filter;
        row.flags = CU_TRSF_NORMALIZED_COORDINATES;
        if (row.is_cube() && read == Read::GRADIENT) continue;
        add(table, row);
      }
}

using Random = std::mt19937_64;

Random seeded(const Case& row) {
  uint64_t seed = 0xcbf29ce484222325;
  for (char c : row.name) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return Random(seed);
}

float between(Random& random, float low, float high) {
  return low + (high - low) * float(random() >> 40) * 0x1p-24f;
}

uint32_t texel_value(Random& random, const Format& format) {
  if (format.is_integer) return uint32_t(random());
  const float value = between(random, -8, 8);
  // 2.5 of f16, and the like: fractions of few bits are numbers of both formats
  if (format.bytes == 4) return std::bit_cast<uint32_t>(value);
  return uint32_t(random() & 0x8000) | uint32_t(13 + random() % 5) << 10 | (random() & 0x3ff);
}

// Places in the image, before and behind it, at the edges and centers of texels, and far away.
float place(Random& random, const Case& row, unsigned axis) {
  const auto size = float(row.extent(axis, 0));
  float texels = between(random, -size, 2 * size);
  if (random() % 4 == 0) texels = std::floor(texels) + float(random() % 2) / 2;
  if (random() % 64 == 0) texels *= 1e6f;
  return row.is_normalized() ? texels / size : texels;
}

// Directions whose largest part is not equal to another one.
std::array<float, 3> direction(Random& random) {
  std::array<float, 3> v;
  for (float& part : v) part = between(random, -1, 1);
  v[random() % 3] *= 4;
  return v;
}

std::string places(const Case& row) {
  const bool whole = row.read == Read::WHOLE;
  const std::string letter = whole ? "%r" : "%f";
  std::string text = row.is_layered() ? "{%r0, " : "{";
  const unsigned axes = row.is_cube() ? 3 : row.axes();
  for (unsigned axis = 0; axis < axes; ++axis)
    text += (axis ? ", " : "") + letter + std::to_string(axis + 1);
  const unsigned numbers = axes + row.is_layered();
  return text + (numbers == 3 ? ", " + letter + "1}" : "}");
}

std::string vector_of(const char* const (&names)[3], unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) text += std::string(i ? ", " : "") + names[i];
  return text + (count == 3 ? std::string(", ") + names[0] + "}" : "}");
}

std::string instruction(const Case& row) {
  static constexpr const char* NAMES[] = {"tex", "tex", "tex.level", "tex.grad", "tld4"};
  static constexpr const char* COMPONENTS[] = {".r", ".g", ".b", ".a"};
  std::string text = NAMES[size_t(row.read)];
  if (row.read == Read::GATHER) text += COMPONENTS[row.component];
  text += std::string(".") + GEOMETRIES[size_t(row.geometry)] + ".v4.u32" +
          (row.read == Read::WHOLE ? ".s32" : ".f32") + " {%d0, %d1, %d2, %d3}, [%object, " +
          places(row) + "]";
  if (row.read == Read::LEVEL) text += ", %f4";
  if (row.read == Read::GRADIENT)
    text += ", " + vector_of({"%f5", "%f6", "%f7"}, row.axes()) + ", " +
            vector_of({"%f8", "%f9", "%f10"}, row.axes());
  return text + ";\n";
}

}  // namespace

unsigned Case::axes() const {
  switch (geometry) {
    case Geometry::LINE:
    case Geometry::LINES:
    case Geometry::BUFFER:
      return 1;
    case Geometry::SPACE:
      return 3;
    default:
      return 2;
  }
}

bool Case::is_layered() const {
  return geometry == Geometry::LINES || geometry == Geometry::PLANES || geometry == Geometry::CUBES;
}

bool Case::yields_integers() const {
  return format->is_integer && (format->bytes == 4 || (flags & CU_TRSF_READ_AS_INTEGER));
}

unsigned Case::extent(unsigned axis, unsigned level) const {
  if (axis == 0) return std::max(width >> level, 1u);
  if (axis == 1) return axes() > 1 ? std::max(height >> level, 1u) : 1;
  if (geometry == Geometry::SPACE) return std::max(depth >> level, 1u);
  return (is_layered() ? depth : 1) * (is_cube() ? 6 : 1);
}

std::vector<Case> make_table() {
  std::vector<Case> table;
  add_formats(table);
  add_shapes(table);
  add_reads(table);
  add_levels(table);
  return table;
}

Texels texels_of(const Case& row) {
  Random random = seeded(row);
  Texels texels;
  for (unsigned level = 0; level < row.levels; ++level) {
    std::vector<uint8_t>& bytes = texels.emplace_back();
    const size_t count =
        size_t{row.extent(0, level)} * row.extent(1, level) * row.extent(2, level) * row.channels;
    for (size_t i = 0; i < count; ++i) {
      const uint32_t value = texel_value(random, *row.format);
      for (unsigned b = 0; b < row.format->bytes; ++b) bytes.push_back(uint8_t(value >> 8 * b));
    }
  }
  return texels;
}

std::vector<Operands> operands_of(const Case& row) {
  Random random = seeded(row);
  random.discard(7);
  std::vector<Operands> all(256);
  for (Operands& o : all) {
    o.layer = uint32_t(random() % (row.depth + 2));
    for (unsigned axis = 0; axis < row.axes(); ++axis) {
      o.at[axis] = place(random, row, axis);
      if (row.read == Read::WHOLE)
        o.at[axis] = std::bit_cast<float>(int32_t(std::clamp(o.at[axis], -1e6f, 1e6f)));
      o.dx[axis] = between(random, -0.2f, 0.2f);
      o.dy[axis] = between(random, -0.2f, 0.2f);
    }
    if (row.is_cube()) o.at = direction(random);
    o.level = between(random, -1, 5);
  }
  return all;
}

std::string module_text(const Case& row, unsigned target) {
  std::string text = ".version 7.8\n.target sm_" + std::to_string(target) +
                     "\n.address_size 64\n.visible .entry k(.param .u64 in_, .param .u64 out_, "
                     ".param .u64 scratch_)\n{\n .reg .b32 %r<12>, %d<4>, %i<2>; .reg .f32 %f<12>; "
                     ".reg .b64 %in, %out, %object;\n"
                     " ld.param.u64 %in, [in_]; ld.param.u64 %out, [out_]; cvta.to.global.u64 %in, "
                     "%in; cvta.to.global.u64 %out, %out; ld.global.u64 %object, [%in];\n"
                     " mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mul.lo.u32 %i0, %i0, %i1; "
                     "mov.u32 %i1, %tid.x; add.u32 %i0, %i0, %i1;\n"
                     " mad.wide.u32 %in, %i0, 48, %in; mad.wide.u32 %out, %i0, 16, %out;\n";
  for (unsigned i = 0; i < 11; ++i) {
    const std::string n = std::to_string(i);
    text += " ld.global.b32 %r" + n + ", [%in+" + std::to_string(8 + 4 * i) + "]; mov.b32 %f" + n +
            ", %r" + n + ";\n";
  }
  return text + " " + instruction(row) +
         " st.global.v4.b32 [%out], {%d0, %d1, %d2, %d3};\n ret;\n}\n";
}

}  // namespace cucore::cpu::textures
