// SPDX-License-Identifier: Apache-2.0
// One row of the table of texture reads: an array, a sampler, an instruction and its operands.
#pragma once

#include <cuda.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace cucore::cpu::textures {

enum class Geometry : uint8_t { LINE, PLANE, SPACE, LINES, PLANES, CUBE, CUBES, BUFFER, PITCHED };
enum class Read : uint8_t {
  COORDINATE,
  WHOLE,
  LEVEL,
  GRADIENT,
  GATHER,
  BASE,
  QUERY,
  SURFACE_QUERY,
  STORE,
  REDUCE
};
// Results of words, of halves, and of pairs of halves.
enum class Halves : uint8_t { NONE, SINGLE, PAIRS };
// ORDER is the number of a channel from the first one on, and LEVELS that of the level. WIDE has
// all exponents, and the largest and smallest integers.
enum class Content : uint8_t { RANDOM, ORDER, LEVELS, WIDE };
// CENTERS are those of the faces of a cube; the first two parts of a gradient are along the face.
enum class Places : uint8_t { RANDOM, ORDER, SPECIAL, CENTERS };
// How the two gradients of a read lie: along one axis, as pairs of two, or anyhow.
enum class Gradients : uint8_t { RANDOM, SHORT, ONE, BOTH_ALONG_X, SLOPED, ACROSS, TURNED, LONG };

struct Format {
  const char* name;
  CUarray_format format;
  unsigned bytes;
  bool is_integer, is_signed;
};

struct Case {
  std::string name;
  Geometry geometry = Geometry::PLANE;
  Read read = Read::COORDINATE;
  const Format* format = nullptr;
  unsigned channels = 4;
  unsigned width = 13, height = 7, depth = 5;  // depth: layers or cubes of layered shapes
  unsigned levels = 1;
  CUaddress_mode addressing = CU_TR_ADDRESS_MODE_CLAMP;
  CUfilter_mode filter = CU_TR_FILTER_MODE_POINT, level_filter = CU_TR_FILTER_MODE_POINT;
  unsigned flags = 0;
  // The component of a gather, the number of a group of queries, or the operation of a reduction.
  unsigned component = 0;
  Content content = Content::RANDOM;
  Places places = Places::RANDOM;
  Gradients gradients = Gradients::SHORT;
  float bias = 0, least_level = 0, most_level = 0;
  bool has_offsets = false;
  bool compares = false;  // with a depth
  Halves halves = Halves::NONE;

  unsigned axes() const;
  bool is_layered() const;
  // Returns true for instructions on surfaces. In accesses, thread t has the texel t.
  bool is_surface() const { return read >= Read::SURFACE_QUERY; }
  bool is_query() const { return read == Read::QUERY || read == Read::SURFACE_QUERY; }
  bool is_cube() const { return geometry == Geometry::CUBE || geometry == Geometry::CUBES; }
  bool is_normalized() const { return flags & CU_TRSF_NORMALIZED_COORDINATES; }
  // Returns true for results that are integers.
  bool yields_integers() const;
  // Returns the texels of a level along an axis; axis 2 counts planes, faces and layers.
  unsigned extent(unsigned axis, unsigned level) const;
};

inline constexpr const char* REDUCTIONS[] = {"add", "min", "max", "and", "or"};
inline constexpr float BORDER[4] = {0.25f, -2, 3.5f, 7};

// The operands of a thread, as words of the kernel.
struct Operands {
  uint32_t layer = 0;
  std::array<float, 3> at{};  // or whole numbers as bits
  float level = 0;
  std::array<float, 3> dx{}, dy{};  // a depth is in the first number of dx
  uint32_t offsets = 0;             // four bits per axis

  float depth() const { return dx[0]; }
  // The words that an instruction stores.
  uint32_t word(unsigned channel) const {
    return std::bit_cast<uint32_t>(channel < 3 ? dx[channel] : dy[0]);
  }
  int offset(unsigned axis) const { return int32_t(offsets << (28 - 4 * axis)) >> 28; }
};
static_assert(sizeof(Operands) == 48);

using Result = std::array<uint32_t, 4>;
// Texels of all levels: channels of a texel follow each other, then x, y and planes.
using Texels = std::vector<std::vector<uint8_t>>;

std::vector<Case> make_table();
Texels texels_of(const Case& row);
std::vector<Operands> operands_of(const Case& row);
std::string module_text(const Case& row, unsigned target);

// model.cpp: what CUDA documents for the read of a thread.
Result expected(const Case& row, const Texels& texels, const Operands& operands, size_t thread);

}  // namespace cucore::cpu::textures
