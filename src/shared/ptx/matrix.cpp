// SPDX-License-Identifier: Apache-2.0
// Decodes and checks the names of matrix instructions.
#include "ptx/matrix.hpp"

#include <algorithm>
#include <array>

#include "ptx/ast.hpp"

namespace cucore::ptx {
namespace {

enum class Family : uint8_t { NONE, MMA, MMA_SP, WMMA, WGMMA, WGMMA_SP };

enum class Kind : uint8_t { NONE, BITS, INT4, INT8, FP8, F16, BF16, TF32, F64 };

struct ElementRow {
  std::string_view name;
  Element element;
  uint8_t bits;
  Kind kind;  // as element of A and B
};

constexpr ElementRow ELEMENTS[] = {{"", Element::none, 0, Kind::NONE},
                                   {"b1", Element::b1, 1, Kind::BITS},
                                   {"s4", Element::s4, 4, Kind::INT4},
                                   {"u4", Element::u4, 4, Kind::INT4},
                                   {"s8", Element::s8, 8, Kind::INT8},
                                   {"u8", Element::u8, 8, Kind::INT8},
                                   {"b8", Element::b8, 8, Kind::NONE},
                                   {"e4m3", Element::e4m3, 8, Kind::FP8},
                                   {"e5m2", Element::e5m2, 8, Kind::FP8},
                                   {"b16", Element::b16, 16, Kind::NONE},
                                   {"b8x16", Element::b8x16, 8, Kind::NONE},
                                   {"b6x16_p32", Element::b6x16_p32, 6, Kind::NONE},
                                   {"b4x16_p64", Element::b4x16_p64, 4, Kind::NONE},
                                   {"f16", Element::f16, 16, Kind::F16},
                                   {"bf16", Element::bf16, 16, Kind::BF16},
                                   {"tf32", Element::tf32, 32, Kind::TF32},
                                   {"f32", Element::f32, 32, Kind::NONE},
                                   {"s32", Element::s32, 32, Kind::NONE},
                                   {"f64", Element::f64, 64, Kind::F64}};

const ElementRow& row_of(Element element) { return ELEMENTS[static_cast<size_t>(element)]; }

struct Shape {
  Family family;
  uint16_t m, n, k;
  Kind kind;
};

constexpr Shape SHAPES[] = {
#define PTX_SHAPE(family, m, n, k, kind) {Family::family, m, n, k, Kind::kind},
#include "ptx/matrix_shapes.inc"
#undef PTX_SHAPE
};

Family family_of(Opcode op) {
  switch (op) {
    case Opcode::mma:
      return Family::MMA;
    case Opcode::mma_sp:
    case Opcode::mma_sp_ordered:
      return Family::MMA_SP;
    case Opcode::wmma_load_a:
    case Opcode::wmma_load_b:
    case Opcode::wmma_load_c:
    case Opcode::wmma_store_d:
    case Opcode::wmma_mma:
      return Family::WMMA;
    case Opcode::wgmma_mma_async:
      return Family::WGMMA;
    case Opcode::wgmma_mma_async_sp:
      return Family::WGMMA_SP;
    default:
      return Family::NONE;
  }
}

bool is_wgmma(Family family) { return family == Family::WGMMA || family == Family::WGMMA_SP; }

// The parts of a name in the order of the text.
struct Parts {
  std::array<Element, 4> elements{};
  size_t element_count = 0;
  std::array<bool, 2> columns{};
  size_t layout_count = 0;
  bool has_sync = false, has_shape = false, has_popc = false, has_bit_operation = false;
};

// Reads "m16n8k16" or "m8n8".
bool read_shape(std::string_view text, MatrixForm& matrix) {
  static constexpr char LETTERS[] = "mnk";
  uint16_t* const sizes[] = {&matrix.m, &matrix.n, &matrix.k};
  size_t next = 0;
  for (size_t at = 0; at < text.size(); ++next) {
    if (next == 3 || text[at++] != LETTERS[next]) return false;
    unsigned value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      value = std::min(value * 10 + static_cast<unsigned>(text[at] - '0'), 60000u);
    *sizes[next] = static_cast<uint16_t>(value);
  }
  return next >= 2;
}

bool read_count(std::string_view text, MatrixForm& matrix) {
  if (text != "x1" && text != "x2" && text != "x4") return false;
  matrix.count = static_cast<uint8_t>(text[1] - '0');
  return true;
}

bool read_space(std::string_view text, Form& form) {
  if (text == "global")
    form.space = Space::global;
  else if (text == "shared" || text == "shared::cta")
    form.space = Space::shared;
  else
    return false;
  return true;
}

bool read_rounding(std::string_view text, Form& form) {
  static constexpr std::string_view NAMES[] = {"rn", "rz", "rm", "rp"};
  for (size_t i = 0; i < std::size(NAMES); ++i) {
    if (text != NAMES[i]) continue;
    form.rounding = static_cast<Rounding>(static_cast<size_t>(Rounding::rn) + i);
    return true;
  }
  return false;
}

bool read_flag(std::string_view text, MatrixForm& matrix, Parts& parts) {
  if (text == "sync") return parts.has_sync = true;
  if (text == "aligned") return true;
  if (text == "trans") return matrix.transposes = true;
  if (text == "satfinite") return matrix.saturates = true;
  if (text == "popc") return parts.has_popc = true;
  if (text != "and" && text != "xor") return false;
  matrix.is_and = text == "and";
  return parts.has_bit_operation = true;
}

bool read_layout(std::string_view text, Parts& parts) {
  if ((text != "row" && text != "col") || parts.layout_count == 2) return false;
  parts.columns[parts.layout_count++] = text == "col";
  return true;
}

bool read_element(std::string_view text, Parts& parts) {
  for (const ElementRow& row : ELEMENTS) {
    if (row.name != text || parts.element_count == parts.elements.size()) continue;
    parts.elements[parts.element_count++] = row.element;
    return true;
  }
  return false;
}

bool read_part(std::string_view text, Form& form, Parts& parts) {
  if (text.empty()) return false;
  if (text[0] == 'm' && !parts.has_shape) return parts.has_shape = read_shape(text, form.matrix);
  return read_flag(text, form.matrix, parts) || read_layout(text, parts) ||
         read_element(text, parts) || read_count(text, form.matrix) || read_space(text, form) ||
         read_rounding(text, form);
}

bool read_parts(std::string_view text, Form& form, Parts& parts) {
  while (!text.empty()) {
    text.remove_prefix(1);  // the dot
    const size_t end = std::min(text.find('.'), text.size());
    if (!read_part(text.substr(0, end), form, parts)) return false;
    text.remove_prefix(end);
  }
  return parts.has_sync && parts.has_shape;
}

// Gives the elements of the name their places: D, A, B, C, or D and C of products of f16.
bool place_elements(Opcode op, MatrixForm& matrix, const Parts& parts) {
  const auto& all = parts.elements;
  const size_t count = parts.element_count;
  if (op == Opcode::wmma_mma && count == 2) {
    matrix.d = all[0];
    matrix.a = matrix.b = Element::f16;
    matrix.c = all[1];
    return true;
  }
  matrix.d = all[0];
  matrix.a = all[1];
  matrix.b = all[2];
  const bool is_async = is_wgmma(family_of(op));
  matrix.c = is_async ? all[0] : all[3];
  return count == (is_async ? 3u : 4u);
}

bool has_shape(Family family, const MatrixForm& matrix, Kind kind) {
  const bool wide = is_wgmma(family);
  if (wide && (matrix.n % 8 != 0 || matrix.n < 8 || matrix.n > 256)) return false;
  return std::ranges::any_of(SHAPES, [&](const Shape& shape) {
    return shape.family == family && shape.kind == kind && shape.m == matrix.m &&
           (wide || shape.n == matrix.n) && shape.k == matrix.k;
  });
}

// Integer products of wgmma have few widths between 32 and 256.
bool has_integer_width(const MatrixForm& matrix) {
  return matrix.n <= 24 || matrix.n == 32 || matrix.n % 16 == 0;
}

bool accumulates_well(Family family, Kind kind, const MatrixForm& matrix) {
  const Element d = matrix.d, c = matrix.c;
  switch (kind) {
    case Kind::F16:
      return (d == Element::f16 || d == Element::f32) && (c == Element::f16 || c == Element::f32);
    case Kind::FP8:
      return d == c && (d == Element::f32 || (d == Element::f16 && family != Family::MMA_SP));
    case Kind::BF16:
    case Kind::TF32:
      return d == Element::f32 && c == Element::f32;
    case Kind::F64:
      return d == Element::f64 && c == Element::f64;
    default:
      return d == Element::s32 && c == Element::s32;
  }
}

// Only mma.m8n8k4 of f16 and wmma have a choice of layouts. wgmma has none in its name.
bool has_layouts(Family family, const MatrixForm& matrix, const Parts& parts, Kind kind) {
  if (is_wgmma(family)) return parts.layout_count == 0;
  if (parts.layout_count != 2) return false;
  const bool is_fixed =
      family == Family::WMMA ? kind == Kind::INT4 || kind == Kind::BITS : !matrix.is_quad_pair();
  return !is_fixed || (!parts.columns[0] && parts.columns[1]);
}

bool multiplies_well(Opcode op, Form& form, const Parts& parts) {
  MatrixForm& matrix = form.matrix;
  const Family family = family_of(op);
  if (!place_elements(op, matrix, parts) || form.space != Space::generic) return false;
  matrix.a_columns = parts.columns[0];
  matrix.b_columns = parts.columns[1];
  matrix.is_sparse = family == Family::MMA_SP || family == Family::WGMMA_SP;
  matrix.is_ordered = op == Opcode::mma_sp_ordered;
  const Kind kind = row_of(matrix.a).kind;
  const bool is_bits = kind == Kind::BITS;
  const bool mixes = kind == Kind::INT8 || kind == Kind::INT4 || kind == Kind::FP8;
  if (kind == Kind::NONE || row_of(matrix.b).kind != kind) return false;
  if (!mixes && matrix.a != matrix.b) return false;
  if (is_bits != parts.has_popc || is_bits != parts.has_bit_operation) return false;
  const bool rounds = kind == Kind::F64 && (family == Family::WMMA || family == Family::MMA);
  if (form.rounding != Rounding::none && !rounds) return false;
  if (matrix.saturates && !is_integer(matrix.a)) return false;
  if (is_wgmma(family) && matrix.d == Element::s32 && !has_integer_width(matrix)) return false;
  if (is_wgmma(family) && is_bits && !matrix.is_and) return false;
  return has_shape(family, matrix, kind) && accumulates_well(family, kind, matrix) &&
         has_layouts(family, matrix, parts, kind);
}

bool has_accumulator(Kind kind, Element element) {
  MatrixForm matrix;
  matrix.d = matrix.c = element;
  return accumulates_well(Family::WMMA, kind, matrix);
}

// The element of an accumulator does not identify the product, so any product of the shape is
// sufficient.
bool loads_well(Opcode op, Form& form, const Parts& parts) {
  MatrixForm& matrix = form.matrix;
  if (parts.element_count != 1 || parts.layout_count != 1 || parts.has_popc) return false;
  const Element element = parts.elements[0];
  matrix.a_columns = parts.columns[0];
  matrix.a = matrix.b = matrix.c = matrix.d = element;
  const bool is_accumulator = op == Opcode::wmma_load_c || op == Opcode::wmma_store_d;
  for (const Shape& shape : SHAPES) {
    if (shape.family != Family::WMMA || shape.m != matrix.m || shape.n != matrix.n ||
        shape.k != matrix.k)
      continue;
    if (is_accumulator ? has_accumulator(shape.kind, element) : shape.kind == row_of(element).kind)
      return true;
  }
  return false;
}

// ldmatrix, stmatrix, movmatrix
bool moves_well(Opcode op, Form& form, const Parts& parts) {
  MatrixForm& matrix = form.matrix;
  const bool is_load = op == Opcode::ldmatrix;
  if (parts.layout_count != 0 || form.space == Space::global || matrix.k != 0) return false;
  matrix.d = parts.elements[0];
  matrix.a = parts.elements[parts.element_count == 2 ? 1 : 0];
  const bool is_square = matrix.m == 16 && matrix.n == 16 && matrix.transposes && matrix.count <= 2;
  if (parts.element_count == 2)
    return is_load && matrix.d == Element::b8x16 &&
           (matrix.a == Element::b6x16_p32 || matrix.a == Element::b4x16_p64) &&
           (is_square || (matrix.m == 8 && matrix.n == 16 && !matrix.transposes));
  if (parts.element_count != 1) return false;
  if (op == Opcode::movmatrix && (!matrix.transposes || matrix.count != 1)) return false;
  if (matrix.a == Element::b16) return matrix.m == 8 && matrix.n == 8;
  if (matrix.a != Element::b8) return false;
  return is_load ? is_square
                 : op == Opcode::stmatrix && matrix.m == 16 && matrix.n == 8 && matrix.transposes;
}

}  // namespace

unsigned bits_of(Element element) { return row_of(element).bits; }

bool is_integer(Element element) {
  const Kind kind = row_of(element).kind;
  return kind == Kind::INT4 || kind == Kind::INT8;
}

bool decode_matrix(Form& form, std::string_view text) {
  Parts parts;
  if (!read_parts(text, form, parts)) return false;
  switch (form.op) {
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::movmatrix:
      return moves_well(form.op, form, parts);
    case Opcode::wmma_load_a:
    case Opcode::wmma_load_b:
    case Opcode::wmma_load_c:
    case Opcode::wmma_store_d:
      return loads_well(form.op, form, parts);
    default:
      return multiplies_well(form.op, form, parts);
  }
}

unsigned registers_of(Opcode op, const MatrixForm& matrix, char letter) {
  const Family family = family_of(op);
  if (family == Family::NONE)  // ldmatrix, stmatrix and movmatrix
    return matrix.n == 16 && matrix.m == 16 ? 2u * matrix.count : matrix.count;
  const Element element = letter == 'a'   ? matrix.a
                          : letter == 'b' ? matrix.b
                          : letter == 'c' ? matrix.c
                                          : matrix.d;
  const bool is_factor = letter == 'a' || letter == 'b';
  // wmma has each element of f16 factors two or more times.
  if (is_factor && matrix.a == Element::f16 && family == Family::WMMA) return 8;
  const unsigned threads = is_wgmma(family) ? 128 : 32;
  const unsigned elements = letter == 'a'   ? matrix.m * matrix.stored_k()
                            : letter == 'b' ? matrix.n * unsigned{matrix.k}
                                            : matrix.m * unsigned{matrix.n};
  const unsigned tiles = matrix.is_quad_pair() ? 4 : 1;
  return tiles * elements * bits_of(element) / (threads * (element == Element::f64 ? 64 : 32));
}

}  // namespace cucore::ptx
