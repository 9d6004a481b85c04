// SPDX-License-Identifier: Apache-2.0
// cvt between all pairs of types, in every rounding, with .ftz, .sat and .relu.
#include "floating.hpp"
#include "record.hpp"
#include "small_floats.hpp"

namespace cucore::cpu::ops {
namespace {

// An integer in its register: 8-bit values fill 32 bits.
template <typename T>
uint64_t in_register(T value) {
  if constexpr (sizeof(T) == 1) return static_cast<uint32_t>(static_cast<int32_t>(value));
  return to_bits<T>(value);
}

template <typename T>
T clamp_to(long double value) {
  using L = std::numeric_limits<T>;
  if (value <= static_cast<long double>(L::min())) return L::min();
  if (value >= static_cast<long double>(L::max())) return L::max();
  return T(value);
}

// .sat is then not allowed, because nothing can saturate.
template <typename To, typename From>
constexpr bool always_fits() {
  using A = std::numeric_limits<From>;
  using B = std::numeric_limits<To>;
  return int128(A::min()) >= int128(B::min()) && int128(A::max()) <= int128(B::max());
}

template <typename To, typename From>
void add_integer(Table& table) {
  for (bool sat : {false, true}) {
    if (sat && always_fits<To, From>()) continue;
    std::string name =
        std::string(sat ? "cvt.sat." : "cvt.") + type_name<To>() + "." + type_name<From>();
    table.add(
        {name,
         plain(name, 1),
         {kind_of<From>()},
         {kind_of<To>()},
         [sat](const Values& in, Values& out) {
           From value = from_bits<From>(in[0]);
           using L = std::numeric_limits<To>;
           int128 wide = value;
           if (sat)
             wide = wide < L::min() ? int128(L::min()) : wide > L::max() ? int128(L::max()) : wide;
           out[0] = in_register<To>(To(wide));
         }});
  }
}

// The properties of a float type for the tables.
struct Real {
  std::string name;
  Kind kind;
  unsigned min_target;
  double (*value)(uint64_t);
  uint64_t (*round)(long double, int mode);

  bool is_single() const { return kind == Kind::f32; }
};

template <typename T>
uint64_t round_native(long double value, int mode) {
  RoundingScope scope(mode);
  volatile long double kept = value;
  volatile T result = static_cast<T>(kept);
  return result_bits<T>(result);
}

const Real REALS[] = {
    {"f16", Kind::f16, 70, [](uint64_t b) { return HALF.value(uint32_t(b)); },
     [](long double v, int mode) -> uint64_t {
       volatile double low = double(v);  // rounded to odd below, so that one rounding decides
       int beyond = v == low ? 0 : v > low ? 1 : -1;
       return HALF.round(low, mode, false, beyond);
     }},
    {"f32", Kind::f32, 70, [](uint64_t b) { return double(from_bits<float>(b)); },
     round_native<float>},
    {"f64", Kind::f64, 70, [](uint64_t b) { return from_bits<double>(b); }, round_native<double>},
    {"bf16", Kind::bf16, 90, [](uint64_t b) { return BRAIN.value(uint32_t(b)); },
     [](long double v, int mode) -> uint64_t {
       volatile double low = double(v);
       int beyond = v == low ? 0 : v > low ? 1 : -1;
       return BRAIN.round(low, mode, false, beyond);
     }}};

uint64_t saturated_bits(const Real& type, uint64_t bits) {
  double value = type.value(bits);
  if (!(value > 0)) return 0;
  return value < 1 ? bits : type.round(1.0L, FE_TONEAREST);
}

template <typename From>
void add_from_integer(Table& table, const Real& to) {
  for (const RoundingMode& rounding : ROUNDINGS)
    for (bool sat : {false, true}) {
      if (to.name == "bf16" && sat) continue;
      std::string name = std::string("cvt.") + rounding.name + (sat ? ".sat." : ".") + to.name +
                         "." + type_name<From>();
      int mode = rounding.mode;
      table.add({name,
                 plain(name, 1),
                 {kind_of<From>()},
                 {to.kind},
                 [=](const Values& in, Values& out) {
                   out[0] = to.round(static_cast<long double>(from_bits<From>(in[0])), mode);
                   if (sat) out[0] = saturated_bits(to, out[0]);
                 },
                 {},
                 Compare::exact,
                 0,
                 0,
                 to.min_target});
    }
}

const RoundingMode INTEGER_ROUNDINGS[] = {
    {"rni", FE_TONEAREST}, {"rzi", FE_TOWARDZERO}, {"rmi", FE_DOWNWARD}, {"rpi", FE_UPWARD}};

double to_whole(double value, int mode) {
  RoundingScope scope(mode);
  volatile double kept = value;
  return std::nearbyint(kept);
}

// A NaN as f64, which can hold the payload of every type.
uint64_t wide_nan(const Real& from, uint64_t bits) {
  if (from.kind == Kind::f64) return bits | 0x0008000000000000;
  unsigned fraction_bits = from.kind == Kind::f32 ? 23 : from.kind == Kind::f16 ? 10 : 7;
  uint64_t sign = bits >> (8 * bytes_of(from.kind) - 1);
  uint64_t fraction = bits & ((uint64_t{1} << fraction_bits) - 1);
  return sign << 63 | 0x7FF8000000000000 | fraction << (52 - fraction_bits);
}

// The result of a NaN: if its payload survives, the upper bits do.
uint64_t nan_between(const Real& to, const Real& from, uint64_t bits, bool ftz) {
  uint64_t wide = wide_nan(from, bits);
  uint64_t sign = wide >> 63, fraction = wide & 0x000FFFFFFFFFFFFF;
  if (to.kind == Kind::f64) return ftz ? 0x7FFFFFFFE0000000 : wide;
  if (to.kind == Kind::f16 && from.kind == Kind::f64) return sign << 15 | 0x7C00 | fraction >> 42;
  bool keeps = from.kind == Kind::f64 || from.kind == Kind::bf16;
  if (to.is_single() && keeps) return sign << 31 | 0x7F800000 | fraction >> 29;
  return to.is_single() ? 0x7FFFFFFF : 0x7FFF;
}

double input_of(const Real& from, uint64_t bits, bool ftz) {
  double value = from.value(bits);
  if (!ftz || !from.is_single()) return value;
  return flushed(from_bits<float>(bits));
}

// Values out of range become the nearest limit; NaN becomes 0, or the top bit if 64 bits are
// involved.
template <typename To>
void add_to_integer(Table& table, const Real& from) {
  for (const RoundingMode& rounding : INTEGER_ROUNDINGS)
    for (bool ftz : {false, true}) {
      if (ftz && !from.is_single()) continue;
      std::string name = std::string("cvt.") + rounding.name + (ftz ? ".ftz." : ".") +
                         type_name<To>() + "." + from.name;
      int mode = rounding.mode;
      bool wide = from.kind == Kind::f64 || sizeof(To) == 8;
      table.add({name,
                 plain(name, 1),
                 {from.kind},
                 {kind_of<To>()},
                 [=](const Values& in, Values& out) {
                   double value = input_of(from, in[0], ftz);
                   if (value != value) {
                     To special = wide ? To(uint64_t{1} << (8 * sizeof(To) - 1)) : To(0);
                     out[0] = in_register<To>(special);
                   } else {
                     out[0] = in_register<To>(clamp_to<To>(to_whole(value, mode)));
                   }
                 },
                 {},
                 Compare::exact,
                 0,
                 0,
                 from.min_target});
    }
}

bool narrows(const Real& to, const Real& from) {
  return bytes_of(to.kind) < bytes_of(from.kind) ||
         (to.kind != from.kind && bytes_of(to.kind) == bytes_of(from.kind));
}

void add_real_row(Table& table, const Real& to, const Real& from, const std::string& rounding,
                  int mode, bool whole, bool ftz, bool sat) {
  std::string name = "cvt" + rounding + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + "." + to.name +
                     "." + from.name;
  table.add({name,
             plain(name, 1),
             {from.kind},
             {to.kind},
             [=](const Values& in, Values& out) {
               // .ftz applies to the operand's subnormals only if the result type also has them.
               double value = input_of(from, in[0], ftz && to.kind != Kind::f16);
               if (value != value && !sat) {
                 bool moves = to.kind == from.kind && bytes_of(to.kind) > 2 && !whole && !ftz;
                 bool widens = from.kind == Kind::bf16 && to.is_single() && !ftz;
                 out[0] = moves ? in[0] : widens ? in[0] << 16 : nan_between(to, from, in[0], ftz);
                 return;
               }
               if (whole) value = std::copysign(to_whole(value, mode), value);
               out[0] = to.round(value, mode);
               if (sat) out[0] = saturated_bits(to, out[0]);
               RoundingScope scope(mode);
               if (ftz && to.is_single() && is_tiny(value)) out[0] &= 0x80000000;
             },
             {},
             Compare::exact,
             0,
             0,
             std::max(to.min_target, from.min_target)});
}

void add_real_pair(Table& table, const Real& to, const Real& from) {
  bool single = to.is_single() || from.is_single();
  for (bool ftz : {false, true})
    for (bool sat : {false, true}) {
      bool brain = to.name == "bf16" || from.name == "bf16";
      if ((ftz && !single) || (brain && (ftz || sat))) continue;
      if (narrows(to, from)) {
        for (const RoundingMode& rounding : ROUNDINGS) {
          bool directed = rounding.mode == FE_DOWNWARD || rounding.mode == FE_UPWARD;
          if (to.name == "bf16" && directed) continue;
          if (brain && from.name != "f32") continue;
          add_real_row(table, to, from, std::string(".") + rounding.name, rounding.mode, false, ftz,
                       sat);
        }
      } else if (!brain || to.name == "f32") {
        add_real_row(table, to, from, "", FE_TONEAREST, false, ftz, sat);
      }
      if (to.kind != from.kind || brain) continue;
      for (const RoundingMode& rounding : INTEGER_ROUNDINGS)
        add_real_row(table, to, from, std::string(".") + rounding.name, rounding.mode, true, ftz,
                     sat);
    }
}

// d = {a, b}: a becomes the upper half.
void add_packed(Table& table, const std::string& name, const SmallFormat& format, Kind out,
                unsigned bits, int mode, bool relu, bool finite, unsigned min_target) {
  table.add({name,
             plain(name, 2),
             {Kind::f32, Kind::f32},
             {out},
             [=](const Values& in, Values& o) {
               o[0] = 0;
               for (int i = 0; i < 2; ++i) {
                 double value = from_bits<float>(in[i]);
                 uint32_t half = format.round(value, mode, finite);
                 if (relu && value == value && half & format.sign_bit()) half = 0;
                 o[0] |= uint64_t(half) << (i == 0 ? bits : 0);
               }
             },
             {},
             Compare::exact,
             0,
             0,
             min_target});
}

void add_packed_rows(Table& table) {
  for (int i : {0, 1}) {
    std::string r = ROUNDINGS[i].name;
    int mode = ROUNDINGS[i].mode;
    for (bool relu : {false, true}) {
      std::string m = "cvt." + r + (relu ? ".relu" : "");
      add_packed(table, m + ".f16x2.f32", HALF, Kind::f16x2, 16, mode, relu, false, 80);
      add_packed(table, m + ".bf16x2.f32", BRAIN, Kind::bf16x2, 16, mode, relu, false, 80);
    }
  }
  for (bool relu : {false, true}) {
    std::string m = std::string("cvt.rn.satfinite") + (relu ? ".relu" : "");
    add_packed(table, m + ".e4m3x2.f32", E4_M3, Kind::u16, 8, FE_TONEAREST, relu, true, 89);
    add_packed(table, m + ".e5m2x2.f32", E5_M2, Kind::u16, 8, FE_TONEAREST, relu, true, 89);
  }
  struct Small {
    const char* name;
    SmallFormat format;
  };
  for (const Small& small : {Small{"e4m3x2", E4_M3}, Small{"e5m2x2", E5_M2}})
    for (bool relu : {false, true}) {
      std::string name = std::string("cvt.rn.") + (relu ? "relu." : "") + "f16x2." + small.name;
      SmallFormat format = small.format;
      table.add({name,
                 plain(name, 1),
                 {Kind::u16},
                 {Kind::f16x2},
                 [=](const Values& in, Values& out) {
                   out[0] = 0;
                   for (int i = 0; i < 2; ++i) {
                     double value = format.value(uint32_t(in[0] >> 8 * i & 0xFF));
                     uint32_t half = HALF.round(value, FE_TONEAREST);
                     if (relu && value == value && half & 0x8000) half = 0;
                     out[0] |= uint64_t(half) << 16 * i;
                   }
                 },
                 {},
                 Compare::exact,
                 0,
                 0,
                 89});
      std::string back = std::string("cvt.rn.satfinite.") + (relu ? "relu." : "") + small.name;
      table.add({back + ".f16x2",
                 plain(back + ".f16x2", 1),
                 {Kind::f16x2},
                 {Kind::u16},
                 [=](const Values& in, Values& out) {
                   out[0] = 0;
                   for (int i = 0; i < 2; ++i) {
                     double value = HALF.value(uint32_t(in[0] >> 16 * i & 0xFFFF));
                     uint32_t byte = format.round(value, FE_TONEAREST, true);
                     if (relu && value == value && byte & 0x80) byte = 0;
                     out[0] |= uint64_t(byte) << 8 * i;
                   }
                 },
                 {},
                 Compare::exact,
                 0,
                 0,
                 89});
    }
}

// tf32: 10 fraction bits of f32; .rna rounds halves away from zero.
void add_tf32(Table& table) {
  table.add({"cvt.rna.tf32.f32",
             plain("cvt.rna.tf32.f32", 1),
             {Kind::f32},
             {Kind::f32},
             [](const Values& in, Values& out) {
               bool special = (in[0] & 0x7F800000) == 0x7F800000;
               out[0] = (special ? in[0] : in[0] + 0x1000) & 0xFFFFE000;
             },
             {},
             Compare::exact,
             0,
             0,
             80});
}

}  // namespace

void add_convert_cases(Table& table) {
  auto integers = [](auto f) {
    for_types<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(f);
  };
  integers([&](auto to) {
    integers([&](auto from) { add_integer<decltype(to), decltype(from)>(table); });
    for (const Real& real : REALS) {
      // For bf16 only the forms that every device since sm_90 has.
      if (real.name == "bf16") continue;
      add_from_integer<decltype(to)>(table, real);
      add_to_integer<decltype(to)>(table, real);
    }
  });
  for (const Real& to : REALS)
    for (const Real& from : REALS) add_real_pair(table, to, from);
  add_packed_rows(table);
  add_tf32(table);
}

}  // namespace cucore::cpu::ops
