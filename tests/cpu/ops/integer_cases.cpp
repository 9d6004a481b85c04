// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic, computed here in 128 bits and cut.
#include "typed.hpp"

namespace cucore::cpu::ops {
namespace {

template <typename T>
using Unsigned = std::make_unsigned_t<T>;

template <typename T>
T clamp_to(int128 value) {
  using L = std::numeric_limits<T>;
  return value < int128(L::min()) ? L::min() : value > int128(L::max()) ? L::max() : T(value);
}

template <typename T>
int128 high_half(T a, T b) {
  int128 product = std::is_signed_v<T> ? int128(a) * int128(b) : int128(uint128(a) * uint128(b));
  return std::is_signed_v<T> ? product >> (8 * sizeof(T))
                             : int128(uint128(product) >> (8 * sizeof(T)));
}

template <typename T>
T quotient(T a, T b) {
  if (b == 0) return T(~T(0));
  return T(int128(a) / int128(b));
}

// PTX does not define division by zero; devices return all ones, also as the remainder.
template <typename T>
T remainder(T a, T b) {
  if (b == 0) return T(~T(0));
  return T(int128(a) % int128(b));
}

template <typename T>
void add_for(Table& table, const std::string& t) {
  add_binary<T>(table, "add." + t, [](T a, T b) { return T(int128(a) + b); });
  add_binary<T>(table, "sub." + t, [](T a, T b) { return T(int128(a) - b); });
  add_binary<T>(table, "mul.lo." + t, [](T a, T b) { return T(uint128(a) * uint128(b)); });
  add_binary<T>(table, "mul.hi." + t, [](T a, T b) { return T(high_half(a, b)); });
  add_binary<T>(table, "div." + t, [](T a, T b) { return quotient(a, b); });
  add_binary<T>(table, "rem." + t, [](T a, T b) { return remainder(a, b); });
  add_binary<T>(table, "min." + t, [](T a, T b) { return a < b ? a : b; });
  add_binary<T>(table, "max." + t, [](T a, T b) { return a > b ? a : b; });
  add_ternary<T>(table, "mad.lo." + t,
                 [](T a, T b, T c) { return T(uint128(a) * uint128(b) + uint128(c)); });
  add_ternary<T>(table, "mad.hi." + t,
                 [](T a, T b, T c) { return T(uint128(high_half(a, b)) + uint128(c)); });
  add_ternary<T>(table, "sad." + t, [](T a, T b, T c) {
    return T(int128(c) + (a < b ? int128(b) - a : int128(a) - b));
  });
}

template <typename T, typename W>
void add_wide(Table& table, const std::string& t) {
  table.add({"mul.wide." + t,
             plain("mul.wide." + t, 2),
             {kind_of<T>(), kind_of<T>()},
             {kind_of<W>()},
             [](const Values& in, Values& out) {
               out[0] = to_bits<W>(W(int128(from_bits<T>(in[0])) * from_bits<T>(in[1])));
             }});
  table.add({"mad.wide." + t,
             plain("mad.wide." + t, 3),
             {kind_of<T>(), kind_of<T>(), kind_of<W>()},
             {kind_of<W>()},
             [](const Values& in, Values& out) {
               int128 product = int128(from_bits<T>(in[0])) * from_bits<T>(in[1]);
               out[0] = to_bits<W>(W(product + from_bits<W>(in[2])));
             }});
}

template <typename T>
void add_signed(Table& table, const std::string& t) {
  add_unary<T>(table, "neg." + t, [](T a) { return T(-int128(a)); });
  add_unary<T>(table, "abs." + t, [](T a) { return T(a < 0 ? -int128(a) : int128(a)); });
}

void add_saturating(Table& table) {
  using T = int32_t;
  add_binary<T>(table, "add.sat.s32", [](T a, T b) { return clamp_to<T>(int128(a) + b); });
  add_binary<T>(table, "sub.sat.s32", [](T a, T b) { return clamp_to<T>(int128(a) - b); });
  add_ternary<T>(table, "mad.hi.sat.s32",
                 [](T a, T b, T c) { return clamp_to<T>(high_half(a, b) + c); });
}

// 24-bit operands; .lo is bits 0-31 of the 48-bit product, .hi bits 16-47.
template <typename T>
void add_24(Table& table, const std::string& t) {
  auto low24 = [](T v) -> int128 {
    uint32_t shifted = uint32_t(v) << 8;
    return std::is_signed_v<T> ? int128(int32_t(shifted) >> 8) : int128(shifted >> 8);
  };
  auto lo = [low24](T a, T b) { return T(low24(a) * low24(b)); };
  auto hi = [low24](T a, T b) { return T((low24(a) * low24(b)) >> 16); };
  add_binary<T>(table, "mul24.lo." + t, lo);
  add_binary<T>(table, "mul24.hi." + t, hi);
  add_ternary<T>(table, "mad24.lo." + t, [lo](T a, T b, T c) { return T(int128(lo(a, b)) + c); });
  add_ternary<T>(table, "mad24.hi." + t, [hi](T a, T b, T c) { return T(int128(hi(a, b)) + c); });
  if (std::is_signed_v<T>)
    add_ternary<T>(table, "mad24.hi.sat." + t,
                   [hi](T a, T b, T c) { return clamp_to<T>(int128(hi(a, b)) + c); });
}

// Sums of two words: the carry goes from the first instruction to the second.
template <typename T>
void add_carry(Table& table, const std::string& t) {
  using U = Unsigned<T>;
  constexpr unsigned BITS = 8 * sizeof(U);
  Kind k = kind_of<T>();
  for (std::string end : {"", ".cc"}) {
    std::string tail = end.empty() ? "" : " addc." + t + " $d2, 0, 0;";
    table.add({"add.cc." + t + " addc" + end + "." + t,
               "add.cc." + t + " $d0, $0, $1; addc" + end + "." + t + " $d1, $0, $2;" + tail,
               {k, k, k},
               end.empty() ? std::vector<Kind>{k, k} : std::vector<Kind>{k, k, k},
               [end](const Values& in, Values& out) {
                 uint128 low = uint128(U(in[0])) + U(in[1]);
                 uint128 high = uint128(U(in[0])) + U(in[2]) + (low >> BITS);
                 out[0] = U(low);
                 out[1] = U(high);
                 if (!end.empty()) out[2] = U(high >> BITS);
               }});
    std::string subtract_tail = end.empty() ? "" : " subc." + t + " $d2, 0, 0;";
    table.add(
        {"sub.cc." + t + " subc" + end + "." + t,
         "sub.cc." + t + " $d0, $0, $1; subc" + end + "." + t + " $d1, $0, $2;" + subtract_tail,
         {k, k, k},
         end.empty() ? std::vector<Kind>{k, k} : std::vector<Kind>{k, k, k},
         [end](const Values& in, Values& out) {
           uint128 low = uint128(U(in[0])) - U(in[1]);
           unsigned borrow = low >> BITS != 0;
           uint128 high = uint128(U(in[0])) - U(in[2]) - borrow;
           out[0] = U(low);
           out[1] = U(high);
           if (!end.empty()) out[2] = U(U(0) - U(high >> BITS != 0));
         }});
  }
}

// madc: the low or high half of a product, plus a word, plus the carry of an earlier addition.
template <typename T>
void add_mad_carry(Table& table, const std::string& t) {
  using U = Unsigned<T>;
  constexpr unsigned BITS = 8 * sizeof(U);
  Kind k = kind_of<T>();
  for (bool high : {false, true}) {
    std::string half = high ? "hi" : "lo";
    auto product = [high](const Values& in) {
      T a = from_bits<T>(in[0]), b = from_bits<T>(in[1]);
      return high ? U(high_half(a, b)) : U(uint128(a) * uint128(b));
    };
    table.add({"mad." + half + ".cc." + t + " madc." + half + ".cc." + t,
               "mad." + half + ".cc." + t + " $d0, $0, $1, $2; madc." + half + ".cc." + t +
                   " $d1, $0, $1, $2; addc." + t + " $d2, 0, 0;",
               {k, k, k},
               {k, k, k},
               [product](const Values& in, Values& out) {
                 uint128 first = uint128(product(in)) + U(in[2]);
                 uint128 second = uint128(product(in)) + U(in[2]) + (first >> BITS);
                 out[0] = U(first);
                 out[1] = U(second);
                 out[2] = U(second >> BITS);
               }});
    table.add({"madc." + half + "." + t,
               "add.cc." + t + " $d0, $0, $1; madc." + half + "." + t + " $d1, $0, $1, $2;",
               {k, k, k},
               {k, k},
               [product](const Values& in, Values& out) {
                 uint128 first = uint128(U(in[0])) + U(in[1]);
                 out[0] = U(first);
                 out[1] = U(uint128(product(in)) + U(in[2]) + (first >> BITS));
               }});
  }
}

template <typename A, typename B>
void add_dot(Table& table) {
  std::string suffix = "." + std::string(std::is_signed_v<A> ? "s32" : "u32") +
                       (std::is_signed_v<B> ? ".s32" : ".u32");
  std::vector<Kind> in = {Kind::u32, Kind::u32, Kind::u32};
  table.add({"dp4a" + suffix,
             plain("dp4a" + suffix, 3),
             in,
             {Kind::u32},
             [](const Values& v, Values& out) {
               int64_t sum = int64_t(v[2]);
               for (int i = 0; i < 4; ++i) sum += int64_t(A(v[0] >> 8 * i)) * B(v[1] >> 8 * i);
               out[0] = uint32_t(sum);
             }});
  using A16 = std::conditional_t<std::is_signed_v<A>, int16_t, uint16_t>;
  for (int half : {0, 1}) {
    std::string name = std::string(half ? "dp2a.hi" : "dp2a.lo") + suffix;
    table.add({name, plain(name, 3), in, {Kind::u32}, [half](const Values& v, Values& out) {
                 int64_t sum = int64_t(v[2]);
                 for (int i = 0; i < 2; ++i)
                   sum += int64_t(A16(v[0] >> 16 * i)) * B(v[1] >> (16 * half + 8 * i));
                 out[0] = uint32_t(sum);
               }});
  }
}

}  // namespace

void add_integer_cases(Table& table) {
  for_types<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(
      [&](auto t) { add_for<decltype(t)>(table, type_name<decltype(t)>()); });
  add_wide<uint16_t, uint32_t>(table, "u16");
  add_wide<int16_t, int32_t>(table, "s16");
  add_wide<uint32_t, uint64_t>(table, "u32");
  add_wide<int32_t, int64_t>(table, "s32");
  for_types<int16_t, int32_t, int64_t>(
      [&](auto t) { add_signed<decltype(t)>(table, type_name<decltype(t)>()); });
  add_saturating(table);
  add_24<uint32_t>(table, "u32");
  add_24<int32_t>(table, "s32");
  for_types<uint32_t, int32_t, uint64_t, int64_t>([&](auto t) {
    add_carry<decltype(t)>(table, type_name<decltype(t)>());
    add_mad_carry<decltype(t)>(table, type_name<decltype(t)>());
  });
  add_dot<int8_t, int8_t>(table);
  add_dot<int8_t, uint8_t>(table);
  add_dot<uint8_t, int8_t>(table);
  add_dot<uint8_t, uint8_t>(table);
}

}  // namespace cucore::cpu::ops
