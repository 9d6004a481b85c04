// f16, bf16 and 16-bit integer arithmetic, one or two values in a register. Computed in double,
// where sums and products of halves are exact, and rounded once.
#include <bit>
#include <cmath>

#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/halves.hpp"

namespace cucore::cpu {
namespace {

using enum Regular;
using ptx::Compare;
using ptx::Form;
using ptx::Opcode;
using ptx::Type;

constexpr u64 FTZ = 1, SAT = 2, RELU = 4, KEEP_NAN = 8, XORSIGN = 16;

template <class F>
double read(u16 raw, u64 how) {
  constexpr u16 EXPONENT = std::is_same_v<F, Half> ? 0x7c00 : 0x7f80;
  if ((how & FTZ) && (raw & EXPONENT) == 0) raw &= 0x8000;
  return F::to(raw);
}
template <class F>
u16 write(double v, u64 how) {
  constexpr u16 EXPONENT = std::is_same_v<F, Half> ? 0x7c00 : 0x7f80;
  if (how & SAT) v = v > 0 ? (v < 1 ? v : 1) : 0;
  if ((how & RELU) && v == v && !(v > 0)) v = 0;
  u16 r = F::from(v);
  if ((how & FTZ) && (r & EXPONENT) == 0) r &= 0x8000;
  return r;
}

// a * b + c with one rounding to come: the product is exact, the sum is rounded to odd.
double fused(double a, double b, double c) {
  const double p = a * b, s = p + c;
  if (!std::isfinite(s)) return s;
  const double t = s - p, error = (p - (s - t)) + (c - t);
  u64 bits = std::bit_cast<u64>(s);
  if (error == 0 || (bits & 1)) return s;
  if (s == 0) return s;
  bits = (error > 0) == (s > 0) ? bits + 1 : bits - 1;
  return std::bit_cast<double>(bits);
}

double extreme(double a, double b, bool least, u64 how) {
  if (how & KEEP_NAN && (a != a || b != b)) return std::nan("");
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) == least ? a : b;
  return (a < b) == least ? a : b;
}

template <class F>
struct Arithmetic {
  using Value = u16;
  static u16 add(u16 a, u16 b, u16, u64 how) {
    return write<F>(read<F>(a, how) + read<F>(b, how), how);
  }
  static u16 sub(u16 a, u16 b, u16, u64 how) {
    return write<F>(read<F>(a, how) - read<F>(b, how), how);
  }
  static u16 mul(u16 a, u16 b, u16, u64 how) {
    return write<F>(read<F>(a, how) * read<F>(b, how), how);
  }
  static u16 fma(u16 a, u16 b, u16 c, u64 how) {
    return write<F>(fused(read<F>(a, how), read<F>(b, how), read<F>(c, how)), how);
  }
  static u16 min(u16 a, u16 b, u16, u64 how) { return minmax(a, b, true, how); }
  static u16 max(u16 a, u16 b, u16, u64 how) { return minmax(a, b, false, how); }
  static u16 minmax(u16 a, u16 b, bool least, u64 how) {
    double x = read<F>(a, how), y = read<F>(b, how);
    const bool negative = (how & XORSIGN) && ((a ^ b) & 0x8000);
    if (how & XORSIGN) {
      x = std::fabs(x);
      y = std::fabs(y);
    }
    const double r = extreme(x, y, least, how);
    return write<F>(negative && r == r ? -r : r, how);
  }
  static u16 neg(u16 a, u16, u16, u64 how) { return sign_changed(a, flush(a, how) ^ 0x8000); }
  static u16 abs(u16 a, u16, u16, u64 how) { return sign_changed(a, flush(a, how) & 0x7fff); }
  static u16 sign_changed(u16 a, int changed) {
    const double value = F::to(a);
    return value == value ? u16(changed) : u16(0x7fff);
  }
  static u16 ex2(u16 a, u16, u16, u64 how) { return write<F>(std::exp2(read<F>(a, how)), how); }
  static u16 tanh(u16 a, u16, u16, u64 how) { return write<F>(std::tanh(read<F>(a, how)), how); }
  static u16 flush(u16 a, u64 how) {
    constexpr u16 EXPONENT = std::is_same_v<F, Half> ? 0x7c00 : 0x7f80;
    return (how & FTZ) && (a & EXPONENT) == 0 ? a & 0x8000 : a;
  }
};

struct Integers {
  static u16 add(u16 a, u16 b, u16, u64) { return u16(a + b); }
  template <class T>
  static u16 min(u16 a, u16 b, u16, u64 how) {
    return u16(relu(T(a) < T(b) ? T(a) : T(b), how));
  }
  template <class T>
  static u16 max(u16 a, u16 b, u16, u64 how) {
    return u16(relu(T(a) > T(b) ? T(a) : T(b), how));
  }
  template <class T>
  static T relu(T v, u64 how) {
    return (how & RELU) && v < T(0) ? T(0) : v;
  }
};

using Operation16 = u16 (*)(u16, u16, u16, u64);

template <Operation16 F, bool Pair>
void apply(Warp& w, const Op& op) {
  using T = std::conditional_t<Pair, u32, u16>;
  const T* a = w.at<T>(op[FIRST]);
  const T* b = op[SECOND] == NO_SLOT ? a : w.at<T>(op[SECOND]);
  const T* c = op[THIRD] == NO_SLOT ? a : w.at<T>(op[THIRD]);
  T* d = w.at<T>(op[RESULT]);
  for (u32 m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const u16 low = F(u16(a[l]), u16(b[l]), u16(c[l]), op.imm);
    if constexpr (Pair)
      d[l] = low | u32(F(u16(a[l] >> 16), u16(b[l] >> 16), u16(c[l] >> 16), op.imm)) << 16;
    else
      d[l] = low;
  }
}

template <class F, bool Pair>
Handler arithmetic(const Form& f, bool three) {
  using A = Arithmetic<F>;
  switch (f.op) {
    case Opcode::add:
      return apply<A::add, Pair>;
    case Opcode::sub:
      return apply<A::sub, Pair>;
    case Opcode::mul:
      return apply<A::mul, Pair>;
    case Opcode::fma:
      return apply<A::fma, Pair>;
    case Opcode::min:
      return three ? nullptr : Handler(apply<A::min, Pair>);
    case Opcode::max:
      return three ? nullptr : Handler(apply<A::max, Pair>);
    case Opcode::neg:
      return apply<A::neg, Pair>;
    case Opcode::abs:
      return apply<A::abs, Pair>;
    case Opcode::ex2:
      return apply<A::ex2, Pair>;
    case Opcode::tanh:
      return apply<A::tanh, Pair>;
    default:
      return nullptr;
  }
}

bool holds(Compare c, double a, double b) {
  const bool ordered = a == a && b == b;
  switch (c) {
    case Compare::eq:
      return ordered && a == b;
    case Compare::ne:
      return ordered && a != b;
    case Compare::lt:
      return a < b;
    case Compare::le:
      return a <= b;
    case Compare::gt:
      return a > b;
    case Compare::ge:
      return a >= b;
    case Compare::equ:
      return !ordered || a == b;
    case Compare::neu:
      return !ordered || a != b;
    case Compare::ltu:
      return !(a >= b);
    case Compare::leu:
      return !(a > b);
    case Compare::gtu:
      return !(a <= b);
    case Compare::geu:
      return !(a < b);
    case Compare::num:
      return ordered;
    default:
      return !ordered;
  }
}

u32 combined(ptx::Operation o, u32 a, u32 b) {
  switch (o) {
    case ptx::Operation::and_:
      return a & b;
    case ptx::Operation::or_:
      return a | b;
    case ptx::Operation::xor_:
      return a ^ b;
    default:
      return a;
  }
}

// imm: the comparison, and FTZ above it. The slots are those of setp on other types; a pair writes
// the result of its lower half to RESULT and of its upper half to SECOND_RESULT.
template <class F, bool Pair>
void setp(Warp& w, const Op& op) {
  using T = std::conditional_t<Pair, u32, u16>;
  const T* a = w.at<T>(op[FIRST]);
  const T* b = w.at<T>(op[SECOND]);
  const auto compare = Compare(op.imm & 0xff);
  const u64 how = op.imm >> 8;
  u32 low = 0, high = 0;
  for (int l = 0; l < LANES; ++l) {
    low |= u32{holds(compare, read<F>(u16(a[l]), how), read<F>(u16(b[l]), how))} << l;
    if constexpr (Pair)
      high |= u32{holds(compare, read<F>(u16(a[l] >> 16), how), read<F>(u16(b[l] >> 16), how))}
              << l;
  }
  if (!Pair) high = ~low;
  const auto operation = ptx::Operation(op.target >> 1 & 0xff);
  const u32 c = op[THIRD] == NO_SLOT ? 0 : *w.at<u32>(op[THIRD]) ^ (op.target & 1 ? FULL_MASK : 0);
  auto put = [&](Slot slot, u32 bits) {
    if (slot == NO_SLOT) return;
    u32* d = w.at<u32>(slot);
    *d = (*d & ~w.mask) | (combined(operation, bits, c) & w.mask);
  };
  put(op[RESULT], low);
  put(op[SECOND_RESULT], high);
}

// set: what a comparison that holds gives in each half, or in the whole register.
enum class Holds : u8 { One, Ones, AllOnes };

template <class F, bool Pair, class D>
void set(Warp& w, const Op& op) {
  constexpr u16 ONE = std::is_same_v<F, Half> ? 0x3c00 : 0x3f80;
  using T = std::conditional_t<Pair, u32, u16>;
  const T* a = w.at<T>(op[FIRST]);
  const T* b = w.at<T>(op[SECOND]);
  D* d = w.at<D>(op[RESULT]);
  const auto compare = Compare(op.imm & 0xff);
  const auto gives = Holds(op.imm >> 40 & 0xff);
  const auto operation = ptx::Operation(op.target >> 1 & 0xff);
  const u32 c = op[THIRD] == NO_SLOT ? 0 : *w.at<u32>(op[THIRD]) ^ (op.target & 1 ? FULL_MASK : 0);
  const u64 how = op.imm >> 8 & 0xff;
  const u32 one = gives == Holds::One ? ONE : 0xffff;
  for (u32 m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    auto holds_in = [&](int shift) {
      const bool h =
          holds(compare, read<F>(u16(a[l] >> shift), how), read<F>(u16(b[l] >> shift), how));
      return combined(operation, h, c >> l & 1) != 0;
    };
    u32 value = holds_in(0) ? (gives == Holds::AllOnes ? ~u32{0} : one) : 0;
    if constexpr (Pair) value |= holds_in(16) ? one << 16 : 0;
    d[l] = D(value);
  }
}

template <class F, Type ONE, Type TWO>
Comparison set_of(const Form& f, u64 imm) {
  const Type to = f.types[0];
  auto giving = [&](Handler h, Holds gives) { return Comparison{h, imm | u64(gives) << 40}; };
  if (f.types[1] == TWO) {
    if (to == TWO) return giving(set<F, true, u32>, Holds::One);
    const bool mask = to == Type::u32 || to == Type::s32;
    return mask ? giving(set<F, true, u32>, Holds::Ones) : Comparison{};
  }
  if (f.types[1] != ONE) return {};
  if (to == ONE) return giving(set<F, false, u16>, Holds::One);
  if (to == Type::u16 || to == Type::s16) return giving(set<F, false, u16>, Holds::Ones);
  const bool mask = to == Type::u32 || to == Type::s32;
  return mask ? giving(set<F, false, u32>, Holds::AllOnes) : Comparison{};
}

u64 flags_of(const Form& f) {
  return (f.has(ptx::FLAG_FTZ) ? FTZ : 0) | (f.has(ptx::FLAG_SAT) ? SAT : 0) |
         (f.has(ptx::FLAG_RELU) ? RELU : 0) | (f.has(ptx::FLAG_NAN) ? KEEP_NAN : 0) |
         (f.has(ptx::FLAG_XORSIGN_ABS) ? XORSIGN : 0);
}

}  // namespace

Comparison select_half(const Form& f, bool three) {
  const u64 how = flags_of(f);
  if (f.rounding != ptx::Rounding::none && f.rounding != ptx::Rounding::rn) return {};
  switch (f.types[0]) {
    case Type::f16:
      return {arithmetic<Half, false>(f, three), how};
    case Type::f16x2:
      return {arithmetic<Half, true>(f, three), how};
    case Type::bf16:
      return {arithmetic<Brain, false>(f, three), how};
    case Type::bf16x2:
      return {arithmetic<Brain, true>(f, three), how};
    default:
      return {};
  }
}

Comparison select_half_compare(const Form& f) {
  const u64 imm = u64(f.compare) | flags_of(f) << 8;
  if (f.op == Opcode::setp) {
    switch (f.types[0]) {
      case Type::f16:
        return {setp<Half, false>, imm};
      case Type::f16x2:
        return {setp<Half, true>, imm};
      case Type::bf16:
        return {setp<Brain, false>, imm};
      case Type::bf16x2:
        return {setp<Brain, true>, imm};
      default:
        return {};
    }
  }
  if (f.op != Opcode::set) return {};
  if (Comparison half = set_of<Half, Type::f16, Type::f16x2>(f, imm); half.run) return half;
  return set_of<Brain, Type::bf16, Type::bf16x2>(f, imm);
}

Comparison select_packed(const Form& f) {
  const bool is_signed = f.types[0] == Type::s16x2;
  switch (f.op) {
    case Opcode::add:
      return {apply<Integers::add, true>, 0};
    case Opcode::min:
      return {is_signed ? apply<Integers::min<s16>, true> : apply<Integers::min<u16>, true>,
              flags_of(f)};
    case Opcode::max:
      return {is_signed ? apply<Integers::max<s16>, true> : apply<Integers::max<u16>, true>,
              flags_of(f)};
    default:
      return {};
  }
}

}  // namespace cucore::cpu
