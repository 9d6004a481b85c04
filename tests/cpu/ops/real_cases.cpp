// SPDX-License-Identifier: Apache-2.0
// f32 and f64 arithmetic in every rounding, with .ftz and .sat.
#include "floating.hpp"

namespace cucore::cpu::ops {
namespace {

// The compiler must neither fold an operation nor move it out of its rounding mode.
template <typename T>
T opaque(T value) {
  volatile T kept = value;
  return kept;
}

template <typename T>
T sum(T a, T b) {
  return opaque(opaque(a) + opaque(b));
}
template <typename T>
T difference(T a, T b) {
  return opaque(opaque(a) - opaque(b));
}
template <typename T>
T product(T a, T b) {
  return opaque(opaque(a) * opaque(b));
}
template <typename T>
T ratio(T a, T b) {
  return opaque(opaque(a) / opaque(b));
}
template <typename T>
T root(T a) {
  return opaque(std::sqrt(opaque(a)));
}
template <typename T>
T fused(T a, T b, T c) {
  return opaque(std::fma(opaque(a), opaque(b), opaque(c)));
}

template <typename T, typename F>
void add_real(Table& table, const std::string& name, size_t operands, const RealOptions& o, F f,
              unsigned min_target = 70) {
  Kind kind = kind_of<T>();
  table.add({name,
             plain(name, operands),
             std::vector<Kind>(operands, kind),
             {kind},
             [=](const Values& in, Values& out) {
               T a = from_bits<T>(in[0]), b = from_bits<T>(in[1]), c = from_bits<T>(in[2]);
               if constexpr (std::is_invocable_v<F, T>) out[0] = o.apply<T>(f, a);
               if constexpr (std::is_invocable_v<F, T, T>) out[0] = o.apply<T>(f, a, b);
               if constexpr (std::is_invocable_v<F, T, T, T>) out[0] = o.apply<T>(f, a, b, c);
             },
             {},
             Compare::exact,
             0,
             0,
             min_target});
}

template <typename T>
void add_rounded(Table& table, const std::string& rounding, const RealOptions& o) {
  std::string t = rounding + o.suffix() + "." + type_name<T>();
  add_real<T>(table, "add" + t, 2, o, [](auto a, auto b) { return sum(a, b); });
  add_real<T>(table, "sub" + t, 2, o, [](auto a, auto b) { return difference(a, b); });
  add_real<T>(table, "mul" + t, 2, o, [](auto a, auto b) { return product(a, b); });
  if (rounding.empty()) return;
  add_real<T>(table, "fma" + t, 3, o, [](auto a, auto b, auto c) { return fused(a, b, c); });
  add_real<T>(table, "mad" + t, 3, o, [](auto a, auto b, auto c) { return fused(a, b, c); });
  if (o.sat) return;
  add_real<T>(table, "div" + t, 2, o, [](auto a, auto b) { return ratio(a, b); });
  add_real<T>(table, "rcp" + t, 1, o, [](auto a) { return ratio(decltype(a)(1), a); });
  add_real<T>(table, "sqrt" + t, 1, o, [](auto a) { return root(a); });
}

template <typename T>
T smaller(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <typename T>
T larger(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <typename T>
void add_extremes(Table& table, const RealOptions& o, bool nan, bool xorsign) {
  std::string t = std::string(o.ftz ? ".ftz" : "") + (nan ? ".NaN" : "") +
                  (xorsign ? ".xorsign.abs" : "") + "." + type_name<T>();
  for (bool least : {true, false}) {
    add_real<T>(
        table, (least ? "min" : "max") + t, 2, o,
        [=](T a, T b) {
          if (nan && (a != a || b != b)) return std::numeric_limits<T>::quiet_NaN();
          T x = xorsign ? std::fabs(a) : a, y = xorsign ? std::fabs(b) : b;
          T r = least ? smaller(x, y) : larger(x, y);
          return xorsign && r == r
                     ? std::copysign(r, std::signbit(a) != std::signbit(b) ? T(-1) : T(1))
                     : r;
        },
        xorsign ? 86
        : nan   ? 80
                : 70);
  }
}

// Three operands came with sm_100.
void add_extremes_of_three(Table& table, bool ftz, bool nan, bool abs) {
  const RealOptions o{ftz, false, FE_TONEAREST};
  for (bool least : {true, false}) {
    const std::string name = std::string(least ? "min" : "max") + (ftz ? ".ftz" : "") +
                             (nan ? ".NaN" : "") + (abs ? ".abs" : "") + ".f32";
    Case row{name + " of three",
             plain(name, 3),
             {Kind::f32, Kind::f32, Kind::f32},
             {Kind::f32},
             [=](const Values& in, Values& out) {
               out[0] = o.apply<float>(
                   [=](float a, float b, float c) {
                     if (nan && (a != a || b != b || c != c))
                       return std::numeric_limits<float>::quiet_NaN();
                     if (abs) a = std::fabs(a), b = std::fabs(b), c = std::fabs(c);
                     return least ? smaller(smaller(a, b), c) : larger(larger(a, b), c);
                   },
                   from_bits<float>(in[0]), from_bits<float>(in[1]), from_bits<float>(in[2]));
             }};
    row.min_target = 100;
    table.add(std::move(row));
  }
}

// neg and abs change the sign bit, but devices treat a NaN as arithmetic does.
template <typename T>
void add_signs(Table& table, bool ftz) {
  std::string t = std::string(ftz ? ".ftz." : ".") + type_name<T>();
  auto add = [&](const std::string& name, auto f) {
    table.add({name + t,
               plain(name + t, 1),
               {kind_of<T>()},
               {kind_of<T>()},
               [=](const Values& in, Values& out) {
                 T a = from_bits<T>(in[0]);
                 out[0] = a == a ? to_bits<T>(f(ftz ? flushed(a) : a)) : result_bits<T>(a, a);
               }});
  };
  add("neg", [](T a) { return -a; });
  add("abs", [](T a) { return std::fabs(a); });
}

template <typename T>
void add_copysign(Table& table) {
  std::string name = "copysign." + type_name<T>();
  table.add({name,
             plain(name, 2),
             {kind_of<T>(), kind_of<T>()},
             {kind_of<T>()},
             [](const Values& in, Values& out) {
               uint64_t sign = uint64_t{1} << (8 * sizeof(T) - 1);
               out[0] = (in[1] & ~sign) | (in[0] & sign);
             }});
}

template <typename T>
void add_testp(Table& table) {
  struct Test {
    const char* name;
    bool (*holds)(T);
  };
  static constexpr Test TESTS[] = {
      {"finite", [](T v) { return bool(std::isfinite(v)); }},
      {"infinite", [](T v) { return bool(std::isinf(v)); }},
      {"number", [](T v) { return v == v; }},
      {"notanumber", [](T v) { return v != v; }},
      {"normal", [](T v) { return std::isnormal(v) || v == 0; }},
      {"subnormal", [](T v) { return std::fpclassify(v) == FP_SUBNORMAL; }}};
  for (const Test& test : TESTS) {
    std::string name = std::string("testp.") + test.name + "." + type_name<T>();
    table.add(
        {name,
         name + " %p0, $0; selp.u32 $d0, 1, 0, %p0;",
         {kind_of<T>()},
         {Kind::u32},
         [test](const Values& in, Values& out) { out[0] = test.holds(from_bits<T>(in[0])); }});
  }
}

}  // namespace

void add_real_cases(Table& table) {
  for (const RoundingMode& rounding : ROUNDINGS) {
    std::string suffix = std::string(".") + rounding.name;
    for (bool ftz : {false, true})
      for (bool sat : {false, true}) add_rounded<float>(table, suffix, {ftz, sat, rounding.mode});
    add_rounded<double>(table, suffix, {false, false, rounding.mode});
  }
  for (bool ftz : {false, true})
    for (bool sat : {false, true}) add_rounded<float>(table, "", {ftz, sat, FE_TONEAREST});
  add_rounded<double>(table, "", {});
  for (bool ftz : {false, true})
    for (bool nan : {false, true})
      for (bool xorsign : {false, true})
        add_extremes<float>(table, {ftz, false, FE_TONEAREST}, nan, xorsign);
  add_extremes<double>(table, {}, false, false);
  for (bool ftz : {false, true})
    for (bool nan : {false, true})
      for (bool abs : {false, true}) add_extremes_of_three(table, ftz, nan, abs);
  add_signs<float>(table, false);
  add_signs<float>(table, true);
  add_signs<double>(table, false);
  add_copysign<float>(table);
  add_copysign<double>(table);
  add_testp<float>(table);
  add_testp<double>(table);
}

}  // namespace cucore::cpu::ops
