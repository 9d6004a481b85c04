// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 arithmetic, single and in pairs.
#include "small_floats.hpp"

namespace cucore::cpu::ops {
namespace {

// One element: inputs and outputs are patterns of the format.
using Element = std::function<uint32_t(const uint32_t* in)>;

struct Format {
  const char* name;
  SmallFormat small;
  Kind one, two;
  unsigned min_target;
};

const Format FORMATS[] = {{"f16", HALF, Kind::f16, Kind::f16x2, 70},
                          {"bf16", BRAIN, Kind::bf16, Kind::bf16x2, 90}};

void add_both(Table& table, const Format& format, const std::string& name, size_t operands,
              Element f, unsigned min_target = 0) {
  unsigned target = std::max(min_target, format.min_target);
  for (bool pair : {false, true}) {
    std::string full = name + "." + format.name + (pair ? "x2" : "");
    Kind kind = pair ? format.two : format.one;
    table.add({full,
               plain(full, operands),
               std::vector<Kind>(operands, kind),
               {kind},
               [=](const Values& in, Values& out) {
                 out[0] = 0;
                 for (unsigned shift = 0; shift < (pair ? 32u : 16u); shift += 16) {
                   uint32_t element[3] = {};
                   for (size_t i = 0; i < operands; ++i) element[i] = in[i] >> shift & 0xFFFF;
                   out[0] |= uint64_t(f(element) & 0xFFFF) << shift;
                 }
               },
               {},
               Compare::exact,
               0,
               0,
               target});
  }
}

uint32_t flush(const SmallFormat& format, uint32_t bits) {
  bool subnormal = (bits & format.infinity()) == 0;
  return subnormal ? bits & format.sign_bit() : bits;
}

uint32_t clamp_to_unit(const SmallFormat& format, uint32_t bits) {
  double value = format.value(bits);
  if (!(value > 0)) return 0;
  return value < 1 ? bits : format.round(1.0, FE_TONEAREST);
}

void add_arithmetic(Table& table, const Format& format, bool ftz, bool sat) {
  SmallFormat small = format.small;
  std::string suffix = std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : "");
  auto element = [=](auto f) {
    return [=](const uint32_t* in) {
      double v[3];
      for (int i = 0; i < 3; ++i) v[i] = small.value(ftz ? flush(small, in[i]) : in[i]);
      int beyond = 0;
      double sum = f(v, beyond);
      uint32_t bits = small.round(sum, FE_TONEAREST, false, beyond);
      if (sat) bits = clamp_to_unit(small, bits);
      return ftz ? flush(small, bits) : bits;
    };
  };
  auto sum =
      element([](const double* v, int& beyond) { return sum_with_error(v[0], v[1], beyond); });
  auto difference =
      element([](const double* v, int& beyond) { return sum_with_error(v[0], -v[1], beyond); });
  auto product = element([](const double* v, int&) { return v[0] * v[1]; });
  auto fused = element(
      [](const double* v, int& beyond) { return sum_with_error(v[0] * v[1], v[2], beyond); });
  for (const char* rounding : {"", ".rn"}) {
    add_both(table, format, std::string("add") + rounding + suffix, 2, sum);
    add_both(table, format, std::string("sub") + rounding + suffix, 2, difference);
    add_both(table, format, std::string("mul") + rounding + suffix, 2, product);
  }
  add_both(table, format, "fma.rn" + suffix, 3, fused, 80);
  if (sat || ftz) return;
  auto relu = [=](const uint32_t* in) {
    uint32_t bits = fused(in);
    double value = small.value(bits);
    return value != value ? small.nan : value > 0 ? bits : 0;
  };
  add_both(table, format, "fma.rn.relu", 3, relu, 80);
  const auto zeroed = [](auto f) {
    return [=](const uint32_t* in) {
      const bool is_outside = (in[0] & 0x7fff) == 0x7ff7 || (in[1] & 0x7fff) == 0x7ff7;
      return is_outside ? 0 : f(in);
    };
  };
  add_both(table, format, "fma.rn.oob", 3, zeroed(fused), 90);
  add_both(table, format, "fma.rn.oob.relu", 3, zeroed(relu), 90);
}

void add_signs(Table& table, const Format& format, bool ftz) {
  SmallFormat small = format.small;
  std::string suffix = ftz ? ".ftz" : "";
  auto prepared = [=](uint32_t bits) { return ftz ? flush(small, bits) : bits; };
  add_both(table, format, "neg" + suffix, 1, [=](const uint32_t* in) {
    return small.is_nan(in[0]) ? small.nan : prepared(in[0]) ^ small.sign_bit();
  });
  add_both(table, format, "abs" + suffix, 1, [=](const uint32_t* in) {
    return small.is_nan(in[0]) ? small.nan : prepared(in[0]) & ~small.sign_bit();
  });
}

void add_extremes(Table& table, const Format& format, bool ftz, bool nan, bool xorsign) {
  SmallFormat small = format.small;
  std::string suffix =
      std::string(ftz ? ".ftz" : "") + (nan ? ".NaN" : "") + (xorsign ? ".xorsign.abs" : "");
  unsigned min_target = xorsign ? 86 : 80;
  for (bool least : {true, false})
    add_both(
        table, format, (least ? "min" : "max") + suffix, 2,
        [=](const uint32_t* in) {
          uint32_t a = ftz ? flush(small, in[0]) : in[0], b = ftz ? flush(small, in[1]) : in[1];
          uint32_t sign = (a ^ b) & small.sign_bit();
          if (xorsign) a &= ~small.sign_bit(), b &= ~small.sign_bit();
          bool a_nan = small.is_nan(a), b_nan = small.is_nan(b);
          if ((nan && (a_nan || b_nan)) || (a_nan && b_nan)) return small.nan;
          uint32_t r = a;
          if (a_nan || b_nan) {
            r = a_nan ? b : a;
          } else if (small.value(a) == small.value(b)) {
            bool a_negative = (a & small.sign_bit()) != 0;
            r = a_negative == least ? a : b;
          } else {
            r = (small.value(a) < small.value(b)) == least ? a : b;
          }
          return xorsign ? r | sign : r;
        },
        min_target);
}

// Within a few units of the last place of the true value.
void add_approximations(Table& table, const Format& format) {
  struct Function {
    const char* name;
    double (*apply)(double);
    unsigned min_target;
  };
  bool brain = format.small.exponent_bits == 8;
  const Function FUNCTIONS[] = {
      {brain ? "ex2.approx.ftz" : "ex2.approx", [](double v) { return std::exp2(v); }, 75},
      {"tanh.approx", [](double v) { return std::tanh(v); }, 75}};
  SmallFormat small = format.small;
  for (const Function& function : FUNCTIONS) {
    std::string full = std::string(function.name) + "." + format.name;
    auto apply = function.apply;
    Case row{full, plain(full, 1), {format.one}, {format.one}, [=](const Values& in, Values& out) {
               uint32_t bits = brain && std::string(function.name)[0] == 'e'
                                   ? flush(small, uint32_t(in[0]))
                                   : uint32_t(in[0]);
               out[0] = small.round(apply(small.value(bits)), FE_TONEAREST);
             }};
    row.compare = Compare::approx;
    row.relative = brain ? 0x1p-7 : 0x1p-9;
    row.absolute = brain ? 0x1p-130 : 0x1p-23;
    if (std::string(function.name)[0] == 't') row.absolute = brain ? 0x1p-8 : 0x1p-10;
    row.min_target = std::max(function.min_target, format.min_target);
    table.add(std::move(row));
  }
}

}  // namespace

void add_half_cases(Table& table) {
  for (const Format& format : FORMATS) {
    bool is_half = format.one == Kind::f16;
    for (bool ftz : {false, true})
      for (bool sat : {false, true})
        if (is_half || (!ftz && !sat)) add_arithmetic(table, format, ftz, sat);
    for (bool ftz : {false, true}) {
      if (ftz && !is_half) continue;
      add_signs(table, format, ftz);
      for (bool nan : {false, true})
        for (bool xorsign : {false, true}) add_extremes(table, format, ftz, nan, xorsign);
    }
    add_approximations(table, format);
  }
}

}  // namespace cucore::cpu::ops
