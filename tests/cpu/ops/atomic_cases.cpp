// SPDX-License-Identifier: Apache-2.0
// atom and red: each thread has its own cell, so old and new value are certain.
#include <functional>

#include "floating.hpp"
#include "small_floats.hpp"

namespace cucore::cpu::ops {
namespace {

// New value from old value and operand, as bits.
using Update = std::function<uint64_t(uint64_t old, uint64_t operand)>;

struct Operation {
  std::string name, type;
  Kind kind;
  Update update;
  unsigned min_target = 70;
  Compare compare = Compare::exact;
  bool has_red = true;
};

struct Space {
  const char* name;
  const char* setup;
  const char* address;
};

constexpr Space SPACES[] = {
    {".global", "", "$m"}, {".shared", "", "$s"}, {"", "cvta.global.u64 %x0, $m;", "%x0"}};

std::string accesses(const char* base, const Space& space, Kind kind) {
  return std::string(base) + space.name + "." + register_type(kind);
}

std::string with_cell(const Space& space, Kind kind, const std::string& middle,
                      const std::string& result) {
  return std::string(space.setup) + " " + accesses("st", space, kind) + " [" + space.address +
         "], $0; " + middle + " " + accesses("ld", space, kind) + " " + result + ", [" +
         space.address + "];";
}

void add_rows(Table& table, const Operation& o, const Space& space, const std::string& order) {
  std::string tail = order + space.name + "." + o.name + "." + o.type;
  std::string at = std::string("[") + space.address + "]";
  Update update = o.update;
  table.add({"atom" + tail,
             with_cell(space, o.kind, "atom" + tail + " $d0, " + at + ", $1;", "$d1"),
             {o.kind, o.kind},
             {o.kind, o.kind},
             [update](const Values& in, Values& out) {
               out[0] = in[0];
               out[1] = update(in[0], in[1]);
             },
             {},
             o.compare,
             0,
             0,
             o.min_target});
  if (!o.has_red) return;
  std::string red = order == ".acquire.gpu" || order == ".acq_rel.cta" ? ".release.gpu" : order;
  std::string red_tail = red + space.name + "." + o.name + "." + o.type;
  table.add({"red" + red_tail + (red == order ? "" : " for" + order),
             with_cell(space, o.kind, "red" + red_tail + " " + at + ", $1;", "$d0"),
             {o.kind, o.kind},
             {o.kind},
             [update](const Values& in, Values& out) { out[0] = update(in[0], in[1]); },
             {},
             o.compare,
             0,
             0,
             o.min_target});
}

template <typename T>
void add_integers(std::vector<Operation>& all) {
  std::string t = type_name<T>();
  auto add = [&](const char* name, const std::string& type, T (*f)(T, T), bool has_red = true) {
    all.push_back(
        {name, type, kind_of<T>(),
         [f](uint64_t a, uint64_t b) { return to_bits<T>(f(from_bits<T>(a), from_bits<T>(b))); },
         70, Compare::exact, has_red});
  };
  add("min", t, [](T a, T b) { return a < b ? a : b; });
  add("max", t, [](T a, T b) { return a > b ? a : b; });
  if (t != "s64") add("add", t, [](T a, T b) { return T(uint64_t(a) + uint64_t(b)); });
  if (std::is_signed_v<T>) return;
  std::string bits = bits_name<T>();
  add("and", bits, [](T a, T b) { return T(a & b); });
  add("or", bits, [](T a, T b) { return T(a | b); });
  add("xor", bits, [](T a, T b) { return T(a ^ b); });
  add(
      "exch", bits, [](T, T b) { return b; }, false);
  if (sizeof(T) == 8) return;
  add("inc", t, [](T a, T b) { return a >= b ? T(0) : T(a + 1); });
  add("dec", t, [](T a, T b) { return a == 0 || a > b ? b : T(a - 1); });
}

uint64_t add_elements(const SmallFormat& format, uint64_t a, uint64_t b) {
  int beyond = 0;
  double sum = sum_with_error(format.value(uint32_t(a & 0xFFFF)),
                              format.value(uint32_t(b & 0xFFFF)), beyond);
  return format.round(sum, FE_TONEAREST, false, beyond);
}

void add_floats(std::vector<Operation>& all) {
  all.push_back({"add", "f64", Kind::f64,
                 [](uint64_t a, uint64_t b) {
                   double x = from_bits<double>(a), y = from_bits<double>(b);
                   return result_bits(x + y, x, y);
                 },
                 70, Compare::exact});
  struct Half {
    const char* type;
    const SmallFormat* format;
    Kind one, two;
    unsigned min_target;
  };
  for (const Half& half : {Half{"f16", &HALF, Kind::f16, Kind::f16x2, 70},
                           Half{"bf16", &BRAIN, Kind::bf16, Kind::bf16x2, 90}}) {
    const SmallFormat* format = half.format;
    all.push_back({"add.noftz", half.type, half.one,
                   [format](uint64_t a, uint64_t b) { return add_elements(*format, a, b); },
                   half.min_target, Compare::exact});
    all.push_back({"add.noftz", half.type + std::string("x2"), half.two,
                   [format](uint64_t a, uint64_t b) {
                     return add_elements(*format, a, b) | add_elements(*format, a >> 16, b >> 16)
                                                              << 16;
                   },
                   half.min_target, Compare::exact});
  }
}

// f32 sums flush subnormals in global memory and keep them in shared memory.
Operation float_add(bool flushes) {
  return {"add",
          "f32",
          Kind::f32,
          [flushes](uint64_t a, uint64_t b) {
            float x = from_bits<float>(a), y = from_bits<float>(b);
            if (!flushes) return result_bits(x + y);
            return result_bits(flushed(flushed(x) + flushed(y)));
          },
          70,
          Compare::exact};
}

uint32_t extreme_element(const SmallFormat& format, uint32_t a, uint32_t b, bool least) {
  const bool a_nan = format.is_nan(a), b_nan = format.is_nan(b);
  if (a_nan || b_nan) return a_nan && b_nan ? format.nan : a_nan ? b : a;
  const double x = format.value(a), y = format.value(b);
  if (x == y) return ((a & format.sign_bit()) != 0) == least ? a : b;
  return (x < y) == least ? a : b;
}

// Two elements of a vector, each f16, bf16 or a pair of them.
void add_vector_extremes(Table& table, const char* type, const SmallFormat& format, bool pairs,
                         bool least) {
  const std::string tail = std::string(".global.") + (least ? "min" : "max") + ".noftz.v2." + type;
  const Kind kind = !pairs ? (format.exponent_bits == 8 ? Kind::bf16 : Kind::f16)
                           : (format.exponent_bits == 8 ? Kind::bf16x2 : Kind::f16x2);
  const std::string bits = pairs ? "b32" : "b16";
  const std::string before = "st.global.v2." + bits + " [$m], {$0, $1}; ";
  const auto update = [=](uint64_t a, uint64_t b) {
    uint64_t result = 0;
    for (unsigned shift = 0; shift < (pairs ? 32u : 16u); shift += 16)
      result |= uint64_t{extreme_element(format, a >> shift & 0xFFFF, b >> shift & 0xFFFF, least)}
                << shift;
    return result;
  };
  Case atom{"atom" + tail,
            before + "atom" + tail + " {$d0, $d1}, [$m], {$2, $3}; ld.global.v2." + bits +
                " {$d2, $d3}, [$m];",
            {kind, kind, kind, kind},
            {kind, kind, kind, kind},
            [=](const Values& in, Values& out) {
              out[0] = in[0];
              out[1] = in[1];
              out[2] = update(in[0], in[2]);
              out[3] = update(in[1], in[3]);
            }};
  Case red{"red" + tail,
           before + "red" + tail + " [$m], {$2, $3}; ld.global.v2." + bits + " {$d0, $d1}, [$m];",
           {kind, kind, kind, kind},
           {kind, kind},
           [=](const Values& in, Values& out) {
             out[0] = update(in[0], in[2]);
             out[1] = update(in[1], in[3]);
           }};
  atom.min_target = red.min_target = 90;
  table.add(std::move(atom));
  table.add(std::move(red));
}

void add_cas(Table& table, const Space& space, const std::string& order, const std::string& type,
             Kind kind) {
  std::string name = "atom" + order + space.name + ".cas." + type;
  table.add({name,
             with_cell(space, kind, name + " $d0, [" + space.address + "], $1, $2;", "$d1"),
             {kind, kind, kind},
             {kind, kind},
             [](const Values& in, Values& out) {
               out[0] = in[0];
               out[1] = in[0] == in[1] ? in[2] : in[0];
             }});
}

}  // namespace

void add_atomic_cases(Table& table) {
  std::vector<Operation> all;
  for_types<uint32_t, int32_t, uint64_t, int64_t>([&](auto t) { add_integers<decltype(t)>(all); });
  add_floats(all);
  for (const Space& space : SPACES) {
    for (const Operation& o : all) add_rows(table, o, space, "");
    add_rows(table, float_add(std::string(space.name) != ".shared"), space, "");
    for (const char* order : {".relaxed.gpu", ".acquire.gpu", ".release.sys", ".acq_rel.cta"}) {
      for (size_t i = 0; i < all.size(); i += 3) add_rows(table, all[i], space, order);
      add_cas(table, space, order, "b32", Kind::u32);
    }
    add_cas(table, space, "", "b16", Kind::u16);
    add_cas(table, space, "", "b32", Kind::u32);
    add_cas(table, space, "", "b64", Kind::u64);
  }
  for (bool least : {true, false})
    for (bool pairs : {false, true}) {
      add_vector_extremes(table, pairs ? "f16x2" : "f16", HALF, pairs, least);
      add_vector_extremes(table, pairs ? "bf16x2" : "bf16", BRAIN, pairs, least);
    }
  table.add({"atom.global.add.u32 sink",
             with_cell(SPACES[0], Kind::u32, "atom.global.add.u32 _, [$m], $1;", "$d0"),
             {Kind::u32, Kind::u32},
             {Kind::u32},
             [](const Values& in, Values& out) { out[0] = uint32_t(in[0] + in[1]); }});
}

}  // namespace cucore::cpu::ops
