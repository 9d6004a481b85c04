// SPDX-License-Identifier: Apache-2.0
// Handlers of comparisons and of instructions that depend on them: setp, set, selp, slct and testp.
#include "cpu/exec/families.hpp"
#include "cpu/exec/lanes.hpp"
#include "cpu/exec/reals.hpp"

namespace cucore::cpu::CUCPU_SIMD {
namespace {

using enum Regular;
using ptx::Compare;
using ptx::Form;
using ptx::Mode;
using ptx::Opcode;
using ptx::Operation;
using ptx::Type;

// Compares lanes of x and y and returns a mask.
using Bits = uint32_t (*)(const Warp&, Slot, Slot);

struct Eq {
  template <class T>
  static bool apply(T a, T b) {
    return a == b;
  }
};
struct Ne {
  template <class T>
  static bool apply(T a, T b) {
    return (a < b) | (a > b);
  }
};
struct Lt {
  template <class T>
  static bool apply(T a, T b) {
    return a < b;
  }
};
struct Le {
  template <class T>
  static bool apply(T a, T b) {
    return a <= b;
  }
};
struct Gt {
  template <class T>
  static bool apply(T a, T b) {
    return a > b;
  }
};
struct Ge {
  template <class T>
  static bool apply(T a, T b) {
    return a >= b;
  }
};
struct Equ {
  template <class T>
  static bool apply(T a, T b) {
    return !((a < b) | (a > b));
  }
};
struct Neu {
  template <class T>
  static bool apply(T a, T b) {
    return a != b;
  }
};
struct Ltu {
  template <class T>
  static bool apply(T a, T b) {
    return !(a >= b);
  }
};
struct Leu {
  template <class T>
  static bool apply(T a, T b) {
    return !(a > b);
  }
};
struct Gtu {
  template <class T>
  static bool apply(T a, T b) {
    return !(a <= b);
  }
};
struct Geu {
  template <class T>
  static bool apply(T a, T b) {
    return !(a < b);
  }
};
struct Num {
  template <class T>
  static bool apply(T a, T b) {
    return (a == a) & (b == b);
  }
};
struct Nan {
  template <class T>
  static bool apply(T a, T b) {
    return (a != a) | (b != b);
  }
};

template <class T, class C>
uint32_t bits(const Warp& w, Slot x, Slot y) {
  const T* a = in<T>(w, x);
  const T* b = in<T>(w, y);
  return lane_bits([=](int l) { return C::apply(a[l], b[l]); });
}
template <class C>
uint32_t bits_ftz(const Warp& w, Slot x, Slot y) {
  const float* a = in<float>(w, x);
  const float* b = in<float>(w, y);
  return lane_bits([=](int l) { return C::apply(flushed(a[l]), flushed(b[l])); });
}

template <class T, class C>
void setp(Warp& w, const Op& op) {
  write_bits(w, out<uint32_t>(w, op[RESULT]), bits<T, C>(w, op[FIRST], op[SECOND]));
}
template <class C>
void setp_ftz(Warp& w, const Op& op) {
  write_bits(w, out<uint32_t>(w, op[RESULT]), bits_ftz<C>(w, op[FIRST], op[SECOND]));
}

struct Choice {
  Bits bits = nullptr;
  Handler plain = nullptr;
};
template <class T, class C>
Choice choice() {
  return {bits<T, C>, setp<T, C>};
}
template <class C>
Choice choice_ftz() {
  return {bits_ftz<C>, setp_ftz<C>};
}

template <class T>
Choice integer_choice(Compare c) {
  switch (c) {
    case Compare::eq:
      return choice<T, Eq>();
    case Compare::ne:
      return choice<T, Neu>();
    case Compare::lt:
    case Compare::lo:
      return choice<T, Lt>();
    case Compare::le:
    case Compare::ls:
      return choice<T, Le>();
    case Compare::gt:
    case Compare::hi:
      return choice<T, Gt>();
    case Compare::ge:
    case Compare::hs:
      return choice<T, Ge>();
    default:
      return {};
  }
}
#define CUCPU_REAL_COMPARES(X) \
  X(eq, Eq)                    \
  X(ne, Ne)                    \
  X(lt, Lt)                    \
  X(le, Le)                    \
  X(gt, Gt)                    \
  X(ge, Ge)                    \
  X(equ, Equ) X(neu, Neu) X(ltu, Ltu) X(leu, Leu) X(gtu, Gtu) X(geu, Geu) X(num, Num) X(nan, Nan)
template <class T>
Choice real_choice(Compare c) {
  switch (c) {
#define X(name, functor) \
  case Compare::name:    \
    return choice<T, functor>();
    CUCPU_REAL_COMPARES(X)
#undef X
    default:
      return {};
  }
}
Choice flushing_choice(Compare c) {
  switch (c) {
#define X(name, functor) \
  case Compare::name:    \
    return choice_ftz<functor>();
    CUCPU_REAL_COMPARES(X)
#undef X
    default:
      return {};
  }
}

Choice choose(const Form& f, Type type) {
  const Compare c = f.compare;
  switch (type) {
    case Type::b16:
    case Type::u16:
      return integer_choice<uint16_t>(c);
    case Type::s16:
      return integer_choice<int16_t>(c);
    case Type::b32:
    case Type::u32:
      return integer_choice<uint32_t>(c);
    case Type::s32:
      return integer_choice<int32_t>(c);
    case Type::b64:
    case Type::u64:
      return integer_choice<uint64_t>(c);
    case Type::s64:
      return integer_choice<int64_t>(c);
    case Type::f32:
      return f.has(ptx::FLAG_FTZ) ? flushing_choice(c) : real_choice<float>(c);
    case Type::f64:
      return real_choice<double>(c);
    default:
      return {};
  }
}

uint32_t combined(Operation operation, uint32_t a, uint32_t b) {
  switch (operation) {
    case Operation::and_:
      return a & b;
    case Operation::or_:
      return a | b;
    case Operation::xor_:
      return a ^ b;
    default:
      return a;
  }
}

// Forms with a third operand or a second destination, and set, call the comparison through imm,
// which keeps the number of handlers small. In target, bit 0 negates the third operand, the next
// byte is the Operation, and bit 9 requests 1.0f.
void setp_indirect(Warp& w, const Op& op) {
  const uint32_t r = reinterpret_cast<Bits>(op.imm)(w, op[FIRST], op[SECOND]);
  const auto operation = Operation(op.target >> 1 & 0xff);
  const uint32_t c =
      op[THIRD] == NO_SLOT ? 0 : *in<uint32_t>(w, op[THIRD]) ^ (op.target & 1 ? FULL_MASK : 0);
  if (op[RESULT] != NO_SLOT) write_bits(w, out<uint32_t>(w, op[RESULT]), combined(operation, r, c));
  if (op[SECOND_RESULT] != NO_SLOT)
    write_bits(w, out<uint32_t>(w, op[SECOND_RESULT]), combined(operation, ~r, c));
}
void set_indirect(Warp& w, const Op& op) {
  uint32_t r = reinterpret_cast<Bits>(op.imm)(w, op[FIRST], op[SECOND]);
  const auto operation = Operation(op.target >> 1 & 0xff);
  if (op[THIRD] != NO_SLOT)
    r = combined(operation, r, *in<uint32_t>(w, op[THIRD]) ^ (op.target & 1 ? FULL_MASK : 0));
  const uint32_t yes = op.target >> 9 & 1 ? 0x3f800000u : ~uint32_t{0};
  each_lane(w, out<uint32_t>(w, op[RESULT]), [=](int l) { return r >> l & 1 ? yes : 0; });
}

// ---- selection

template <class T>
void selp(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const T* b = in<T>(w, op[SECOND]);
  const uint32_t p = *in<uint32_t>(w, op[THIRD]) ^ (op.target & 1 ? FULL_MASK : 0);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) { return (p >> l & 1) ? a[l] : b[l]; });
}
template <class T, class C, bool Ftz>
void slct(Warp& w, const Op& op) {
  const T* a = in<T>(w, op[FIRST]);
  const T* b = in<T>(w, op[SECOND]);
  const C* c = in<C>(w, op[THIRD]);
  each_lane(w, out<T>(w, op[RESULT]), [=](int l) {
    C v = c[l];
    if constexpr (Ftz) v = flushed(v);
    return v >= C(0) ? a[l] : b[l];
  });
}
template <class T>
Handler slct_by(const Form& f) {
  if (f.types[1] == Type::s32) return slct<T, int32_t, false>;
  return f.has(ptx::FLAG_FTZ) ? Handler(slct<T, float, true>) : Handler(slct<T, float, false>);
}
Handler slct_of(const Form& f) {
  switch (ptx::size_of(f.types[0])) {
    case 2:
      return slct_by<uint16_t>(f);
    case 4:
      return slct_by<uint32_t>(f);
    case 8:
      return slct_by<uint64_t>(f);
    default:
      return nullptr;
  }
}
Handler selp_of(Type type) {
  switch (ptx::size_of(type)) {
    case 2:
      return selp<uint16_t>;
    case 4:
      return selp<uint32_t>;
    case 8:
      return selp<uint64_t>;
    default:
      return nullptr;
  }
}

template <class U, int Exponent>
void testp(Warp& w, const Op& op) {
  constexpr int MANTISSA = int(8 * sizeof(U)) - 1 - Exponent;
  constexpr U MAX = (U{1} << Exponent) - 1;
  const U* a = in<U>(w, op[FIRST]);
  uint32_t r = 0;
  for (int l = 0; l < LANES; ++l) {
    const U exponent = a[l] >> MANTISSA & MAX;
    const bool fraction = (a[l] & ((U{1} << MANTISSA) - 1)) != 0;
    bool is = false;
    switch (Mode(op.imm)) {
      case Mode::finite:
        is = exponent != MAX;
        break;
      case Mode::infinite:
        is = exponent == MAX && !fraction;
        break;
      case Mode::number:
        is = exponent != MAX || !fraction;
        break;
      case Mode::notanumber:
        is = exponent == MAX && fraction;
        break;
      case Mode::normal:
        is = exponent != MAX && (exponent != 0 || !fraction);  // zeros count as normal
        break;
      case Mode::subnormal:
        is = exponent == 0 && fraction;
        break;
      default:
        break;
    }
    r |= uint32_t{is} << l;
  }
  write_bits(w, out<uint32_t>(w, op[RESULT]), r);
}

}  // namespace

Handler select_compare(const Form& f) {
  switch (f.op) {
    case Opcode::setp:
      return f.operation == Operation::none ? choose(f, f.types[0]).plain : nullptr;
    case Opcode::selp:
      return selp_of(f.types[0]);
    case Opcode::slct:
      return slct_of(f);
    case Opcode::testp:
      return f.types[0] == Type::f32 ? Handler(testp<uint32_t, 8>) : Handler(testp<uint64_t, 11>);
    default:
      return nullptr;
  }
}

Comparison select_comparison(const Form& f) {
  const bool set = f.op == Opcode::set;
  if (!set && f.op != Opcode::setp) return {};
  const Bits chosen = choose(f, f.types[set ? 1 : 0]).bits;
  if (!chosen || (set && ptx::size_of(f.types[0]) != 4)) return {};
  return {set ? set_indirect : setp_indirect, reinterpret_cast<uint64_t>(chosen)};
}

}  // namespace cucore::cpu::CUCPU_SIMD
