// SPDX-License-Identifier: Apache-2.0
// .approx and .full: within the error bounds that the PTX documentation states.
#include "floating.hpp"

namespace cucore::cpu::ops {
namespace {

struct Function {
  const char* name;
  double (*apply)(double);
  double relative, absolute;
  double domain;  // |argument| up to which the bound applies; special values always
};

constexpr double SMALLEST = 0x1p-126;

// Bounds of the documentation; for subnormal results the absolute one applies.
constexpr Function FUNCTIONS[] = {
    {"ex2.approx", [](double v) { return std::exp2(v); }, 0x1p-22, 0x1p-148, 1e9},
    {"lg2.approx", [](double v) { return std::log2(v); }, 0x1p-22, 0x1p-21, 1e39},
    {"sin.approx", [](double v) { return std::sin(v); }, 0, 0x1p-20, 3.2},
    {"cos.approx", [](double v) { return std::cos(v); }, 0, 0x1p-20, 3.2},
    {"rcp.approx", [](double v) { return 1 / v; }, 0x1p-22, 0x1p-148, 1e39},
    {"sqrt.approx", [](double v) { return std::sqrt(v); }, 0x1p-22, 0x1p-148, 1e39},
    {"rsqrt.approx", [](double v) { return 1 / std::sqrt(v); }, 0x1p-22, 0x1p-148, 1e39}};

// Arguments beyond the domain of the bound are replaced by a fraction of themselves in the text.
std::string limited(const std::string& name, double domain) {
  if (domain > 1e6) return plain(name, 1);
  return "and.b32 %t0, $0, 0x7fffffff; setp.lt.f32 %p0, %t0, 0f404CCCCD; "
         "setp.eq.u32 %p1, %t0, 0x7f800000; or.pred %p0, %p0, %p1; selp.b32 %t1, $0, 0x3f000000, "
         "%p0; " +
         name + " $d0, %t1;";
}

uint64_t limited_bits(uint64_t bits, double domain) {
  float value = from_bits<float>(bits);
  if (domain > 1e6 || std::isinf(value) || std::fabs(value) < 3.2f) return bits;
  return 0x3F000000;
}

void add_function(Table& table, const Function& f, bool ftz) {
  std::string name = std::string(f.name) + (ftz ? ".ftz.f32" : ".f32");
  Case row{name,
           limited(name, f.domain),
           {Kind::unit},
           {Kind::unit},
           [f, ftz](const Values& in, Values& out) {
             float argument = from_bits<float>(limited_bits(in[0], f.domain));
             if (ftz) argument = flushed(argument);
             auto value = static_cast<float>(f.apply(argument));
             out[0] = result_bits(ftz ? flushed(value) : value);
           }};
  row.compare = Compare::approx;
  row.relative = f.relative;
  row.absolute = ftz ? std::max(f.absolute, SMALLEST) : f.absolute;
  table.add(std::move(row));
}

void add_tanh(Table& table) {
  Case row{"tanh.approx.f32",
           plain("tanh.approx.f32", 1),
           {Kind::unit},
           {Kind::unit},
           [](const Values& in, Values& out) {
             out[0] = result_bits(static_cast<float>(std::tanh(double(from_bits<float>(in[0])))));
           }};
  row.compare = Compare::approx;
  row.relative = 0x1p-11;
  row.absolute = 0x1p-148;
  row.min_target = 75;
  table.add(std::move(row));
}

// 2 ulp for divisors of normal size; a divisor above 2^126 returns 0 with .approx.
void add_division(Table& table, const std::string& kind, bool ftz) {
  std::string name = "div." + kind + (ftz ? ".ftz.f32" : ".f32");
  std::string body =
      "and.b32 %t0, $1, 0x7fffffff; setp.gt.u32 %p0, %t0, 0x7e800000; "
      "setp.lt.u32 %p1, %t0, 0x00800000; or.pred %p0, %p0, %p1; "
      "setp.eq.u32 %p2, %t0, 0; setp.ge.u32 %p3, %t0, 0x7f800000; or.pred %p2, %p2, %p3; "
      "not.pred %p2, %p2; and.pred %p0, %p0, %p2; selp.b32 %t1, 0x40400000, $1, %p0; " +
      name + " $d0, $0, %t1;";
  Case row{name, body, {Kind::f32, Kind::f32}, {Kind::unit}, [ftz](const Values& in, Values& out) {
             uint64_t size = in[1] & 0x7FFFFFFF;
             bool odd =
                 (size > 0x7E800000 && size < 0x7F800000) || (size < 0x00800000 && size != 0);
             float a = from_bits<float>(in[0]), b = odd ? 3.0f : from_bits<float>(in[1]);
             float value = static_cast<float>(double(ftz ? flushed(a) : a) / b);
             out[0] = result_bits(ftz ? flushed(value) : value);
           }};
  row.compare = Compare::approx;
  row.relative = 0x1p-22;
  // Beyond the range of the bound: a flushed dividend or result.
  row.absolute = SMALLEST;
  table.add(std::move(row));
}

// The seeds of double precision: 20 bits, the lower half of the bits zero.
void add_seeds(Table& table) {
  auto add = [&](const std::string& name, double (*f)(double), double relative) {
    Case row{
        name, plain(name, 1), {Kind::unit64}, {Kind::unit64}, [f](const Values& in, Values& out) {
          double argument = flushed(from_bits<double>(in[0]));
          out[0] = result_bits(flushed(f(argument)));
        }};
    row.compare = Compare::approx;
    row.relative = relative;
    row.absolute = 0x1p-1022;
    table.add(std::move(row));
  };
  add(
      "rcp.approx.ftz.f64", [](double v) { return 1 / v; }, 0x1p-19);
  add(
      "rsqrt.approx.ftz.f64", [](double v) { return 1 / std::sqrt(v); }, 0x1p-19);
}

}  // namespace

void add_approx_cases(Table& table) {
  for (const Function& function : FUNCTIONS)
    for (bool ftz : {false, true}) add_function(table, function, ftz);
  add_tanh(table);
  for (const char* kind : {"approx", "full"})
    for (bool ftz : {false, true}) add_division(table, kind, ftz);
  add_seeds(table);
}

}  // namespace cucore::cpu::ops
