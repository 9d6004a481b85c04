// SPDX-License-Identifier: Apache-2.0
// f16, bf16 and 16-bit integer arithmetic, with one or two values per register. Computed in double,
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

constexpr uint64_t FTZ = 1, SAT = 2, RELU = 4, KEEP_NAN = 8, XORSIGN = 16, OOB = 32;

// Returns true for the NaN that tensor copies write outside of a tensor, with either sign.
bool is_outside(uint16_t raw) { return (raw & 0x7fff) == 0x7ff7; }

template <class F>
double read(uint16_t raw, uint64_t how) {
  constexpr uint16_t EXPONENT = std::is_same_v<F, Half> ? 0x7c00 : 0x7f80;
  if ((how & FTZ) && (raw & EXPONENT) == 0) raw &= 0x8000;
  return F::to(raw);
}
template <class F>
uint16_t write(double v, uint64_t how) {
  constexpr uint16_t EXPONENT = std::is_same_v<F, Half> ? 0x7c00 : 0x7f80;
  if (how & SAT) v = v > 0 ? (v < 1 ? v : 1) : 0;
  if ((how & RELU) && v == v && !(v > 0)) v = 0;
  uint16_t r = F::from(v);
  if ((how & FTZ) && (r & EXPONENT) == 0) r &= 0x8000;
  return r;
}

// Computes a * b + c with one rounding to follow: the product is exact, the sum is rounded to odd.
double fused(double a, double b, double c) {
  const double p = a * b, s = p + c;
  if (!std::isfinite(s)) return s;
  const double t = s - p, error = (p - (s - t)) + (c - t);
  uint64_t bits = std::bit_cast<uint64_t>(s);
  if (error == 0 || (bits & 1)) return s;
  if (s == 0) return s;
  bits = (error > 0) == (s > 0) ? bits + 1 : bits - 1;
  return std::bit_cast<double>(bits);
}

double extreme(double a, double b, bool least, uint64_t how) {
  if (how & KEEP_NAN && (a != a || b != b)) return std::nan("");
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) == least ? a : b;
  return (a < b) == least ? a : b;
}

template <class F>
struct Arithmetic {
  using Value = uint16_t;
  static uint16_t add(uint16_t a, uint16_t b, uint16_t, uint64_t how) {
    return write<F>(read<F>(a, how) + read<F>(b, how), how);
  }
  static uint16_t sub(uint16_t a, uint16_t b, uint16_t, uint64_t how) {
    return write<F>(read<F>(a, how) - read<F>(b, how), how);
  }
  static uint16_t mul(uint16_t a, uint16_t b, uint16_t, uint64_t how) {
    return write<F>(read<F>(a, how) * read<F>(b, how), how);
  }
  static uint16_t fma(uint16_t a, uint16_t b, uint16_t c, uint64_t how) {
    if ((how & OOB) && (is_outside(a) || is_outside(b))) return 0;
    return write<F>(fused(read<F>(a, how), read<F>(b, how), read<F>(c, how)), how);
  }
  static uint16_t min(uint16_t a, uint16_t b, uint16_t, uint64_t how) {
    return minmax(a, b, true, how);
  }
  static uint16_t max(uint16_t a, uint16_t b, uint16_t, uint64_t how) {
    return minmax(a, b, false, how);
  }
  static uint16_t minmax(uint16_t a, uint16_t b, bool least, uint64_t how) {
    double x = read<F>(a, how), y = read<F>(b, how);
    const bool negative = (how & XORSIGN) && ((a ^ b) & 0x8000);
    if (how & XORSIGN) {
      x = std::fabs(x);
      y = std::fabs(y);
    }
    const double r = extreme(x, y, least, how);
    return write<F>(negative && r == r ? -r : r, how);
  }
  static uint16_t neg(uint16_t a, uint16_t, uint16_t, uint64_t how) {
    return sign_changed(a, flush(a, how) ^ 0x8000);
  }
  static uint16_t abs(uint16_t a, uint16_t, uint16_t, uint64_t how) {
    return sign_changed(a, flush(a, how) & 0x7fff);
  }
  static uint16_t sign_changed(uint16_t a, int changed) {
    const double value = F::to(a);
    return value == value ? uint16_t(changed) : uint16_t(0x7fff);
  }
  static uint16_t ex2(uint16_t a, uint16_t, uint16_t, uint64_t how) {
    return write<F>(std::exp2(read<F>(a, how)), how);
  }
  static uint16_t tanh(uint16_t a, uint16_t, uint16_t, uint64_t how) {
    return write<F>(std::tanh(read<F>(a, how)), how);
  }
  static uint16_t flush(uint16_t a, uint64_t how) {
    constexpr uint16_t EXPONENT = std::is_same_v<F, Half> ? 0x7c00 : 0x7f80;
    return (how & FTZ) && (a & EXPONENT) == 0 ? a & 0x8000 : a;
  }
};

struct Integers {
  static uint16_t add(uint16_t a, uint16_t b, uint16_t, uint64_t) { return uint16_t(a + b); }
  template <class T>
  static uint16_t min(uint16_t a, uint16_t b, uint16_t, uint64_t how) {
    return uint16_t(relu(T(a) < T(b) ? T(a) : T(b), how));
  }
  template <class T>
  static uint16_t max(uint16_t a, uint16_t b, uint16_t, uint64_t how) {
    return uint16_t(relu(T(a) > T(b) ? T(a) : T(b), how));
  }
  template <class T>
  static T relu(T v, uint64_t how) {
    return (how & RELU) && v < T(0) ? T(0) : v;
  }
};

using Operation16 = uint16_t (*)(uint16_t, uint16_t, uint16_t, uint64_t);

template <Operation16 F, bool Pair>
void apply(Warp& w, const Op& op) {
  using T = std::conditional_t<Pair, uint32_t, uint16_t>;
  const T* a = w.at<T>(op[FIRST]);
  const T* b = op[SECOND] == NO_SLOT ? a : w.at<T>(op[SECOND]);
  const T* c = op[THIRD] == NO_SLOT ? a : w.at<T>(op[THIRD]);
  T* d = w.at<T>(op[RESULT]);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const uint16_t low = F(uint16_t(a[l]), uint16_t(b[l]), uint16_t(c[l]), op.imm);
    if constexpr (Pair)
      d[l] = low |
             uint32_t(F(uint16_t(a[l] >> 16), uint16_t(b[l] >> 16), uint16_t(c[l] >> 16), op.imm))
                 << 16;
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

uint32_t combined(ptx::Operation o, uint32_t a, uint32_t b) {
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

// imm contains the comparison, and FTZ above it. The slots are those of setp on other types. A pair
// writes the result of its lower half to RESULT and of its upper half to SECOND_RESULT.
template <class F, bool Pair>
void setp(Warp& w, const Op& op) {
  using T = std::conditional_t<Pair, uint32_t, uint16_t>;
  const T* a = w.at<T>(op[FIRST]);
  const T* b = w.at<T>(op[SECOND]);
  const auto compare = Compare(op.imm & 0xff);
  const uint64_t how = op.imm >> 8;
  uint32_t low = 0, high = 0;
  for (int l = 0; l < LANES; ++l) {
    low |= uint32_t{holds(compare, read<F>(uint16_t(a[l]), how), read<F>(uint16_t(b[l]), how))}
           << l;
    if constexpr (Pair)
      high |= uint32_t{holds(compare, read<F>(uint16_t(a[l] >> 16), how),
                             read<F>(uint16_t(b[l] >> 16), how))}
              << l;
  }
  if (!Pair) high = ~low;
  const auto operation = ptx::Operation(op.target >> 1 & 0xff);
  const uint32_t c =
      op[THIRD] == NO_SLOT ? 0 : *w.at<uint32_t>(op[THIRD]) ^ (op.target & 1 ? FULL_MASK : 0);
  auto put = [&](Slot slot, uint32_t bits) {
    if (slot == NO_SLOT) return;
    uint32_t* d = w.at<uint32_t>(slot);
    *d = (*d & ~w.mask) | (combined(operation, bits, c) & w.mask);
  };
  put(op[RESULT], low);
  put(op[SECOND_RESULT], high);
}

// set: the result of a true comparison in each half, or in the whole register.
enum class Holds : uint8_t { ONE, ONES, ALL_ONES };

template <class F, bool Pair, class D>
void set(Warp& w, const Op& op) {
  constexpr uint16_t ONE = std::is_same_v<F, Half> ? 0x3c00 : 0x3f80;
  using T = std::conditional_t<Pair, uint32_t, uint16_t>;
  const T* a = w.at<T>(op[FIRST]);
  const T* b = w.at<T>(op[SECOND]);
  D* d = w.at<D>(op[RESULT]);
  const auto compare = Compare(op.imm & 0xff);
  const auto gives = Holds(op.imm >> 40 & 0xff);
  const auto operation = ptx::Operation(op.target >> 1 & 0xff);
  const uint32_t c =
      op[THIRD] == NO_SLOT ? 0 : *w.at<uint32_t>(op[THIRD]) ^ (op.target & 1 ? FULL_MASK : 0);
  const uint64_t how = op.imm >> 8 & 0xff;
  const uint32_t one = gives == Holds::ONE ? ONE : 0xffff;
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    auto holds_in = [&](int shift) {
      const bool h = holds(compare, read<F>(uint16_t(a[l] >> shift), how),
                           read<F>(uint16_t(b[l] >> shift), how));
      return combined(operation, h, c >> l & 1) != 0;
    };
    uint32_t value = holds_in(0) ? (gives == Holds::ALL_ONES ? ~uint32_t{0} : one) : 0;
    if constexpr (Pair) value |= holds_in(16) ? one << 16 : 0;
    d[l] = D(value);
  }
}

template <class F, Type ONE, Type TWO>
Comparison set_of(const Form& f, uint64_t imm) {
  const Type to = f.types[0];
  auto giving = [&](Handler h, Holds gives) { return Comparison{h, imm | uint64_t(gives) << 40}; };
  if (f.types[1] == TWO) {
    if (to == TWO) return giving(set<F, true, uint32_t>, Holds::ONE);
    const bool mask = to == Type::u32 || to == Type::s32;
    return mask ? giving(set<F, true, uint32_t>, Holds::ONES) : Comparison{};
  }
  if (f.types[1] != ONE) return {};
  if (to == ONE) return giving(set<F, false, uint16_t>, Holds::ONE);
  if (to == Type::u16 || to == Type::s16) return giving(set<F, false, uint16_t>, Holds::ONES);
  const bool mask = to == Type::u32 || to == Type::s32;
  return mask ? giving(set<F, false, uint32_t>, Holds::ALL_ONES) : Comparison{};
}

uint64_t flags_of(const Form& f) {
  return (f.has(ptx::FLAG_FTZ) ? FTZ : 0) | (f.has(ptx::FLAG_SAT) ? SAT : 0) |
         (f.has(ptx::FLAG_RELU) ? RELU : 0) | (f.has(ptx::FLAG_NAN) ? KEEP_NAN : 0) |
         (f.has(ptx::FLAG_XORSIGN_ABS) ? XORSIGN : 0) | (f.has(ptx::FLAG_OOB) ? OOB : 0);
}

}  // namespace

Comparison select_half(const Form& f, bool three) {
  const uint64_t how = flags_of(f);
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
  const uint64_t imm = uint64_t(f.compare) | flags_of(f) << 8;
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
      return {
          is_signed ? apply<Integers::min<int16_t>, true> : apply<Integers::min<uint16_t>, true>,
          flags_of(f)};
    case Opcode::max:
      return {
          is_signed ? apply<Integers::max<int16_t>, true> : apply<Integers::max<uint16_t>, true>,
          flags_of(f)};
    default:
      return {};
  }
}

}  // namespace cucore::cpu
