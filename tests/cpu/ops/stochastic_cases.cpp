// SPDX-License-Identifier: Apache-2.0
// cvt.rs: roundings by random bits, computed from the bits of the operand.
#include <algorithm>

#include "small_floats.hpp"

namespace cucore::cpu::ops {
namespace {

struct RandomTarget {
  const char* name;
  SmallFormat format;
  unsigned largest, infinity, nan;  // patterns; infinity is that without .satfinite
  unsigned random_bits;             // per value
  unsigned distance;                // of the values of a result
  Kind out;

  bool is_quad() const { return distance < 16; }
};

const RandomTarget TARGETS[] = {{"f16x2", HALF, 0x7BFF, 0x7C00, 0x7FFF, 13, 16, Kind::u32},
                                {"bf16x2", BRAIN, 0x7F7F, 0x7F80, 0x7FFF, 16, 16, Kind::u32},
                                {"e4m3x4", E4_M3, 0x7E, 0x7E, 0x7F, 16, 8, Kind::u32},
                                {"e5m2x4", E5_M2, 0x7B, 0x7B, 0x7F, 16, 8, Kind::u32},
                                {"e2m3x4", {2, 3, false, 0x1F}, 0x1F, 0x1F, 0x1F, 16, 8, Kind::u32},
                                {"e3m2x4", {3, 2, false, 0x1F}, 0x1F, 0x1F, 0x1F, 16, 8, Kind::u32},
                                {"e2m1x4", {2, 1, false, 0x7}, 0x7, 0x7, 0x7, 8, 4, Kind::u16}};

// Adds the random bits to the upper discarded bits of the significand.
double moved(const SmallFormat& format, uint32_t size, unsigned random_bits, uint64_t random) {
  const int field = int(size >> 23), exponent = std::max(field, 1) - 127;
  const uint64_t significand = (size & 0x7FFFFF) | (field ? 0x800000u : 0u);
  const int least = 2 - (1 << (format.exponent_bits - 1));
  const int shift = std::min(23 - format.fraction_bits + std::max(0, least - exponent), 60);
  const uint64_t kept = significand >> shift,
                 discarded = significand & ((uint64_t{1} << shift) - 1);
  const int excess = shift - int(random_bits);
  const uint64_t upper = excess >= 0 ? discarded >> excess : discarded << -excess;
  const uint64_t carry = (upper + (random & ((1u << random_bits) - 1))) >> random_bits;
  return std::ldexp(double(kept + carry), exponent - 23 + shift);
}

uint32_t converted(const RandomTarget& t, uint32_t bits, uint64_t random, bool relu, bool finite) {
  const uint32_t size = bits & 0x7FFFFFFF, sign = bits >> 31 ? t.format.sign_bit() : 0;
  if (size > 0x7F800000) return t.nan;
  if (relu && sign) return 0;
  const uint32_t beyond = finite ? t.largest : t.infinity;
  if (size == 0x7F800000) return sign | beyond;
  const double value = moved(t.format, size, t.random_bits, random);
  for (uint32_t code = 0; code <= t.largest; ++code)
    if (t.format.finite(code) == value) return sign | code;
  return sign | beyond;
}

void add(Table& table, const RandomTarget& t, bool relu, bool finite) {
  const std::string name = std::string("cvt.rs") + (relu ? ".relu" : "") +
                           (finite ? ".satfinite." : ".") + t.name + ".f32";
  const size_t count = t.is_quad() ? 4 : 2;
  std::vector<Kind> in(count, Kind::f32);
  in.push_back(Kind::u32);
  Case row{name,
           name + (t.is_quad() ? " $d0, {$0, $1, $2, $3}, $4;" : " $d0, $0, $1, $2;"),
           in,
           {t.out},
           [=](const Values& in, Values& out) {
             const uint64_t random = in[count];
             // The first value has the upper bits of the text, and becomes the upper one.
             const bool own = t.random_bits == 8;
             out[0] = 0;
             for (size_t k = 0; k < count; ++k) {
               const bool is_upper = k < count / 2;
               uint64_t bits = is_upper ? random >> 16 : random & 0xFFFF;
               if (own) bits = (k % 2 ? random : random >> 16) >> (is_upper ? 8 : 0) & 0xFF;
               out[0] = out[0] << t.distance | converted(t, uint32_t(in[k]), bits, relu, finite);
             }
           }};
  row.min_target = 100;
  table.add(std::move(row));
}

}  // namespace

void add_stochastic_cases(Table& table) {
  for (const RandomTarget& t : TARGETS)
    for (bool relu : {false, true})
      for (bool finite : {false, true})
        if (finite || !t.is_quad()) add(table, t, relu, finite);
}

}  // namespace cucore::cpu::ops
