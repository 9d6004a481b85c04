// SPDX-License-Identifier: Apache-2.0
// Instructions of sm_100: pairs of f32, and sums of f32 with f16 and bf16.
#include "floating.hpp"
#include "small_floats.hpp"

namespace cucore::cpu::ops {
namespace {

constexpr unsigned TARGET = 100;

template <typename T>
T hidden(T value) {
  volatile T kept = value;
  return kept;
}

struct PairOperation {
  const char* name;
  size_t operands;
};
constexpr PairOperation PAIRS[] = {{"add", 2}, {"sub", 2}, {"mul", 2}, {"fma", 3}};

template <typename T>
T evaluated(const std::string& name, T a, T b, T c) {
  if (name == "add") return hidden(hidden(a) + hidden(b));
  if (name == "sub") return hidden(hidden(a) - hidden(b));
  if (name == "mul") return hidden(hidden(a) * hidden(b));
  return hidden(std::fma(hidden(a), hidden(b), hidden(c)));
}

uint64_t single(const std::string& name, const RealOptions& o, float a, float b, float c) {
  if (name == "fma")
    return o.apply<float>([&](auto x, auto y, auto z) { return evaluated(name, x, y, z); }, a, b,
                          c);
  return o.apply<float>([&](auto x, auto y) { return evaluated(name, x, y, decltype(x)(0)); }, a,
                        b);
}

// The lower float of each pair is an operand, and the upper one that of another operand.
void add_pairs(Table& table, const PairOperation& p, const std::string& rounding,
               const RealOptions& o) {
  const std::string name = p.name + rounding + o.suffix() + ".f32x2";
  const bool three = p.operands == 3;
  std::string text = "mov.b64 %x0, {$0, $1}; mov.b64 %x1, {$1, $2}; mov.b64 %x2, {$2, $0}; " +
                     name + " %x3, %x0, %x1" + (three ? ", %x2" : "") +
                     "; mov.b64 {$d0, $d1}, %x3;";
  Case row{name,
           text,
           {Kind::f32, Kind::f32, Kind::f32},
           {Kind::f32, Kind::f32},
           [=](const Values& in, Values& out) {
             const float v[3] = {from_bits<float>(in[0]), from_bits<float>(in[1]),
                                 from_bits<float>(in[2])};
             out[0] = single(p.name, o, v[0], v[1], v[2]);
             out[1] = single(p.name, o, v[1], v[2], v[0]);
           }};
  row.min_target = TARGET;
  table.add(std::move(row));
}

void add_mixed(Table& table, const std::string& rounding, const RealOptions& o, bool is_half) {
  const SmallFormat& format = is_half ? HALF : BRAIN;
  const Kind narrow = is_half ? Kind::f16 : Kind::bf16;
  const char* type = is_half ? ".f32.f16" : ".f32.bf16";
  for (const PairOperation& p : PAIRS) {
    const std::string operation = p.name;
    const bool fuses = operation == "fma";
    if (operation == "mul" || (fuses && rounding.empty())) continue;
    const std::string name = operation + rounding + o.suffix() + type;
    std::vector<Kind> kinds{narrow};
    if (fuses) kinds.push_back(narrow);
    kinds.push_back(Kind::f32);
    Case row{
        name, plain(name, kinds.size()), kinds, {Kind::f32}, [=](const Values& in, Values& out) {
          auto wide = [&](uint64_t bits) { return float(format.value(uint32_t(bits))); };
          const float a = wide(in[0]);
          const float b = fuses ? wide(in[1]) : from_bits<float>(in[1]);
          out[0] = single(operation, o, a, b, from_bits<float>(in[2]));
        }};
    row.min_target = TARGET;
    table.add(std::move(row));
  }
}

}  // namespace

void add_float_pair_cases(Table& table) {
  for (const RoundingMode& rounding : ROUNDINGS) {
    const std::string text = std::string(".") + rounding.name;
    for (bool ftz : {false, true})
      for (const PairOperation& p : PAIRS) add_pairs(table, p, text, {ftz, false, rounding.mode});
    for (bool sat : {false, true})
      for (bool is_half : {false, true})
        add_mixed(table, text, {false, sat, rounding.mode}, is_half);
  }
  add_mixed(table, "", {}, true);
  add_mixed(table, "", {}, false);
  add_pairs(table, PAIRS[0], "", {});
}

}  // namespace cucore::cpu::ops
