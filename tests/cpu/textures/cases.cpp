// SPDX-License-Identifier: Apache-2.0
// The rows: formats, shapes, address modes, filters and kinds of reads, with their kernels.
#include <algorithm>
#include <bit>
#include <cmath>
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
constexpr const char* READS[] = {"",      " whole", " level",         " grad",  " gather",
                                 " base", " query", " surface query", " store", " reduce"};
constexpr const char* CONTENTS[] = {"", " order", " numbered", " wide"};
constexpr const char* PLACES[] = {"", " each", " special", " centers"};
constexpr const char* GRADIENTS[] = {" any",    "",        " one",    " along",
                                     " sloped", " across", " turned", " long"};
constexpr const char* MODES[] = {" wrap", " clamp", " mirror", " border"};

void add(std::vector<Case>& table, Case row) {
  row.name = std::string(SHAPES[size_t(row.geometry)]) + READS[size_t(row.read)] + " " +
             row.format->name + "x" + std::to_string(row.channels) + MODES[row.addressing] +
             (row.filter ? " linear" : " point") + (row.levels > 1 ? " levels" : "") +
             (row.level_filter ? " mixed" : "") + (row.is_normalized() ? " normalized" : "") +
             (row.flags & CU_TRSF_READ_AS_INTEGER ? " integer" : "") +
             (row.flags & CU_TRSF_SRGB ? " srgb" : "");
  if (row.read == Read::GATHER || row.read == Read::QUERY)
    row.name += " " + std::to_string(row.component);
  if (row.read == Read::REDUCE) row.name += std::string(" ") + REDUCTIONS[row.component];
  row.name += CONTENTS[size_t(row.content)];
  row.name += PLACES[size_t(row.places)];
  row.name += GRADIENTS[size_t(row.gradients)];
  if (row.least_level > 0) row.name += " least";
  if (row.has_offsets) row.name += " offsets";
  if (row.compares) row.name += " depth";
  if (row.halves != Halves::NONE) row.name += row.halves == Halves::SINGLE ? " halves" : " pairs";
  if (row.is_cube()) row.height = row.width = row.levels > 4 ? 128 : 8;
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

// Borders that the format has no room for, and those of channels that it lacks.
void add_borders(std::vector<Case>& table) {
  for (const Format& format : FORMATS)
    for (unsigned channels : {1u, 4u})
      for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
        for (unsigned flags : {0u, unsigned(CU_TRSF_READ_AS_INTEGER)}) {
          Case row;
          row.format = &format;
          row.channels = channels;
          row.addressing = CU_TR_ADDRESS_MODE_BORDER;
          row.filter = filter;
          row.flags = flags;
          if (flags && !format.is_integer) continue;
          if (filter && row.yields_integers()) continue;
          add(table, row);
        }
  for (int mode = 0; mode < 4; ++mode)
    for (const Format* format : {FLOAT, &FORMATS[3]}) {
      Case row;
      row.read = Read::GATHER;
      row.format = format;
      row.addressing = CUaddress_mode(mode);
      row.flags = CU_TRSF_NORMALIZED_COORDINATES;
      row.component = 1;
      add(table, row);
    }
}

// Every value of a byte, extreme values, and places with NaN.
void add_contents(std::vector<Case>& table) {
  for (Content content : {Content::ORDER, Content::WIDE})
    for (const Format& format : FORMATS)
      for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
        for (unsigned flags : {0u, unsigned(CU_TRSF_SRGB)}) {
          Case row;
          row.format = &format;
          row.content = content;
          row.filter = filter;
          row.flags = flags;
          row.width = row.height = 16;
          if (row.yields_integers() || (flags && format.format != CU_AD_FORMAT_UNSIGNED_INT8))
            continue;
          if (content == Content::ORDER) {
            if (format.bytes != 1) continue;
            row.channels = 1;
            if (flags) row.channels = 4;
            if (!filter) row.places = Places::ORDER;
          }
          add(table, row);
        }
  for (Geometry geometry : {Geometry::LINE, Geometry::SPACE, Geometry::PLANES})
    for (const Format* format : {&FORMATS[0], &FORMATS[4], &FORMATS[6]}) {
      Case row;
      row.geometry = geometry;
      row.format = format;
      row.filter = CU_TR_FILTER_MODE_LINEAR;
      row.addressing = CU_TR_ADDRESS_MODE_BORDER;
      add(table, row);
    }
  for (int mode = 0; mode < 4; ++mode)
    for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
      for (unsigned flags : {0u, unsigned(CU_TRSF_NORMALIZED_COORDINATES)}) {
        Case row;
        row.format = FLOAT;
        row.addressing = CUaddress_mode(mode);
        row.filter = filter;
        row.flags = flags;
        row.places = Places::SPECIAL;
        add(table, row);
      }
}

// Samplers whose two filters differ, and their limits.
void add_more_levels(std::vector<Case>& table) {
  for (Read read : {Read::COORDINATE, Read::LEVEL})
    for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
      for (CUfilter_mode level_filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
        for (const Format* format : {FLOAT, &FORMATS[0], &FORMATS[6]}) {
          Case row;
          row.read = read;
          row.format = format;
          row.width = row.height = 16;
          row.levels = 4;
          row.bias = -0.3f;
          row.least_level = 0.7f;
          row.most_level = 2.9f;
          row.filter = filter;
          row.level_filter = level_filter;
          row.flags = CU_TRSF_NORMALIZED_COORDINATES;
          add(table, row);
        }
}

// The level that gradients have: each level contains its number, so the result is the level.
void add_gradients(std::vector<Case>& table) {
  for (Geometry geometry : {Geometry::LINE, Geometry::PLANE, Geometry::SPACE, Geometry::PLANES})
    for (Gradients gradients :
         {Gradients::RANDOM, Gradients::ONE, Gradients::BOTH_ALONG_X, Gradients::SLOPED,
          Gradients::ACROSS, Gradients::TURNED, Gradients::LONG}) {
      Case row;
      row.geometry = geometry;
      row.read = Read::GRADIENT;
      row.format = FLOAT;
      row.channels = 1;
      row.width = row.height = row.depth = 128;
      if (geometry == Geometry::PLANES) row.depth = 2;
      if (geometry == Geometry::PLANE) row.height = 32;
      if (geometry == Geometry::SPACE) row.height = row.width = row.depth = 64;
      row.levels = geometry == Geometry::SPACE ? 7 : 8;
      row.most_level = 20;
      row.filter = row.level_filter = CU_TR_FILTER_MODE_LINEAR;
      row.flags = CU_TRSF_NORMALIZED_COORDINATES;
      row.content = Content::LEVELS;
      row.gradients = gradients;
      add(table, row);
    }
}

// Offsets in every geometry, filter and address mode; those of whole places read zero outside.
void add_offsets(std::vector<Case>& table) {
  for (Geometry geometry :
       {Geometry::LINE, Geometry::PLANE, Geometry::SPACE, Geometry::LINES, Geometry::PLANES})
    for (int mode = 0; mode < 4; ++mode)
      for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR}) {
        Case row;
        row.geometry = geometry;
        row.format = FLOAT;
        row.addressing = CUaddress_mode(mode);
        row.filter = filter;
        row.flags = mode % 2 == 0 ? CU_TRSF_NORMALIZED_COORDINATES : 0;
        row.has_offsets = true;
        add(table, row);
      }
  for (Read read : {Read::WHOLE, Read::LEVEL, Read::GRADIENT, Read::GATHER, Read::BASE})
    for (Geometry geometry : {Geometry::PLANE, Geometry::PLANES}) {
      Case row;
      row.geometry = geometry;
      row.read = read;
      row.format = FLOAT;
      row.has_offsets = true;
      row.component = 2;
      if (read == Read::LEVEL || read == Read::GRADIENT) {
        row.width = row.height = 16;
        row.levels = 4;
        row.most_level = 3;
        row.flags = CU_TRSF_NORMALIZED_COORDINATES;
      }
      add(table, row);
    }
}

// Depths to compare with, in the formats of depth buffers and others.
void add_depths(std::vector<Case>& table) {
  for (Geometry geometry : {Geometry::LINE, Geometry::PLANE, Geometry::LINES, Geometry::PLANES,
                            Geometry::CUBE, Geometry::CUBES})
    for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
      for (unsigned channels : {1u, 4u}) {
        Case row;
        row.geometry = geometry;
        row.format = FLOAT;
        row.channels = channels;
        row.filter = filter;
        row.flags = CU_TRSF_NORMALIZED_COORDINATES;
        row.compares = true;
        row.has_offsets = channels == 4 && !row.is_cube();
        add(table, row);
      }
  for (const Format* format : {&FORMATS[1], &FORMATS[4], &FORMATS[6]})
    for (Read read : {Read::COORDINATE, Read::GATHER, Read::BASE}) {
      Case row;
      row.read = read;
      row.format = format;
      row.channels = 1;
      row.addressing = CU_TR_ADDRESS_MODE_BORDER;
      row.compares = true;
      add(table, row);
    }
}

void add_halves(std::vector<Case>& table) {
  for (Halves halves : {Halves::SINGLE, Halves::PAIRS})
    for (const Format* format : {FLOAT, &FORMATS[6], &FORMATS[0]})
      for (Read read : {Read::COORDINATE, Read::WHOLE, Read::LEVEL, Read::GRADIENT, Read::BASE}) {
        Case row;
        row.read = read;
        row.format = format;
        row.filter = read == Read::WHOLE ? CU_TR_FILTER_MODE_POINT : CU_TR_FILTER_MODE_LINEAR;
        row.halves = halves;
        add(table, row);
      }
}

// Gradients of one direction or of simple pairs, on the faces of a cube.
void add_face_gradients(std::vector<Case>& table) {
  for (Places places : {Places::CENTERS, Places::RANDOM})
    for (Gradients gradients : {Gradients::ONE, Gradients::BOTH_ALONG_X, Gradients::SLOPED,
                                Gradients::ACROSS, Gradients::TURNED, Gradients::LONG}) {
      Case row;
      row.geometry = Geometry::CUBE;
      row.read = Read::GRADIENT;
      row.format = FLOAT;
      row.channels = 1;
      row.levels = 8;
      row.most_level = 20;
      row.filter = row.level_filter = CU_TR_FILTER_MODE_LINEAR;
      row.flags = CU_TRSF_NORMALIZED_COORDINATES;
      row.content = Content::LEVELS;
      row.places = places;
      row.gradients = gradients;
      add(table, row);
    }
}

// Faces of cubes: their gathers, and the levels of gradients in space.
void add_faces(std::vector<Case>& table) {
  for (Geometry geometry : {Geometry::CUBE, Geometry::CUBES}) {
    for (unsigned component = 0; component < 4; ++component) {
      Case row;
      row.geometry = geometry;
      row.read = Read::GATHER;
      row.format = FLOAT;
      row.component = component;
      row.flags = CU_TRSF_NORMALIZED_COORDINATES;
      row.compares = component == 3;
      add(table, row);
    }
    for (Content content : {Content::RANDOM, Content::LEVELS})
      for (Gradients gradients : {Gradients::SHORT, Gradients::RANDOM}) {
        Case row;
        row.geometry = geometry;
        row.read = Read::GRADIENT;
        row.format = FLOAT;
        row.levels = 4;
        row.most_level = 3;
        row.channels = content == Content::LEVELS ? 1 : 4;
        row.filter = row.level_filter = CU_TR_FILTER_MODE_LINEAR;
        row.flags = CU_TRSF_NORMALIZED_COORDINATES;
        row.content = content;
        row.gradients = gradients;
        add(table, row);
      }
  }
}

// The groups of queries, and the one that also compares the kinds of variables with the handle.
constexpr unsigned QUERY_GROUPS = 5, KIND_QUERIES = 4;

Case query(Geometry geometry, unsigned group) {
  Case row;
  row.geometry = geometry;
  row.read = Read::QUERY;
  row.format = FLOAT;
  row.component = group;
  return row;
}

// Sizes of objects and of their levels. A handle is not the address of a variable. Drivers run no
// other queries; test_texture_queries.cpp has those.
void add_queries(std::vector<Case>& table) {
  for (unsigned group = 0; group < QUERY_GROUPS; ++group)
    for (unsigned shape = 0; shape <= unsigned(Geometry::PITCHED); ++shape)
      for (unsigned levels : {3u, 1u}) {
        Case row = query(Geometry(shape), group);
        const bool is_array = row.geometry < Geometry::BUFFER;
        row.levels = is_array ? levels : 1;
        row.most_level = 2;
        if (is_array) row.flags = CU_TRSF_NORMALIZED_COORDINATES;
        if (group == KIND_QUERIES) row.addressing = CU_TR_ADDRESS_MODE_WRAP;
        if (group != KIND_QUERIES || row.levels == 3 || !is_array) add(table, row);
      }
  for (unsigned mode = 0; mode < 4; ++mode) {
    Case row = query(Geometry::PLANE, KIND_QUERIES);
    row.addressing = CUaddress_mode(mode);
    row.filter = mode % 2 ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    add(table, row);
  }
  for (unsigned shape = 0; shape < unsigned(Geometry::BUFFER); ++shape) {
    Case row;
    row.geometry = Geometry(shape);
    row.read = Read::SURFACE_QUERY;
    row.format = FLOAT;
    add(table, row);
  }
  // Sizes count texels of all formats.
  for (Read read : {Read::QUERY, Read::SURFACE_QUERY})
    for (const Format& format : FORMATS)
      for (unsigned channels : {1u, 2u, 4u}) {
        Case row;
        row.read = read;
        row.format = &format;
        row.channels = channels;
        row.component = read == Read::QUERY ? 3 : 0;
        add(table, row);
      }
}

// Formatted stores of words to each format, and reductions of texels of one word.
void add_surfaces(std::vector<Case>& table) {
  for (const Format& format : FORMATS) {
    Case row;
    row.format = &format;
    row.width = row.height = 16;
    row.read = Read::STORE;
    for (unsigned channels : {1u, 2u, 4u}) {
      row.channels = channels;
      add(table, row);
    }
    row.read = Read::REDUCE;
    row.channels = 1;
    for (unsigned operation = 0; operation < std::size(REDUCTIONS); ++operation) {
      row.component = operation;
      if (format.is_integer && format.bytes == 4) add(table, row);
    }
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

// Exponents from one end of the format to the other one; integers near the ends and near 0.
uint32_t wide_value(Random& random, const Format& format) {
  const auto bits = uint32_t(random());
  const unsigned width = 8 * format.bytes;
  if (format.is_integer) {
    const uint32_t ends[] = {0, 1u << (width - 1), (1u << (width - 1)) - 1, (1u << (width - 1)) + 1,
                             ~0u};
    return ends[bits % 5] + (bits >> 8) % 2;
  }
  if (format.bytes == 2) return bits % 8 == 0 ? bits & 0x83ff : bits & 0xfbff;
  if (bits % 16 == 0) return bits & 0x807fffff;
  return (bits & 0x807fffff) | (100 + uint32_t(random() % 50)) << 23;
}

uint32_t content_of(Random& random, const Case& row, unsigned level, size_t number) {
  switch (row.content) {
    case Content::ORDER:
      return uint32_t(number / (row.channels == 4 ? 4 : 1));
    case Content::LEVELS:
      return std::bit_cast<uint32_t>(float(level));
    case Content::WIDE:
      return wide_value(random, *row.format);
    default:
      return texel_value(random, *row.format);
  }
}

// Words next to the ends of each format, and others.
uint32_t stored_word(Random& random) {
  const auto word = uint32_t(random());
  const unsigned shift = uint32_t(random() % 32);
  return random() % 2 ? word >> shift : uint32_t{0} - (word >> shift);
}

// Numbers at the ends of the range, and NaN.
float special_place(Random& random) {
  static constexpr uint32_t ENDS[] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                      0xffffffff, 0x00000001, 0x80000001, 0x3f7fffff, 0x3f800000,
                                      0xbf800000, 0x4b000001, 0x4f000000, 0xcf000000, 0x5f000000,
                                      0x7f7fffff, 0xff7fffff, 0x3effffff, 0x3f000000, 0x33800000,
                                      0xb3800000, 0x34000000, 0xb4000000, 0x47000001};
  return std::bit_cast<float>(ENDS[random() % 24]);
}

// A pair of gradients, in texels of level 0. `number` is that of the thread.
void set_gradients(Random& random, const Case& row, unsigned number, Operands& o) {
  const float fine = std::exp2(float(number) / 64), steps = float(1 + number / 16),
              part = float(number % 16) / 15;
  std::array<float, 3> dx{}, dy{};
  switch (row.gradients) {
    case Gradients::ONE:
      dx[0] = fine;
      break;
    case Gradients::BOTH_ALONG_X:
      dx[0] = steps, dy[0] = steps * part;
      break;
    case Gradients::SLOPED:
      dx[0] = steps, dx[1] = steps * part;
      break;
    case Gradients::ACROSS:
      dx[0] = steps, dy[1] = steps * part;
      break;
    case Gradients::TURNED:
      dx[0] = std::cos(float(number) / 80) * 8, dx[1] = std::sin(float(number) / 80) * 8;
      dy[0] = -dx[1] * 0.5f, dy[1] = dx[0] * 0.5f;
      break;
    default:
      for (unsigned axis = 0; axis < 3; ++axis) {
        dx[axis] = between(random, -8, 8);
        dy[axis] = between(random, -8, 8);
        if (row.gradients == Gradients::LONG) dx[axis] *= std::exp2(float(int(number % 32) - 20));
      }
  }
  for (unsigned axis = 0; axis < row.axes(); ++axis) {
    o.dx[axis] = dx[axis] / float(row.extent(axis, 0));
    o.dy[axis] = dy[axis] / float(row.extent(axis, 0));
  }
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

// A group of queries. `suq` also has textures. A level behind the last one has no size.
std::string queries(const Case& row) {
  static constexpr const char* GROUPS[QUERY_GROUPS][4] = {
      {"txq.width", "txq.height", "txq.depth", "txq.level.width 2"},
      {"txq.level.width 1", "txq.level.height 1", "txq.level.depth 1", "txq.level.height 2"},
      {"txq.level.width 3", "txq.level.height 3", "txq.level.depth 3", "txq.level.depth 2"},
      {"suq.width", "suq.height", "suq.depth", "txq.level.width 0"},
      {"istypep.texref", "istypep.surfref", "istypep.samplerref", "txq.level.depth 1"}};
  static constexpr const char* OF_SURFACE[4] = {"suq.width", "suq.height", "suq.depth",
                                                "istypep.surfref"};
  const auto& names = row.read == Read::QUERY ? GROUPS[row.component] : OF_SURFACE;
  std::string text;
  for (unsigned k = 0; k < 4; ++k) {
    const std::string name = names[k], to = " %d" + std::to_string(k);
    const size_t level = name.find(' ');
    if (name.starts_with("istypep"))
      text += name + " %p, %object; selp.u32" + to + ", 1, 0, %p; ";
    else
      text += name.substr(0, level) + ".b32" + to + ", [%object]" +
              (level == std::string::npos ? "" : ", " + name.substr(level + 1)) + "; ";
  }
  return text + "\n";
}

std::string vector_text(const char* stem, unsigned count, unsigned first) {
  std::string text = "{";
  for (unsigned k = 0; k < count; ++k) text += (k ? ", " : "") + (stem + std::to_string(first + k));
  return text + "}";
}

// Changes the texel of the thread, and loads its bits.
std::string surface_access(const Case& row) {
  const std::string bytes = std::to_string(row.format->bytes * row.channels);
  const std::string vector = row.channels > 1 ? ".v" + std::to_string(row.channels) : "";
  const bool is_narrow = row.format->bytes < 4;
  std::string text =
      "mov.u32 %d0, 0; mov.u32 %d1, 0; mov.u32 %d2, 0; mov.u32 %d3, 0; and.b32 %o0, "
      "%i0, 15; shr.u32 %o1, %i0, 4; mul.lo.u32 %o2, %o0, " +
      bytes + "; ";
  if (row.read == Read::STORE)
    text += "sust.p.2d" + vector + ".b32.trap [%object, {%o0, %o1}], " +
            vector_text("%r", row.channels, 5) + "; ";
  else
    text += std::string("sured.p.") + REDUCTIONS[row.component] +
            ".2d.b32.trap [%object, {%o0, %o1}], %r5; ";
  text += "suld.b.2d" + vector + ".b" + std::to_string(8 * row.format->bytes) + ".trap " +
          vector_text(is_narrow ? "%h" : "%d", row.channels, 0) + ", [%object, {%o2, %o1}]; ";
  for (unsigned k = 0; k < row.channels && is_narrow; ++k)
    text += "cvt.u32.u16 %d" + std::to_string(k) + ", %h" + std::to_string(k) + "; ";
  return text + "\n";
}

std::string instruction(const Case& row) {
  if (row.is_query()) return queries(row);
  if (row.is_surface()) return surface_access(row);
  static constexpr const char* NAMES[] = {"tex",      "tex",  "tex.level",
                                          "tex.grad", "tld4", "tex.base"};
  static constexpr const char* COMPONENTS[] = {".r", ".g", ".b", ".a"};
  std::string text = NAMES[size_t(row.read)];
  if (row.read == Read::GATHER) text += COMPONENTS[row.component];
  static constexpr const char* RESULTS[] = {".v4.u32", ".v4.f16", ".v2.f16x2"};
  static constexpr const char* REGISTERS[] = {" {%d0, %d1, %d2, %d3}", " {%h0, %h1, %h2, %h3}",
                                              " {%d0, %d1}"};
  const auto kind = size_t(row.halves);
  text += std::string(".") + GEOMETRIES[size_t(row.geometry)] + RESULTS[kind] +
          (row.read == Read::WHOLE ? ".s32" : ".f32") + REGISTERS[kind] + ", [%object, " +
          places(row) + "]";
  if (row.read == Read::LEVEL) text += ", %f4";
  const unsigned numbers = row.is_cube() ? 3 : row.axes();
  if (row.read == Read::GRADIENT)
    text += ", " + vector_of({"%f5", "%f6", "%f7"}, numbers) + ", " +
            vector_of({"%f8", "%f9", "%f10"}, numbers);
  if (row.has_offsets) text += ", " + vector_of({"%o0", "%o1", "%o2"}, row.axes());
  if (row.compares) text += ", %f5";
  return text + ";\n";
}

// Moves halves to the words of the result.
std::string widened(const Case& row) {
  if (row.halves == Halves::PAIRS) return " mov.u32 %d2, 0; mov.u32 %d3, 0;\n";
  if (row.halves == Halves::NONE) return "";
  std::string text;
  for (const char* n : {"0", "1", "2", "3"})
    text += std::string(" cvt.u32.u16 %d") + n + ", %h" + n + ";";
  return text + "\n";
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
  add_borders(table);
  add_contents(table);
  add_more_levels(table);
  add_gradients(table);
  add_offsets(table);
  add_depths(table);
  add_halves(table);
  add_faces(table);
  add_face_gradients(table);
  add_queries(table);
  add_surfaces(table);
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
      const uint32_t value = content_of(random, row, level, i);
      for (unsigned b = 0; b < row.format->bytes; ++b) bytes.push_back(uint8_t(value >> 8 * b));
    }
  }
  return texels;
}

// Gives the parts of the gradients other axes, so that each face and each axis has some. The
// largest number of a center is 1, 2 or 1/2.
void turn_to_face(const Case& row, unsigned number, Operands& o) {
  const unsigned first = number % 3;
  const std::array<float, 3> dx = o.dx, dy = o.dy;
  for (unsigned axis = 0; axis < 3; ++axis) {
    o.dx[(first + 1 + axis) % 3] = axis < 2 ? 2 * dx[axis] : 0;
    o.dy[(first + 1 + axis) % 3] = axis < 2 ? 2 * dy[axis] : 0;
  }
  if (row.places != Places::CENTERS) return;
  constexpr float LARGEST[] = {1, -1, 2, -0.5f};
  o.at = {0, 0, 0};
  o.at[first] = LARGEST[number / 3 % 4];
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
    const auto number = unsigned(&o - all.data());
    if (row.gradients != Gradients::SHORT) set_gradients(random, row, number, o);
    if (row.places == Places::ORDER)
      o.at = {float(number % row.width) + 0.5f, float(number / row.width) + 0.5f, 0};
    if (row.places == Places::SPECIAL)
      for (unsigned axis = 0; axis < row.axes(); ++axis) o.at[axis] = special_place(random);
    if (row.is_cube() && row.levels > 4) turn_to_face(row, number, o);
    if (row.has_offsets) o.offsets = uint32_t(random());
    if (row.compares) o.dx[0] = between(random, -4, 4);
    if (row.is_surface())
      for (float* word : {&o.dx[0], &o.dx[1], &o.dx[2], &o.dy[0]})
        *word = row.format->is_integer
                    ? std::bit_cast<float>(stored_word(random))
                    : between(random, -9, 9) * std::exp2(float(random() % 40) - 20);
    if (row.is_cube() && row.read == Read::GRADIENT && row.levels <= 4) {
      o.dx[2] = between(random, -0.5f, 0.5f);
      o.dy[2] = between(random, -0.5f, 0.5f);
    }
  }
  return all;
}

std::string module_text(const Case& row, unsigned target) {
  std::string text = ".version 7.8\n.target sm_" + std::to_string(target) +
                     "\n.address_size 64\n.visible .entry k(.param .u64 in_, .param .u64 out_, "
                     ".param .u64 scratch_)\n{\n .reg .b32 %r<12>, %d<4>, %i<2>, %o<3>; .reg .f32 "
                     "%f<12>; .reg .b16 %h<4>; .reg .pred %p; "
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
  if (row.has_offsets)
    text +=
        " ld.global.b32 %r11, [%in+52]; bfe.s32 %o0, %r11, 0, 4; bfe.s32 %o1, %r11, 4, 4; "
        "bfe.s32 %o2, %r11, 8, 4;\n";
  return text + " " + instruction(row) + widened(row) +
         " st.global.v4.b32 [%out], {%d0, %d1, %d2, %d3};\n ret;\n}\n";
}

}  // namespace cucore::cpu::textures
