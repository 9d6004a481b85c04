// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, bit fields, counting and permutation, bit by bit if that is the definition.
#include "typed.hpp"

namespace cucore::cpu::ops {
namespace {

template <typename T>
constexpr unsigned BITS = 8 * sizeof(T);

bool bit_at(uint64_t value, unsigned place) { return value >> place & 1; }

template <typename T>
void add_logic(Table& table) {
  std::string t = bits_name<T>();
  add_binary<T>(table, "and." + t, [](T a, T b) { return T(a & b); });
  add_binary<T>(table, "or." + t, [](T a, T b) { return T(a | b); });
  add_binary<T>(table, "xor." + t, [](T a, T b) { return T(a ^ b); });
  add_unary<T>(table, "not." + t, [](T a) { return T(~a); });
  add_unary<T>(table, "cnot." + t, [](T a) { return T(a == 0); });
}

void add_predicate_logic(Table& table) {
  auto body = [](const std::string& name, const std::string& sources) {
    return "setp.ne.u32 %p0, $0, 0; setp.ne.u32 %p1, $1, 0; " + name + " %p2, " + sources +
           "; selp.u32 $d0, 1, 0, %p2;";
  };
  std::vector<Kind> two = {Kind::pred, Kind::pred};
  // The sources themselves, and each mixture of sources and their complements.
  auto add = [&](const std::string& name, bool unary, auto f) {
    for (unsigned negated = 0; negated < (unary ? 2u : 4u); ++negated) {
      const std::string sources = std::string(negated & 1 ? "!" : "") + "%p0" +
                                  (unary         ? ""
                                   : negated & 2 ? ", !%p1"
                                                 : ", %p1");
      table.add({negated ? name + " " + sources : name,
                 body(name, sources),
                 two,
                 {Kind::u32},
                 [f, negated](const Values& in, Values& out) {
                   const auto of = [&](unsigned k) { return in[k] ^ (negated >> k & 1); };
                   out[0] = f(of(0), of(1)) & 1;
                 }});
    }
  };
  add("and.pred", false, [](uint64_t a, uint64_t b) { return a & b; });
  add("or.pred", false, [](uint64_t a, uint64_t b) { return a | b; });
  add("xor.pred", false, [](uint64_t a, uint64_t b) { return a ^ b; });
  add("not.pred", true, [](uint64_t a, uint64_t) { return ~a; });
  table.add({"mov.pred !%p0",
             body("mov.pred", "!%p0"),
             two,
             {Kind::u32},
             [](const Values& in, Values& out) { out[0] = !in[0]; }});
}

// Amounts of at least the width shift all bits out.
template <typename T>
uint64_t shifted_left(T a, uint64_t n) {
  return n >= BITS<T> ? 0 : to_bits<T>(T(std::make_unsigned_t<T>(a) << n));
}
template <typename T>
uint64_t shifted_right(T a, uint64_t n) {
  if (n >= BITS<T>) return std::is_signed_v<T> && a < 0 ? to_bits<T>(T(-1)) : 0;
  return to_bits<T>(T(a >> n));
}

template <typename T>
void add_shift(Table& table, const std::string& name, uint64_t (*f)(T, uint64_t)) {
  table.add({name,
             plain(name, 2),
             {kind_of<T>(), Kind::shift},
             {kind_of<T>()},
             [f](const Values& in, Values& out) { out[0] = f(from_bits<T>(in[0]), in[1]); }});
}

void add_shifts(Table& table) {
  for_types<uint16_t, uint32_t, uint64_t>([&](auto t) {
    using T = decltype(t);
    add_shift<T>(table, "shl." + bits_name<T>(), shifted_left<T>);
    add_shift<T>(table, "shr." + bits_name<T>(), shifted_right<T>);
    add_shift<T>(table, "shr." + type_name<T>(), shifted_right<T>);
    using S = std::make_signed_t<T>;
    add_shift<S>(table, "shr." + type_name<S>(), shifted_right<S>);
  });
}

void add_funnel(Table& table, const std::string& side, const std::string& mode) {
  std::string name = "shf." + side + "." + mode + ".b32";
  bool left = side == "l", clamp = mode == "clamp";
  table.add({name,
             plain(name, 3),
             {Kind::u32, Kind::u32, Kind::shift},
             {Kind::u32},
             [left, clamp](const Values& in, Values& out) {
               uint64_t both = in[1] << 32 | in[0];
               uint64_t n = clamp ? (in[2] < 32 ? in[2] : 32) : in[2] % 32;
               out[0] = uint32_t(left ? both >> (32 - n) : both >> n);
             }});
}

template <typename T>
void add_counting(Table& table) {
  constexpr unsigned WIDTH = BITS<T>;
  std::string t = bits_name<T>();
  auto add = [&](const std::string& name, Kind out, auto f) {
    table.add({name, plain(name, 1), {kind_of<T>()}, {out}, [f](const Values& in, Values& o) {
                 o[0] = f(in[0]);
               }});
  };
  add("popc." + t, Kind::u32, [](uint64_t v) {
    uint64_t count = 0;
    for (unsigned i = 0; i < WIDTH; ++i) count += bit_at(v, i);
    return count;
  });
  add("clz." + t, Kind::u32, [](uint64_t v) {
    uint64_t count = 0;
    while (count < WIDTH && !bit_at(v, WIDTH - 1 - count)) ++count;
    return count;
  });
  add("brev." + t, kind_of<T>(), [](uint64_t v) {
    uint64_t reversed = 0;
    for (unsigned i = 0; i < WIDTH; ++i) reversed |= uint64_t(bit_at(v, i)) << (WIDTH - 1 - i);
    return reversed;
  });
}

// Position of the highest bit that differs from the sign.
template <typename T>
void add_bfind(Table& table) {
  for (bool amount : {false, true}) {
    std::string name = std::string("bfind.") + (amount ? "shiftamt." : "") + type_name<T>();
    table.add({name,
               plain(name, 1),
               {kind_of<T>()},
               {Kind::u32},
               [amount](const Values& in, Values& out) {
                 constexpr int TOP = int(BITS<T>) - 1;
                 bool sign = std::is_signed_v<T> && bit_at(in[0], TOP);
                 int place = TOP;
                 while (place >= 0 && bit_at(in[0], unsigned(place)) == sign) --place;
                 out[0] = uint32_t(place >= 0 && amount ? TOP - place : place);
               }});
  }
}

template <typename T>
void add_bfe(Table& table) {
  std::string name = "bfe." + type_name<T>();
  table.add({name,
             plain(name, 3),
             {kind_of<T>(), Kind::shift, Kind::shift},
             {kind_of<T>()},
             [](const Values& in, Values& out) {
               // As in PTX's pseudo code, but with 64 bits devices do not cut start and length to 8
               // bits.
               constexpr uint64_t TOP = BITS<T> - 1, CUT = sizeof(T) == 8 ? UINT32_MAX : 0xFF;
               uint64_t start = in[1] & CUT, length = in[2] & CUT;
               bool fill = false;
               if (std::is_signed_v<T> && length != 0)
                 fill = bit_at(in[0], unsigned(std::min(start + length - 1, TOP)));
               out[0] = 0;
               for (unsigned i = 0; i <= TOP; ++i) {
                 bool inside = i < length && start + i <= TOP;
                 out[0] |= uint64_t(inside ? bit_at(in[0], unsigned(start) + i) : fill) << i;
               }
             }});
}

template <typename T>
void add_bfi(Table& table) {
  std::string name = "bfi." + bits_name<T>();
  table.add({name,
             plain(name, 4),
             {kind_of<T>(), kind_of<T>(), Kind::shift, Kind::shift},
             {kind_of<T>()},
             [](const Values& in, Values& out) {
               unsigned start = in[2] & 0xFF, length = in[3] & 0xFF;
               out[0] = in[1];
               for (unsigned i = 0; i < length && start + i < BITS<T>; ++i) {
                 uint64_t mask = uint64_t{1} << (start + i);
                 bool bit = i < BITS<T> && bit_at(in[0], i);
                 out[0] = bit ? out[0] | mask : out[0] & ~mask;
               }
             }});
}

void add_masks(Table& table, bool clamp) {
  std::string mode = clamp ? "clamp" : "wrap";
  auto limited = [clamp](uint64_t n) { return clamp ? (n < 32 ? n : 32) : n % 32; };
  std::string name = "bmsk." + mode + ".b32";
  table.add({name,
             plain(name, 2),
             {Kind::shift, Kind::shift},
             {Kind::u32},
             [limited](const Values& in, Values& out) {
               uint64_t start = limited(in[0]), length = limited(in[1]);
               out[0] = uint32_t(((uint64_t{1} << length) - 1) << start);
             },
             {},
             Compare::exact,
             0,
             0,
             70});
  for (bool is_signed : {false, true}) {
    std::string extend = "szext." + mode + (is_signed ? ".s32" : ".u32");
    table.add({extend,
               plain(extend, 2),
               {Kind::u32, Kind::shift},
               {Kind::u32},
               [limited, is_signed](const Values& in, Values& out) {
                 uint64_t n = limited(in[1]);
                 out[0] = n == 32 ? in[0] : in[0] & ((uint64_t{1} << n) - 1);
                 bool sign = is_signed && n > 0 && bit_at(in[0], unsigned(n - 1));
                 if (sign && n < 32) out[0] |= uint32_t(~uint64_t{0} << n);
               }});
  }
}

void add_fns(Table& table) {
  // Pseudo code of PTX, for base 0 to 31.
  table.add({"fns.b32",
             "and.b32 %t0, $1, 31; fns.b32 $d0, $0, %t0, $2;",
             {Kind::u32, Kind::shift, Kind::s32},
             {Kind::u32},
             [](const Values& in, Values& out) {
               uint64_t mask = in[0];
               int base = int(in[1] & 31);
               int64_t offset = int32_t(in[2]);
               out[0] = UINT32_MAX;
               if (offset == 0) {
                 if (bit_at(mask, unsigned(base))) out[0] = uint64_t(base);
                 return;
               }
               int64_t count = std::llabs(offset) - 1;
               int step = offset > 0 ? 1 : -1;
               for (int position = base; position >= 0 && position < 32; position += step) {
                 if (!bit_at(mask, unsigned(position))) continue;
                 if (count-- == 0) {
                   out[0] = uint64_t(position);
                   return;
                 }
               }
             }});
}

void add_lop3(Table& table) {
  for (unsigned lut : {0x00u, 0x96u, 0xE8u, 0xCAu, 0x80u, 0xFEu, 0x01u, 0x5Au, 0xFFu}) {
    auto f = [lut](uint64_t a, uint64_t b, uint64_t c) {
      uint64_t result = 0;
      for (unsigned i = 0; i < 32; ++i) {
        unsigned row = unsigned(bit_at(a, i)) << 2 | unsigned(bit_at(b, i)) << 1 | bit_at(c, i);
        result |= uint64_t(lut >> row & 1) << i;
      }
      return result;
    };
    std::string number = std::to_string(lut);
    table.add({"lop3.b32 " + number,
               "lop3.b32 $d0, $0, $1, $2, " + number + ";",
               {Kind::u32, Kind::u32, Kind::u32},
               {Kind::u32},
               [f](const Values& in, Values& out) { out[0] = f(in[0], in[1], in[2]); }});
  }
}

// The predicate alone is wanted.
void add_lop3_sinks(Table& table) {
  for (bool is_and : {true, false}) {
    const std::string name = is_and ? "lop3.and.b32" : "lop3.or.b32";
    table.add({name + " sink",
               "setp.ne.u32 %p0, $3, 0; " + name +
                   " _|%p1, $0, $1, $2, 0x96, %p0; selp.u32 $d0, 1, 0, %p1;",
               {Kind::u32, Kind::u32, Kind::u32, Kind::pred},
               {Kind::u32},
               [is_and](const Values& in, Values& out) {
                 const bool any = uint32_t(in[0] ^ in[1] ^ in[2]) != 0, q = in[3] != 0;
                 out[0] = is_and ? any && q : any || q;
               }});
  }
}

void add_prmt(Table& table) {
  auto selected = [](const Values& in, unsigned selector) {
    uint64_t both = in[1] << 32 | in[0];
    uint64_t byte = both >> 8 * (selector & 7) & 0xFF;
    return selector & 8 ? (byte & 0x80 ? 0xFF : 0) : byte;
  };
  for (unsigned selector : {0x3210u, 0x7654u, 0x0123u, 0xFEDCu, 0xBA98u, 0x5140u})
    table.add({"prmt.b32 " + std::to_string(selector),
               "prmt.b32 $d0, $0, $1, " + std::to_string(selector) + ";",
               {Kind::u32, Kind::u32},
               {Kind::u32},
               [selected, selector](const Values& in, Values& out) {
                 out[0] = 0;
                 for (unsigned i = 0; i < 4; ++i)
                   out[0] |= selected(in, selector >> 4 * i & 15) << 8 * i;
               }});
  struct Mode {
    const char* name;
    unsigned selectors[4];
  };
  static constexpr Mode MODES[] = {
      {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
      {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
      {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  for (const Mode& mode : MODES) {
    std::string name = std::string("prmt.b32.") + mode.name;
    table.add({name,
               plain(name, 3),
               {Kind::u32, Kind::u32, Kind::shift},
               {Kind::u32},
               [selected, mode](const Values& in, Values& out) {
                 unsigned selector = mode.selectors[in[2] & 3];
                 out[0] = 0;
                 for (unsigned i = 0; i < 4; ++i)
                   out[0] |= selected(in, selector >> 4 * i & 15) << 8 * i;
               }});
  }
}

}  // namespace

void add_bit_cases(Table& table) {
  for_types<uint16_t, uint32_t, uint64_t>([&](auto t) { add_logic<decltype(t)>(table); });
  add_predicate_logic(table);
  add_shifts(table);
  for (const char* side : {"l", "r"})
    for (const char* mode : {"wrap", "clamp"}) add_funnel(table, side, mode);
  add_counting<uint32_t>(table);
  add_counting<uint64_t>(table);
  for_types<uint32_t, int32_t, uint64_t, int64_t>([&](auto t) {
    add_bfind<decltype(t)>(table);
    add_bfe<decltype(t)>(table);
  });
  add_bfi<uint32_t>(table);
  add_bfi<uint64_t>(table);
  add_masks(table, true);
  add_masks(table, false);
  add_fns(table);
  add_lop3(table);
  add_lop3_sinks(table);
  add_prmt(table);
}

}  // namespace cucore::cpu::ops
