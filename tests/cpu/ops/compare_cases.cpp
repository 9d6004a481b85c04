// SPDX-License-Identifier: Apache-2.0
// setp and set with every comparison and combination, selp and slct.
#include "floating.hpp"
#include "small_floats.hpp"

namespace cucore::cpu::ops {
namespace {

struct Comparison {
  const char* name;
  bool less, equal, greater, unordered;
  enum Use : uint8_t { any, integers, unsigned_only, floats } use;
};

constexpr Comparison COMPARISONS[] = {{"eq", false, true, false, false, Comparison::any},
                                      {"ne", true, false, true, false, Comparison::any},
                                      {"lt", true, false, false, false, Comparison::any},
                                      {"le", true, true, false, false, Comparison::any},
                                      {"gt", false, false, true, false, Comparison::any},
                                      {"ge", false, true, true, false, Comparison::any},
                                      {"lo", true, false, false, false, Comparison::unsigned_only},
                                      {"ls", true, true, false, false, Comparison::unsigned_only},
                                      {"hi", false, false, true, false, Comparison::unsigned_only},
                                      {"hs", false, true, true, false, Comparison::unsigned_only},
                                      {"equ", false, true, false, true, Comparison::floats},
                                      {"neu", true, false, true, true, Comparison::floats},
                                      {"ltu", true, false, false, true, Comparison::floats},
                                      {"leu", true, true, false, true, Comparison::floats},
                                      {"gtu", false, false, true, true, Comparison::floats},
                                      {"geu", false, true, true, true, Comparison::floats},
                                      {"num", true, true, true, false, Comparison::floats},
                                      {"nan", false, false, false, true, Comparison::floats}};

// The order of values of a type: as numbers, from their bits.
using Order = std::function<bool(const Comparison&, uint64_t, uint64_t)>;

template <typename V>
bool holds(const Comparison& c, V a, V b) {
  if (a < b) return c.less;
  if (a > b) return c.greater;
  return a == b ? c.equal : c.unordered;
}

template <typename T>
Order order_of(bool ftz) {
  return [=](const Comparison& c, uint64_t a, uint64_t b) {
    T x = from_bits<T>(a), y = from_bits<T>(b);
    if constexpr (std::is_floating_point_v<T>)
      if (ftz) return holds(c, flushed(x), flushed(y));
    return holds(c, x, y);
  };
}

Order order_of(const SmallFormat& format, bool ftz) {
  return [=](const Comparison& c, uint64_t a, uint64_t b) {
    auto value = [&](uint64_t bits) {
      bool subnormal = (bits & format.infinity()) == 0;
      return ftz && subnormal ? 0.0 : format.value(uint32_t(bits));
    };
    return holds(c, value(a), value(b));
  };
}

struct Combination {
  const char* name;
  bool (*apply)(bool, bool);
};

constexpr Combination COMBINATIONS[] = {{"and", [](bool a, bool b) { return a && b; }},
                                        {"or", [](bool a, bool b) { return a || b; }},
                                        {"xor", [](bool a, bool b) { return a != b; }}};

struct Typed {
  std::string name;  // "ftz.f32"
  Kind kind;
  Order order;
  Comparison::Use use;
  bool bits_only = false;  // .b32: eq and ne
  unsigned min_target = 70;
};

bool allowed(const Comparison& c, const Typed& type) {
  if (type.bits_only) return std::string(c.name) == "eq" || std::string(c.name) == "ne";
  return c.use == Comparison::any || c.use == type.use;
}

// Halves have no second destination.
bool has_second(const Typed& t) { return t.kind != Kind::f16 && t.kind != Kind::bf16; }

std::string predicates(const Typed& t) { return has_second(t) ? " %p0|%p1" : " %p0"; }

std::string results(const Typed& t) {
  return std::string(" selp.u32 $d0, 1, 0, %p0;") +
         (has_second(t) ? " selp.u32 $d1, 1, 0, %p1;" : "");
}

void add_setp(Table& table, const Comparison& c, const Typed& t) {
  std::string name = std::string("setp.") + c.name + "." + t.name;
  Order order = t.order;
  table.add({name + " one",
             name + " %p0, $0, $1; selp.u32 $d0, 1, 0, %p0;",
             {t.kind, t.kind},
             {Kind::u32},
             [=](const Values& in, Values& out) { out[0] = order(c, in[0], in[1]); },
             {},
             Compare::exact,
             0,
             0,
             t.min_target});
  if (!has_second(t)) return;
  table.add({name,
             name + " %p0|%p1, $0, $1;" + results(t),
             {t.kind, t.kind},
             {Kind::u32, Kind::u32},
             [=](const Values& in, Values& out) {
               out[0] = order(c, in[0], in[1]);
               out[1] = !out[0];
             },
             {},
             Compare::exact,
             0,
             0,
             t.min_target});
}

void add_setp_combined(Table& table, const Comparison& c, const Typed& t, const Combination& k,
                       bool negated) {
  std::string name = std::string("setp.") + c.name + "." + k.name + "." + t.name;
  Order order = t.order;
  bool second = has_second(t);
  table.add({name + (negated ? " not" : ""),
             "setp.ne.u32 %p2, $2, 0; " + name + predicates(t) + ", $0, $1, " +
                 (negated ? "!" : "") + "%p2;" + results(t),
             {t.kind, t.kind, Kind::pred},
             std::vector<Kind>(second ? 2 : 1, Kind::u32),
             [=](const Values& in, Values& out) {
               bool third = (in[2] != 0) != negated, first = order(c, in[0], in[1]);
               out[0] = k.apply(first, third);
               if (second) out[1] = k.apply(!first, third);
             },
             {},
             Compare::exact,
             0,
             0,
             t.min_target});
}

// The result is all ones, or 1.0 for f32.
void add_set(Table& table, const Comparison& c, const Typed& t, const std::string& to) {
  size_t dot = t.name.rfind('.');
  std::string source = dot == std::string::npos ? t.name : t.name.substr(dot + 1);
  std::string ftz = dot == std::string::npos ? "" : ".ftz";
  uint64_t yes = to == "f32" ? 0x3F800000 : 0xFFFFFFFF;
  Order order = t.order;
  std::string name = std::string("set.") + c.name + ftz + "." + to + "." + source;
  table.add(
      {name, plain(name, 2), {t.kind, t.kind}, {Kind::u32}, [=](const Values& in, Values& out) {
         out[0] = order(c, in[0], in[1]) ? yes : 0;
       }});
  std::string combined = std::string("set.") + c.name + ".xor" + ftz + "." + to + "." + source;
  table.add({combined,
             "setp.ne.u32 %p2, $2, 0; " + combined + " $d0, $0, $1, %p2;",
             {t.kind, t.kind, Kind::pred},
             {Kind::u32},
             [=](const Values& in, Values& out) {
               out[0] = order(c, in[0], in[1]) != (in[2] != 0) ? yes : 0;
             }});
}

// set of halves: 1.0 or all ones by the result's type.
void add_half_set(Table& table, const Comparison& c, const SmallFormat& format,
                  const std::string& t, bool pair, bool ftz, unsigned min_target) {
  std::string full = t + (pair ? "x2" : "");
  std::string name = std::string("set.") + c.name + (ftz ? ".ftz." : ".") + full + "." + full;
  bool is_half = t == "f16";
  Kind kind = is_half ? (pair ? Kind::f16x2 : Kind::f16) : (pair ? Kind::bf16x2 : Kind::bf16);
  Order order = order_of(format, ftz);
  uint64_t one = is_half ? 0x3C00 : 0x3F80;
  table.add({name,
             plain(name, 2),
             {kind, kind},
             {kind},
             [=](const Values& in, Values& out) {
               out[0] = order(c, in[0] & 0xFFFF, in[1] & 0xFFFF) ? one : 0;
               if (pair && order(c, in[0] >> 16 & 0xFFFF, in[1] >> 16 & 0xFFFF))
                 out[0] |= one << 16;
             },
             {},
             Compare::exact,
             0,
             0,
             min_target});
  std::string mask = std::string("set.") + c.name + (ftz ? ".ftz" : "") + ".u32." + full;
  uint64_t ones = pair ? 0xFFFF : 0xFFFFFFFF;
  table.add({mask,
             plain(mask, 2),
             {kind, kind},
             {Kind::u32},
             [=](const Values& in, Values& out) {
               out[0] = order(c, in[0] & 0xFFFF, in[1] & 0xFFFF) ? ones : 0;
               if (pair && order(c, in[0] >> 16 & 0xFFFF, in[1] >> 16 & 0xFFFF))
                 out[0] |= ones << 16;
             },
             {},
             Compare::exact,
             0,
             0,
             min_target});
}

void add_selp(Table& table, const std::string& t, Kind kind) {
  table.add({"selp." + t,
             "setp.ne.u32 %p0, $2, 0; selp." + t + " $d0, $0, $1, %p0;",
             {kind, kind, Kind::pred},
             {kind},
             [](const Values& in, Values& out) { out[0] = in[2] ? in[0] : in[1]; }});
}

void add_slct(Table& table, const std::string& t, Kind kind) {
  table.add({"slct." + t + ".s32",
             plain("slct." + t + ".s32", 3),
             {kind, kind, Kind::s32},
             {kind},
             [](const Values& in, Values& out) { out[0] = int32_t(in[2]) >= 0 ? in[0] : in[1]; }});
  for (bool ftz : {false, true}) {
    std::string name = std::string(ftz ? "slct.ftz." : "slct.") + t + ".f32";
    table.add({name,
               plain(name, 3),
               {kind, kind, Kind::f32},
               {kind},
               [ftz](const Values& in, Values& out) {
                 float c = from_bits<float>(in[2]);
                 if (ftz) c = flushed(c);
                 out[0] = c >= 0 ? in[0] : in[1];  // NaN selects the second
               }});
  }
}

std::vector<Typed> types() {
  std::vector<Typed> all;
  for_types<uint16_t, uint32_t, uint64_t>([&](auto t) {
    using T = decltype(t);
    all.push_back({bits_name<T>(), kind_of<T>(), order_of<T>(false), Comparison::integers, true});
    all.push_back({type_name<T>(), kind_of<T>(), order_of<T>(false), Comparison::unsigned_only});
    using S = std::make_signed_t<T>;
    all.push_back({type_name<S>(), kind_of<S>(), order_of<S>(false), Comparison::integers});
  });
  all.push_back({"f32", Kind::f32, order_of<float>(false), Comparison::floats});
  all.push_back({"ftz.f32", Kind::f32, order_of<float>(true), Comparison::floats});
  all.push_back({"f64", Kind::f64, order_of<double>(false), Comparison::floats});
  all.push_back({"f16", Kind::f16, order_of(HALF, false), Comparison::floats});
  all.push_back({"ftz.f16", Kind::f16, order_of(HALF, true), Comparison::floats});
  all.push_back({"bf16", Kind::bf16, order_of(BRAIN, false), Comparison::floats, false, 90});
  return all;
}

}  // namespace

void add_compare_cases(Table& table) {
  for (const Typed& type : types()) {
    bool is_small = type.kind == Kind::f16 || type.kind == Kind::bf16;
    size_t which = 0;
    for (const Comparison& c : COMPARISONS) {
      if (!allowed(c, type)) continue;
      add_setp(table, c, type);
      const Combination& combination = COMBINATIONS[which % 3];
      add_setp_combined(table, c, type, combination, which / 3 % 2 == 1);
      ++which;
      if (is_small) continue;
      for (const char* to : {"u32", "s32", "f32"}) add_set(table, c, type, to);
    }
  }
  for (const Comparison& c : COMPARISONS) {
    if (c.use == Comparison::unsigned_only) continue;
    for (bool pair : {false, true}) {
      add_half_set(table, c, HALF, "f16", pair, false, 70);
      add_half_set(table, c, HALF, "f16", pair, true, 70);
      add_half_set(table, c, BRAIN, "bf16", pair, false, 90);
    }
  }
  struct Named {
    const char* name;
    Kind kind;
  };
  for (const Named& t : {Named{"b16", Kind::u16},
                         {"u16", Kind::u16},
                         {"s16", Kind::s16},
                         {"b32", Kind::u32},
                         {"u32", Kind::u32},
                         {"s32", Kind::s32},
                         {"b64", Kind::u64},
                         {"u64", Kind::u64},
                         {"s64", Kind::s64},
                         {"f32", Kind::f32},
                         {"f64", Kind::f64}}) {
    add_selp(table, t.name, t.kind);
    add_slct(table, t.name, t.kind);
  }
}

}  // namespace cucore::cpu::ops
