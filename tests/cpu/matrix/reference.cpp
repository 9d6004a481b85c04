// SPDX-License-Identifier: Apache-2.0
// Scalar products, elements and layouts.
#include "reference.hpp"

#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

#include "../ops/small_floats.hpp"

namespace cucore::cpu::matrix {
namespace {

using ops::SmallFormat;

constexpr int LOWEST = -400;

const Model* replacement = nullptr;

// The rows of sm_75 and sm_80 follow Fasi et al. (2021), "Numerical behavior of NVIDIA tensor
// cores". Those of sm_89 and sm_100 follow docs/cpu_device.md. The probes on an H200 confirm sm_90.
struct Architecture {
  unsigned sm;
  Model half, tf32, small;  // small: 8-bit floats in mma
  bool has_quads = false, small_in_halves = false;
};
constexpr Architecture ARCHITECTURES[] = {
    {75, {4, 24, 23}, {}, {}, true},
    {80, {8, 24, 23}, {4, 24, 23}, {}},
    {89, {8, 24, 23}, {4, 24, 23}, {16, 13, 13}},
    {90, {16, 25, 23}, {8, 25, 23}, {16, 25, 23}, false, true},
    {100, {16, 25, 23}, {8, 25, 23}, {32, 25, 23}}};
const Architecture* architecture = ARCHITECTURES + 3;

bool is_small(Element element) { return element == Element::e4m3 || element == Element::e5m2; }

struct Format {
  int exponent_bits, fraction_bits;
};

Format format_of(Element element) {
  switch (element) {
    case Element::f16:
      return {5, 10};
    case Element::bf16:
      return {8, 7};
    case Element::e4m3:
      return {4, 3};
    case Element::e5m2:
      return {5, 2};
    default:
      return {8, 23};  // f32, and tf32 in a register
  }
}

double value_of(Element element, uint64_t raw) {
  const uint32_t bits = static_cast<uint32_t>(raw);
  switch (element) {
    case Element::f16:
      return ops::HALF.value(bits);
    case Element::bf16:
      return ops::BRAIN.value(bits);
    case Element::e4m3:
      return ops::E4_M3.value(bits);
    case Element::e5m2:
      return ops::E5_M2.value(bits);
    case Element::tf32:
      return double{std::bit_cast<float>(bits & 0xFFFFE000)};
    default:
      return double{std::bit_cast<float>(bits)};
  }
}

// The exponent of a value in its format: subnormal numbers have the least.
int exponent_of(Element element, double value) {
  if (value == 0 || !std::isfinite(value)) return value == 0 ? -5000 : 0;
  const int least = 2 - (1 << (format_of(element).exponent_bits - 1));
  return std::max(std::ilogb(value), least);
}

double cut(double value, unsigned bits) {
  if (value == 0 || !std::isfinite(value)) return value;
  if (std::fabs(value) >= 0x1p128) return std::copysign(INFINITY, value);
  const int quantum = std::max(std::ilogb(value), -126) - int(bits);
  return std::ldexp(std::trunc(std::ldexp(value, -quantum)), quantum);
}

struct Term {
  double value;
  int exponent;
};

double block_sum(const std::vector<Term>& terms, const Model& model) {
  int top = LOWEST;
  bool finite = true;
  double plain = 0;
  for (const Term& term : terms) {
    finite &= std::isfinite(term.value);
    plain += term.value;
    top = std::max(top, term.exponent);
  }
  if (!finite) return plain;
  const int quantum = top - int(model.fraction_bits);
  double sum = 0;
  for (const Term& term : terms) sum += std::trunc(std::ldexp(term.value, -quantum));
  return std::ldexp(sum, quantum);
}

uint64_t result_of(Element d, double value) {
  if (d == Element::f16) return ops::HALF.round(value, FE_TONEAREST);
  if (value != value) return 0x7FFFFFFF;
  return std::bit_cast<uint32_t>(static_cast<float>(value));
}

double rounded(Element d, double value, const Model& model) {
  if (value != value) return value;
  if (d == Element::f16) return ops::HALF.value(ops::HALF.round(value, FE_TONEAREST));
  return cut(value, model.result_bits);
}

uint64_t real_element(const Product& p, const uint64_t* a, const Raw& b, const unsigned* rows,
                      unsigned column, uint64_t c) {
  Element of_sum = p.c;
  double sum = value_of(p.c, c);
  for (unsigned first = 0; first < p.k; first += p.model.block) {
    std::vector<Term> terms = {{sum, exponent_of(of_sum, sum)}};
    for (unsigned i = first; i < std::min(p.k, first + p.model.block); ++i) {
      const double x = value_of(p.a, a[i]) * (p.negates ? -1 : 1);
      const double y = value_of(p.b, b[rows[i] * p.n + column]);
      terms.push_back({x * y, exponent_of(p.a, x) + exponent_of(p.b, y)});
    }
    sum = rounded(p.d, block_sum(terms, p.model), p.model);
    of_sum = p.d;
  }
  return result_of(p.d, sum);
}

uint64_t fused_element(const Product& p, const uint64_t* a, const Raw& b, unsigned column,
                       uint64_t c) {
  float sum = 0;
  for (unsigned i = 0; i < p.k; ++i) {
    const float x = float(value_of(p.a, a[i])), y = float(value_of(p.b, b[i * p.n + column]));
    sum = i == 0 ? x * y : std::fma(x, y, sum);
  }
  return result_of(p.d, double{sum + float(value_of(p.c, c))});
}

// The first product has the elements 0, 1, 4, 5, 8 ... of k, the second one the others. All are
// normal numbers of f16.
uint64_t halved_element(const Product& p, const uint64_t* a, const Raw& b, const unsigned* rows,
                        unsigned column, uint64_t c) {
  double sum = 0;
  for (unsigned half = 0; half < 2; ++half) {
    std::vector<Term> terms = {{sum, exponent_of(p.d, sum)}};
    for (unsigned i = 0; i < p.k; ++i) {
      if (i / 2 % 2 != half) continue;
      const double x = value_of(p.a, a[i]), y = value_of(p.b, b[rows[i] * p.n + column]);
      terms.push_back({x * y, exponent_of(Element::f16, x) + exponent_of(Element::f16, y)});
    }
    sum = rounded(p.d, block_sum(terms, p.model), p.model);
  }
  const double with_c = sum + value_of(p.c, c);
  return result_of(p.d, p.d == Element::f16 ? with_c : double{float(with_c)});
}

uint64_t float_element(const Product& p, const uint64_t* a, const Raw& b, const unsigned* rows,
                       unsigned column, uint64_t c) {
  switch (p.method) {
    case Method::FUSED:
      return fused_element(p, a, b, column, c);
    case Method::HALVES:
      return halved_element(p, a, b, rows, column, c);
    default:
      return real_element(p, a, b, rows, column, c);
  }
}

int64_t integer_of(Element element, uint64_t raw) {
  if (element == Element::s8) return static_cast<int8_t>(raw);
  if (element == Element::s4) return static_cast<int64_t>(raw & 15) - (raw & 8 ? 16 : 0);
  return static_cast<int64_t>(raw);
}

uint64_t exact_element(const Product& p, const uint64_t* a, const Raw& b, const unsigned* rows,
                       unsigned column, uint64_t c) {
  int64_t sum = static_cast<int32_t>(c);
  for (unsigned i = 0; i < p.k; ++i) {
    const int64_t x = integer_of(p.a, a[i]), y = integer_of(p.b, b[rows[i] * p.n + column]);
    sum += p.a == Element::b1 && !p.is_and ? x ^ y : x * y;
  }
  if (p.saturates) sum = std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX);
  return static_cast<uint32_t>(sum);
}

uint64_t double_element(const Product& p, const uint64_t* a, const Raw& b, unsigned column,
                        uint64_t c) {
  double sum = std::bit_cast<double>(c);
  for (unsigned i = 0; i < p.k; ++i)
    sum = std::fma(std::bit_cast<double>(a[i]), std::bit_cast<double>(b[i * p.n + column]), sum);
  return std::bit_cast<uint64_t>(sum);
}

uint64_t infinity_of(const Format& format) {
  return ((uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits;
}

// Finite floats of the format with exponents in a range around 1.
uint64_t random_float(Random& random, const Format& format, int below, int above, int drop) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const uint64_t fraction =
      random() & ((uint64_t{1} << format.fraction_bits) - 1) & ~((1ull << drop) - 1);
  const uint64_t exponent =
      static_cast<uint64_t>(bias - below) + random() % uint64_t(below + above + 1);
  return ((random() & 1) << format.exponent_bits | exponent) << format.fraction_bits | fraction;
}

// Neighbouring elements of a row of a sparse A that share a code of 4 bits.
unsigned group_of(Element element) {
  const unsigned bits = ptx::bits_of(element);
  return bits == 32 ? 2 : bits == 4 ? 8 : 4;
}

// The lane and the lowest bit of a code. The selector chooses the lanes among four.
struct CodePlace {
  unsigned lane, shift;
};
CodePlace place_of_code(Element element, unsigned k, unsigned selector, unsigned row,
                        unsigned group) {
  const bool wide = ptx::bits_of(element) >= 16;
  const unsigned bit = 4 * group, lanes = k / group_of(element) * 4 / 16;
  const unsigned member = wide ? bit / 16 : bit / 32 * 2 + row / 8;
  return {row % 8 * 4 + selector * lanes + member, wide ? bit % 16 + row / 8 * 16 : bit % 32};
}

uint64_t random_double(Random& random, Fill fill) {
  const uint64_t range = fill == Fill::PLAIN ? 3 : 60;
  return (random() & 0x800FFFFFFFFFFFFF) | (1023 - range / 2 + random() % range) << 52;
}

}  // namespace

const char* name_of(Fill fill) {
  static constexpr const char* NAMES[] = {"plain", "spread", "cancel", "special", "infinite"};
  return NAMES[static_cast<size_t>(fill)];
}

const char* name_of(Element element) {
  static constexpr const char* NAMES[] = {
      "",      "b1",        "s4",        "u4",  "s8",   "u8",   "b8",  "e4m3", "e5m2", "b16",
      "b8x16", "b6x16_p32", "b4x16_p64", "f16", "bf16", "tf32", "f32", "s32",  "f64"};
  static_assert(std::size(NAMES) == static_cast<size_t>(Element::f64) + 1);
  return NAMES[static_cast<size_t>(element)];
}

bool is_exact(Element element) { return ptx::is_integer(element) || element == Element::b1; }

uint64_t random_element(Random& random, Element element, Fill fill) {
  const unsigned bits = ptx::bits_of(element);
  if (element == Element::f64) return random_double(random, fill);
  if (is_exact(element)) return random() & ((uint64_t{1} << bits) - 1);
  // Special sums are near a limit, at every distance up to 2^16.
  if (element == Element::s32 && fill == Fill::SPECIAL) {
    const uint64_t raw = random();
    return (raw & 0xFFFF) >> (raw >> 16 & 15) ^ (raw >> 63 ? INT32_MAX : 0x80000000);
  }
  if (element == Element::s32) return random() & UINT32_MAX;
  const Format format = format_of(element);
  const int drop = element == Element::tf32 ? 13 : 0;
  const int reach = (1 << (format.exponent_bits - 1)) - 2;
  if (fill == Fill::PLAIN) return random_float(random, format, 3, 3, drop);
  // Few different fractions and signs, so that sums cancel.
  if (fill == Fill::CANCEL) {
    const int keep = std::max(drop, format.fraction_bits - 1);
    return random_float(random, format, std::min(reach, 14), 1, keep);
  }
  uint64_t raw = random() & ((uint64_t{1} << bits) - 1) & ~((uint64_t{1} << drop) - 1);
  if (fill == Fill::SPECIAL && random() % 8 == 0) return raw;
  // e4m3 has no infinity.
  if (fill == Fill::INFINITE && random() % 256 == 0 && element != Element::e4m3)
    return raw >> (bits - 1) << (bits - 1) | infinity_of(format);
  if (random() % 8 == 0)  // subnormal
    return raw & ~infinity_of(format);
  const int wide = std::min(reach, 40);
  return random_float(random, format, wide, wide - (element == Element::e4m3), drop);
}

void use_architecture(unsigned sm) {
  for (const Architecture& row : ARCHITECTURES)
    if (row.sm <= sm) architecture = &row;
}

Model model_of(Element element, bool is_async) {
  if (element == Element::tf32) return architecture->tf32;
  if (!is_small(element)) return architecture->half;
  return is_async ? Model{32, 13, 13} : architecture->small;
}

Method method_of(Element element) {
  return is_small(element) && architecture->small_in_halves ? Method::HALVES : Method::UNIT;
}

Method quad_method() { return architecture->has_quads ? Method::UNIT : Method::FUSED; }

unsigned first_sm_of(Element element) {
  if (is_small(element)) return 89;
  const bool is_old = element == Element::f16 || is_exact(element);
  return is_old ? 75 : 80;
}

void use_model(const Model* model) { replacement = model; }

Raw multiply(const Product& wanted, const Raw& a, const Raw& b, const Raw& c,
             const std::vector<unsigned>* sparse) {
  Product p = wanted;
  if (replacement != nullptr) p.model = *replacement;
  Raw d(c.size());
  std::vector<unsigned> rows(size_t{p.m} * p.k);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = sparse ? (*sparse)[i] : unsigned(i % p.k);
  for (unsigned row = 0; row < p.m; ++row)
    for (unsigned column = 0; column < p.n; ++column) {
      const uint64_t* left = a.data() + size_t{row} * p.k;
      const unsigned* from = rows.data() + size_t{row} * p.k;
      const size_t at = size_t{row} * p.n + column;
      d[at] = p.a == Element::f64 ? double_element(p, left, b, column, c[at])
              : is_exact(p.a)     ? exact_element(p, left, b, from, column, c[at])
                                  : float_element(p, left, b, from, column, c[at]);
    }
  return d;
}

uint64_t element_of(const Words& words, unsigned threads, unsigned thread, unsigned first_word,
                    unsigned index, unsigned bits) {
  auto word = [&](unsigned w) { return uint64_t{words[(first_word + w) * threads + thread]}; };
  if (bits == 64) return word(2 * index) | word(2 * index + 1) << 32;
  const unsigned per = 32 / bits;
  return word(index / per) >> (index % per * bits) & ((uint64_t{1} << bits) - 1);
}

void put_element(Words& words, unsigned threads, unsigned thread, unsigned first_word,
                 unsigned index, unsigned bits, uint64_t value) {
  auto word = [&](unsigned w) -> uint32_t& { return words[(first_word + w) * threads + thread]; };
  if (bits == 64) {
    word(2 * index) = static_cast<uint32_t>(value);
    word(2 * index + 1) = static_cast<uint32_t>(value >> 32);
    return;
  }
  const unsigned per = 32 / bits, shift = index % per * bits;
  const uint32_t mask = bits == 32 ? ~0u : ((1u << bits) - 1) << shift;
  uint32_t& target = word(index / per);
  target = (target & ~mask) | (static_cast<uint32_t>(value) << shift & mask);
}

Place place_of_a(unsigned m, unsigned bits, unsigned lane, unsigned i) {
  const unsigned per = bits == 64 ? 1 : 32 / bits, word = i / per;
  const unsigned group = lane >> 2, member = lane & 3;
  const bool lower = m == 16 && (word & 1);
  const unsigned step = m == 16 ? word >> 1 : word;
  return {group + (lower ? 8 : 0), step * 4 * per + member * per + i % per};
}

Place place_of_b(unsigned bits, unsigned lane, unsigned i) {
  const unsigned per = bits == 64 ? 1 : 32 / bits;
  return {i / per * 4 * per + (lane & 3) * per + i % per, lane >> 2};
}

Place place_of_c(unsigned lane, unsigned i) {
  return {(lane >> 2) + (i & 2 ? 8 : 0), i / 4 * 8 + (lane & 3) * 2 + (i & 1)};
}

void put_random_metadata(Random& random, Element element, unsigned k, unsigned selector,
                         uint32_t* metadata) {
  for (unsigned lane = 0; lane < 32; ++lane) metadata[lane] = static_cast<uint32_t>(random());
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned group = 0; group < k / group_of(element); ++group) {
      const unsigned first = random() % 3, second = first + 1 + random() % (3 - first);
      const bool upper = random() & 1;
      const uint32_t code = element == Element::tf32 ? (upper ? 14 : 4) : first | second << 2;
      const CodePlace at = place_of_code(element, k, selector, row, group);
      metadata[at.lane] = (metadata[at.lane] & ~(15u << at.shift)) | code << at.shift;
    }
}

std::vector<unsigned> rows_of_metadata(const uint32_t* metadata, Element element, unsigned k,
                                       unsigned selector) {
  const unsigned size = group_of(element);
  std::vector<unsigned> rows;
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned group = 0; group < k / size; ++group) {
      const CodePlace at = place_of_code(element, k, selector, row, group);
      const uint32_t code = metadata[at.lane] >> at.shift & 15;
      if (size == 2) rows.push_back(group * size + (code == 14));
      for (unsigned choice : {code & 3, code >> 2})
        for (unsigned i = 0; i < size / 4; ++i)
          rows.push_back(group * size + choice * (size / 4) + i);
    }
  return rows;
}

}  // namespace cucore::cpu::matrix
