// SPDX-License-Identifier: Apache-2.0
// Each experiment sets few elements of row 0 of A, column 0 of B, and element (0, 0) of C.
#include "probe.hpp"

#include <bit>
#include <cmath>
#include <cstdio>

#include "../ops/small_floats.hpp"
#include "kernel_text.hpp"
#include "reference.hpp"

namespace cucore::cpu::matrix {
namespace {

struct Unit {
  Element element, accumulator;
  unsigned k;
};

constexpr Unit UNITS[] = {
    {Element::f16, Element::f32, 8},   {Element::f16, Element::f32, 16},
    {Element::bf16, Element::f32, 8},  {Element::bf16, Element::f32, 16},
    {Element::tf32, Element::f32, 4},  {Element::tf32, Element::f32, 8},
    {Element::e4m3, Element::f32, 32}, {Element::e5m2, Element::f32, 32},
    {Element::f16, Element::f16, 16},
};

// One product of the sum: the factors are +-2^e, or 1.5 times that.
struct ProbeTerm {
  unsigned k;
  double a, b;
};

uint64_t encoded(Element element, double value) {
  switch (element) {
    case Element::f16:
      return ops::HALF.round(value, FE_TONEAREST);
    case Element::bf16:
      return ops::BRAIN.round(value, FE_TONEAREST);
    case Element::e4m3:
      return ops::E4_M3.round(value, FE_TONEAREST);
    case Element::e5m2:
      return ops::E5_M2.round(value, FE_TONEAREST);
    default:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
  }
}

class Prober {
 public:
  Prober(ops::Driver& driver, const Unit& unit) : driver_(driver), unit_(unit) {
    const unsigned bits = ptx::bits_of(unit.element);
    a_ = 16 * unit.k * bits / 1024;
    b_ = 8 * unit.k * bits / 1024;
    c_ = unit.accumulator == Element::f32 ? 4 : 2;
    row_.in = a_ + b_ + c_;
    row_.out = c_;
    row_.body = name() + " " + registers('d', 0, c_) + ", " + registers('a', 0, a_) + ", " +
                registers('a', a_, b_) + ", " + registers('a', a_ + b_, c_) + ";";
  }

  std::string name() const {
    const std::string type = std::string(".") + matrix::name_of(unit_.element);
    const std::string sum = std::string(".") + matrix::name_of(unit_.accumulator);
    return "mma.sync.aligned.m16n8k" + std::to_string(unit_.k) + ".row.col" + sum + type + type +
           sum;
  }

  double result(double c, const std::vector<ProbeTerm>& terms) {
    Words in(size_t{row_.in} * 32);
    for (const ProbeTerm& term : terms) {
      put(in, 0, a_, term.k, true, term.a);
      put(in, a_, b_, term.k, false, term.b);
    }
    put_element(in, 32, 0, a_ + b_, 0, ptx::bits_of(unit_.accumulator),
                encoded(unit_.accumulator, c));
    const Words out = results_of(driver_, row_, in, 1);
    if (unit_.accumulator == Element::f16) return ops::HALF.value(out[0] & 0xFFFF);
    return double{std::bit_cast<float>(out[0])};
  }

  // 2^exponent as a product; the factors are near each other.
  ProbeTerm power(unsigned k, int exponent, double sign = 1) const {
    const int half = exponent / 2;
    return {k, sign * std::ldexp(1, half), std::ldexp(1, exponent - half)};
  }

 private:
  void put(Words& in, unsigned first, unsigned words, unsigned k, bool is_left, double value) {
    const unsigned bits = ptx::bits_of(unit_.element);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < words * 32 / bits; ++i) {
        const Place at = is_left ? place_of_a(16, bits, lane, i) : place_of_b(bits, lane, i);
        if ((is_left ? at.row : at.column) == 0 && (is_left ? at.column : at.row) == k)
          put_element(in, 32, lane, first, i, bits, encoded(unit_.element, value));
      }
  }

  ops::Driver& driver_;
  Unit unit_;
  unsigned a_ = 0, b_ = 0, c_ = 0;
  Case row_;
};

constexpr int BASE = 8;   // large addends are 2^8, so that 8-bit floats have small ones too
constexpr int MOST = 26;  // 2^(8 - 26) is the least product of e4m3
const double ONE = std::ldexp(1, BASE);

// The largest s for which 1 + 2^-s - 1, times 2^8, is not 0 in one block.
int kept_bits(Prober& p) {
  int kept = 0;
  for (int s = 1; s <= MOST; ++s)
    if (p.result(-ONE, {p.power(0, BASE), p.power(1, BASE - s)}) != 0) kept = s;
  return kept;
}

// The result is cut or rounded if a bit below its last one is set.
void print_rounding(Prober& p) {
  if (p.result(0, {p.power(0, -24)}) == 0) return;
  const ProbeTerm half = {0, 0x1.8p-12, 0x1p-12}, minus = {0, -0x1.8p-12, 0x1p-12};
  std::printf("  1 + 1.5 * 2^-24: %a, -1 - 1.5 * 2^-24: %a\n", p.result(1, {half}),
              p.result(-1, {minus}));
}

void print_unit(Prober& p, const Unit& unit) {
  const int kept = kept_bits(p);
  std::printf("%s\n  kept bits: %d\n  blocks (1: with product 0):", p.name().c_str(), kept);
  const int lost = BASE - kept - 1;  // the exponent of an addend that is cut to 0
  for (unsigned k = 1; k < unit.k; ++k)
    std::printf(" %d", p.result(-ONE, {p.power(0, BASE), p.power(k, lost)}) == 0);
  const double negative = p.result(-ONE, {p.power(0, BASE), p.power(1, lost, -1)});
  std::printf("\n  a negative addend is cut toward: %s\n",
              negative == 0 ? "zero" : "minus infinity");
  const double zero_sum = p.result(0, {{0, 0, std::ldexp(1, 7)}, p.power(1, -14)});
  std::printf("  a zero factor counts as an exponent: %s\n", zero_sum == 0 ? "yes" : "no");
  const double sum = p.result(0, {{0, 24, 24}, {1, -24, 24}, p.power(2, BASE - kept)});
  std::printf("  2.25 of 1.5 * 1.5 counts as exponent: %d\n", sum == 0 ? 1 : 0);
  print_rounding(p);
}

}  // namespace

int print_probes(ops::Driver& driver) {
  std::printf("# accumulation of %s\n", driver.device_name().c_str());
  for (const Unit& unit : UNITS) {
    Prober prober(driver, unit);
    try {
      print_unit(prober, unit);
    } catch (const ops::DriverError& error) {
      std::printf("%s: refused: %s\n", prober.name().c_str(), error.what());
      driver.reset();
    }
  }
  return 0;
}

}  // namespace cucore::cpu::matrix
