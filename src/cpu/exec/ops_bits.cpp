// SPDX-License-Identifier: Apache-2.0
// Handlers of logic, shifts, bit fields and permutations.
#include "cpu/exec/families.hpp"
#include "cpu/exec/lanes.hpp"

namespace cucore::cpu::CUCPU_SIMD {
namespace {

using enum Regular;
using ptx::Form;
using ptx::Mode;
using ptx::Opcode;
using ptx::Type;

template <class T>
constexpr uint32_t BITS = 8 * sizeof(T);

struct And {
  template <class T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  static T apply(T a) {
    return T(~a);
  }
};
struct Cnot {
  template <class T>
  static T apply(T a) {
    return a == 0 ? 1 : 0;
  }
};

template <class F>
void predicate_binary(Warp& w, const Op& op) {
  write_bits(w, out<uint32_t>(w, op[RESULT]),
             F::apply(*in<uint32_t>(w, op[FIRST]), *in<uint32_t>(w, op[SECOND])));
}
void predicate_not(Warp& w, const Op& op) {
  write_bits(w, out<uint32_t>(w, op[RESULT]), ~*in<uint32_t>(w, op[FIRST]));
}

template <class F>
Handler logic(Type type) {
  if (type == Type::pred) return predicate_binary<F>;
  switch (ptx::size_of(type)) {
    case 2:
      return binary<uint16_t, F>;
    case 4:
      return binary<uint32_t, F>;
    case 8:
      return binary<uint64_t, F>;
    default:
      return nullptr;
  }
}
template <class F>
Handler logic_unary(Type type) {
  switch (ptx::size_of(type)) {
    case 2:
      return unary<uint16_t, F>;
    case 4:
      return unary<uint32_t, F>;
    case 8:
      return unary<uint64_t, F>;
    default:
      return nullptr;
  }
}

// ---- shifts: amounts of at least the width shift all bits out

template <class T>
void shift_left(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const uint32_t* b = in<uint32_t>(w, op[SECOND]);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) {
    const uint32_t n = b[l];
    return n < BITS<T> ? T(a[l] << (n & (BITS<T> - 1))) : T(0);
  });
}
template <class T>
void shift_right(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const uint32_t* b = in<uint32_t>(w, op[SECOND]);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) {
    const uint32_t n = b[l];
    if constexpr (IS_SIGNED<T>)
      return T(a[l] >> (n < BITS<T> ? n : BITS<T> - 1));
    else
      return n < BITS<T> ? T(a[l] >> (n & (BITS<T> - 1))) : T(0);
  });
}
Handler shift(const Form& f) {
  if (f.op == Opcode::shl) {
    switch (ptx::size_of(f.types[0])) {
      case 2:
        return shift_left<uint16_t>;
      case 4:
        return shift_left<uint32_t>;
      case 8:
        return shift_left<uint64_t>;
      default:
        return nullptr;
    }
  }
  switch (f.types[0]) {
    case Type::b16:
    case Type::u16:
      return shift_right<uint16_t>;
    case Type::s16:
      return shift_right<int16_t>;
    case Type::b32:
    case Type::u32:
      return shift_right<uint32_t>;
    case Type::s32:
      return shift_right<int32_t>;
    case Type::b64:
    case Type::u64:
      return shift_right<uint64_t>;
    case Type::s64:
      return shift_right<int64_t>;
    default:
      return nullptr;
  }
}

template <bool Left, bool Clamp>
void funnel(Warp& w, const Op& op) {
  const uint32_t* a = in<uint32_t>(w, op[FIRST]);
  const uint32_t* b = in<uint32_t>(w, op[SECOND]);
  const uint32_t* c = in<uint32_t>(w, op[THIRD]);
  each_lane(w, out<uint32_t>(w, op[RESULT]), [=](int l) {
    const uint64_t both = uint64_t(b[l]) << 32 | a[l];
    const uint32_t n = Clamp ? (c[l] < 32 ? c[l] : 32) : c[l] & 31;
    return Left ? uint32_t(both << n >> 32) : uint32_t(both >> n);
  });
}
Handler funnel_of(const Form& f) {
  const bool clamp = f.has(ptx::FLAG_CLAMP);
  if (f.mode == Mode::left) return clamp ? funnel<true, true> : funnel<true, false>;
  return clamp ? funnel<false, true> : funnel<false, false>;
}

// ---- counting and searching

CUCPU_INLINE uint32_t popcount(uint32_t v) { return uint32_t(__builtin_popcount(v)); }
CUCPU_INLINE uint32_t popcount(uint64_t v) { return uint32_t(__builtin_popcountll(v)); }
CUCPU_INLINE uint32_t leading_zeros(uint32_t v) { return v ? uint32_t(__builtin_clz(v)) : 32; }
CUCPU_INLINE uint32_t leading_zeros(uint64_t v) { return v ? uint32_t(__builtin_clzll(v)) : 64; }

CUCPU_INLINE uint32_t reverse(uint32_t v) {
  v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
  v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
  v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
  v = (v >> 8 & 0x00ff00ff) | (v & 0x00ff00ff) << 8;
  return v >> 16 | v << 16;
}
CUCPU_INLINE uint64_t reverse(uint64_t v) {
  return uint64_t(reverse(uint32_t(v))) << 32 | reverse(uint32_t(v >> 32));
}

template <class T>
void popc(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  each_lane(w, out<uint32_t>(w, op[RESULT]), [=](int l) { return popcount(a[l]); });
}
template <class T>
void clz(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  each_lane(w, out<uint32_t>(w, op[RESULT]), [=](int l) { return leading_zeros(a[l]); });
}
template <class T>
void brev(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) { return reverse(a[l]); });
}
// Returns the position of the most significant bit that differs from the sign.
template <class U, bool Signed, bool ShiftAmount>
void bfind(Warp& w, const Op& op) {
  const U* a = in<U>(w, op[FIRST]);
  each_lane(w, out<uint32_t>(w, op[RESULT]), [=](int l) {
    const U v = Signed && a[l] >> (BITS<U> - 1) ? U(~a[l]) : a[l];
    const uint32_t zeros = leading_zeros(v);
    if (zeros == BITS<U>) return ~uint32_t{0};
    return ShiftAmount ? zeros : BITS<U> - 1 - zeros;
  });
}
template <class U, bool Signed>
Handler bfind_of(const Form& f) {
  return f.has(ptx::FLAG_SHIFTAMT) ? Handler(bfind<U, Signed, true>)
                                   : Handler(bfind<U, Signed, false>);
}

uint32_t nth_set(uint32_t mask, uint32_t base, int32_t offset) {
  if (offset == 0) return base < 32 && (mask >> base & 1) ? base : ~uint32_t{0};
  const int32_t step = offset > 0 ? 1 : -1;
  uint32_t left = offset > 0 ? uint32_t(offset) - 1 : ~uint32_t(offset);
  for (int64_t at = base; at >= 0 && at < 32; at += step) {
    if (!(mask >> at & 1)) continue;
    if (left-- == 0) return uint32_t(at);
  }
  return ~uint32_t{0};
}
void fns(Warp& w, const Op& op) {
  const uint32_t* a = in<uint32_t>(w, op[FIRST]);
  const uint32_t* b = in<uint32_t>(w, op[SECOND]);
  const int32_t* c = in<int32_t>(w, op[THIRD]);
  uint32_t* d = out<uint32_t>(w, op[RESULT]);
  each_active(w, [=](int l) { d[l] = nth_set(a[l], b[l], c[l]); });
}

// ---- fields

template <class U>
CUCPU_INLINE U ones(uint32_t count) {
  return count >= BITS<U> ? U(~U{0}) : U((U{1} << count) - 1);
}
template <class U>
CUCPU_INLINE U shifted_right(U v, uint32_t n) {
  return n >= BITS<U> ? U{0} : U(v >> n);
}
template <class U>
CUCPU_INLINE U shifted_left(U v, uint32_t n) {
  return n >= BITS<U> ? U{0} : U(v << n);
}

// PTX specifies only the low 8 bits of position and length; with 64-bit types, devices use all
// bits.
template <class U, bool Signed>
void bfe(Warp& w, const Op& op) {
  constexpr uint32_t HEEDED = sizeof(U) == 8 ? ~uint32_t{0} : 0xff;
  const U* a = in<U>(w, op[FIRST]);
  const uint32_t* b = in<uint32_t>(w, op[SECOND]);
  const uint32_t* c = in<uint32_t>(w, op[THIRD]);
  each_lane(w, out<U>(w, op[RESULT]), [=](int l) {
    const uint32_t pos = b[l] & HEEDED, len = c[l] & HEEDED;
    // Bits beyond the top of the source are also copies of the sign.
    const uint32_t have = pos >= BITS<U> ? 0 : (len < BITS<U> - pos ? len : BITS<U> - pos);
    const uint32_t top = pos >= BITS<U> ? BITS<U> - 1 : pos + have - 1;
    const U sign = Signed && len ? U(0 - (a[l] >> (top & (BITS<U> - 1)) & 1)) : U{0};
    const U keep = ones<U>(have);
    return U((shifted_right(a[l], pos) & keep) | (sign & ~keep));
  });
}
template <class U>
void bfi(Warp& w, const Op& op) {
  const U* a = in<U>(w, op[FIRST]);
  const U* b = in<U>(w, op[SECOND]);
  const uint32_t* c = in<uint32_t>(w, op[THIRD]);
  const uint32_t* d = in<uint32_t>(w, op[FOURTH]);
  each_lane(w, out<U>(w, op[RESULT]), [=](int l) {
    const uint32_t pos = c[l] & 0xff, len = d[l] & 0xff;
    const U field = shifted_left(ones<U>(len), pos);
    return U((b[l] & ~field) | (shifted_left(a[l], pos) & field));
  });
}
template <bool Clamp>
void bmsk(Warp& w, const Op& op) {
  const uint32_t* a = in<uint32_t>(w, op[FIRST]);
  const uint32_t* b = in<uint32_t>(w, op[SECOND]);
  each_lane(w, out<uint32_t>(w, op[RESULT]), [=](int l) {
    const uint32_t pos = Clamp ? a[l] : a[l] & 31, len = Clamp ? b[l] : b[l] & 31;
    return shifted_left(ones<uint32_t>(len), pos);
  });
}
template <bool Signed, bool Clamp>
void szext(Warp& w, const Op& op) {
  const uint32_t* a = in<uint32_t>(w, op[FIRST]);
  const uint32_t* b = in<uint32_t>(w, op[SECOND]);
  each_lane(w, out<uint32_t>(w, op[RESULT]), [=](int l) {
    const uint32_t n = Clamp ? b[l] : b[l] & 31;
    const uint32_t keep = ones<uint32_t>(n);
    const uint32_t sign =
        Signed && n > 0 && n < 32 && (a[l] >> ((n - 1) & 31) & 1) ? ~uint32_t{0} : 0;
    return (a[l] & keep) | (sign & ~keep);
  });
}
Handler szext_of(const Form& f) {
  const bool clamp = f.has(ptx::FLAG_CLAMP);
  if (f.types[0] == Type::s32) return clamp ? szext<true, true> : szext<true, false>;
  return clamp ? szext<false, true> : szext<false, false>;
}

// ---- three-input logic and byte permutations

// imm is the truth table: bit (a << 2 | b << 1 | c).
void lop3(Warp& w, const Op& op) {
  const uint32_t* a = in<uint32_t>(w, op[FIRST]);
  const uint32_t* b = in<uint32_t>(w, op[SECOND]);
  const uint32_t* c = in<uint32_t>(w, op[THIRD]);
  uint32_t term[8];
  for (int k = 0; k < 8; ++k) term[k] = op.imm >> k & 1 ? ~uint32_t{0} : 0;
  each_lane(w, out<uint32_t>(w, op[RESULT]), [=](int l) {
    const uint32_t x = a[l], y = b[l], z = c[l];
    const uint32_t low =
        (~y & ~z & term[0]) | (~y & z & term[1]) | (y & ~z & term[2]) | (y & z & term[3]);
    const uint32_t high =
        (~y & ~z & term[4]) | (~y & z & term[5]) | (y & ~z & term[6]) | (y & z & term[7]);
    return (~x & low) | (x & high);
  });
}
// lop3.BoolOp d|p: p = (d != 0) op q
template <class F>
void lop3_predicate(Warp& w, const Op& op) {
  lop3(w, op);
  const uint32_t* d = in<uint32_t>(w, op[RESULT]);
  const uint32_t q = *in<uint32_t>(w, op[PREDICATE]) ^ (op.target & 1 ? FULL_MASK : 0);
  const uint32_t bits = lane_bits([=](int l) { return d[l] != 0; });
  write_bits(w, out<uint32_t>(w, op[SECOND_RESULT]), F::apply(bits, q));
}
Handler lop3_of(const Form& f) {
  switch (f.operation) {
    case ptx::Operation::none:
      return lop3;
    case ptx::Operation::and_:
      return lop3_predicate<And>;
    case ptx::Operation::or_:
      return lop3_predicate<Or>;
    case ptx::Operation::xor_:
      return lop3_predicate<Xor>;
    default:
      return nullptr;
  }
}

CUCPU_INLINE uint32_t permuted(uint64_t both, uint32_t selector) {
  const uint32_t byte = uint32_t(both >> (8 * (selector & 7))) & 0xff;
  return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}
void prmt(Warp& w, const Op& op) {
  const uint32_t* a = in<uint32_t>(w, op[FIRST]);
  const uint32_t* b = in<uint32_t>(w, op[SECOND]);
  const uint32_t* c = in<uint32_t>(w, op[THIRD]);
  each_lane(w, out<uint32_t>(w, op[RESULT]), [=](int l) {
    const uint64_t both = uint64_t(b[l]) << 32 | a[l];
    const uint32_t s = c[l];
    return permuted(both, s) | permuted(both, s >> 4) << 8 | permuted(both, s >> 8) << 16 |
           permuted(both, s >> 12) << 24;
  });
}
// The special modes are permutations; the two low bits of c select one.
constexpr uint16_t PERMUTATIONS[][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
    {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
    {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
    {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
    {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
    {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
};
void prmt_mode(Warp& w, const Op& op) {
  const uint32_t* a = in<uint32_t>(w, op[FIRST]);
  const uint32_t* b = in<uint32_t>(w, op[SECOND]);
  const uint32_t* c = in<uint32_t>(w, op[THIRD]);
  uint32_t* d = out<uint32_t>(w, op[RESULT]);
  each_active(w, [=](int l) {
    const uint64_t both = uint64_t(b[l]) << 32 | a[l];
    const uint32_t s = PERMUTATIONS[op.imm][c[l] & 3];
    d[l] = permuted(both, s & 7) | permuted(both, s >> 4 & 7) << 8 |
           permuted(both, s >> 8 & 7) << 16 | permuted(both, s >> 12 & 7) << 24;
  });
}

#define CUCPU_32_OR_64(handler)                           \
  (ptx::size_of(type) == 4   ? Handler(handler<uint32_t>) \
   : ptx::size_of(type) == 8 ? Handler(handler<uint64_t>) \
                             : nullptr)

Handler search(const Form& f) {
  switch (f.types[0]) {
    case Type::u32:
    case Type::b32:
      return bfind_of<uint32_t, false>(f);
    case Type::s32:
      return bfind_of<uint32_t, true>(f);
    case Type::u64:
    case Type::b64:
      return bfind_of<uint64_t, false>(f);
    case Type::s64:
      return bfind_of<uint64_t, true>(f);
    default:
      return nullptr;
  }
}
Handler extract(Type type) {
  switch (type) {
    case Type::u32:
      return bfe<uint32_t, false>;
    case Type::s32:
      return bfe<uint32_t, true>;
    case Type::u64:
      return bfe<uint64_t, false>;
    case Type::s64:
      return bfe<uint64_t, true>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler select_bits(const Form& f) {
  const Type type = f.types[0];
  switch (f.op) {
    case Opcode::and_:
      return logic<And>(type);
    case Opcode::or_:
      return logic<Or>(type);
    case Opcode::xor_:
      return logic<Xor>(type);
    case Opcode::not_:
      return type == Type::pred ? Handler(predicate_not) : logic_unary<Not>(type);
    case Opcode::cnot:
      return logic_unary<Cnot>(type);
    case Opcode::lop3:
      return lop3_of(f);
    case Opcode::shl:
    case Opcode::shr:
      return shift(f);
    case Opcode::shf:
      return funnel_of(f);
    case Opcode::popc:
      return CUCPU_32_OR_64(popc);
    case Opcode::clz:
      return CUCPU_32_OR_64(clz);
    case Opcode::brev:
      return CUCPU_32_OR_64(brev);
    case Opcode::bfind:
      return search(f);
    case Opcode::bfe:
      return extract(type);
    case Opcode::bfi:
      return CUCPU_32_OR_64(bfi);
    case Opcode::bmsk:
      return f.has(ptx::FLAG_CLAMP) ? bmsk<true> : bmsk<false>;
    case Opcode::szext:
      return szext_of(f);
    case Opcode::fns:
      return fns;
    case Opcode::prmt:
      return f.mode == Mode::none ? prmt : prmt_mode;
    default:
      return nullptr;
  }
}

}  // namespace cucore::cpu::CUCPU_SIMD
