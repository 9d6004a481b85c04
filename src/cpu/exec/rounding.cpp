// SPDX-License-Identifier: Apache-2.0
// Arithmetic with a directed rounding, lane by lane under the host's rounding mode. Built with
// -frounding-math, so that no operation moves before the change of the mode.
#include <bit>
#include <cfenv>
#include <cmath>

#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/host_rounding.hpp"

namespace cucore::cpu {
namespace {

using enum Regular;
using ptx::Form;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

constexpr uint64_t FTZ = 1 << 8, SAT = 1 << 9;

float flushed(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; }

// The NaN of f64 is the first operand that is a NaN, made quiet; f32 has one NaN.
double nan_of(double a, double b, double c) {
  for (const double v : {a, b, c})
    if (v != v) return std::bit_cast<double>(std::bit_cast<uint64_t>(v) | 0x0008000000000000);
  return std::bit_cast<double>(uint64_t{0xfff8000000000000});
}
float nan_of(float, float, float) { return std::bit_cast<float>(uint32_t{0x7fffffff}); }

template <class T>
T start(T v, uint64_t how) {
  if constexpr (sizeof(T) == 4) return how & FTZ ? flushed(v) : v;
  return v;
}

struct Add {
  template <class T>
  static T apply(T a, T b, T) {
    return a + b;
  }
};
struct Sub {
  template <class T>
  static T apply(T a, T b, T) {
    return a - b;
  }
};
struct Mul {
  template <class T>
  static T apply(T a, T b, T) {
    return a * b;
  }
};
struct Div {
  template <class T>
  static T apply(T a, T b, T) {
    return a / b;
  }
};
struct Rcp {
  template <class T>
  static T apply(T a, T, T) {
    return T(1) / a;
  }
};
struct Sqrt {
  template <class T>
  static T apply(T a, T, T) {
    return std::sqrt(a);
  }
};
struct Fma {
  template <class T>
  static T apply(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};

// Under .ftz a result below the least normal number is zero, even if rounding among subnormals
// would lift it to that number. F computes it again, 2^24 times as large.
template <class F>
float untiny(float v, float a, float b, float c) {
  constexpr bool FIRST = std::is_same_v<F, Mul> || std::is_same_v<F, Div>;
  constexpr bool SUMS = std::is_same_v<F, Fma>;
  volatile float scale = 0x1p24f;
  float scaled = v;
  if constexpr (FIRST) scaled = F::apply(a * scale, b, c);
  if constexpr (SUMS) scaled = F::apply(a * scale, b, c * scale);
  if constexpr (std::is_same_v<F, Rcp>) scaled = scale / a;
  if constexpr (!FIRST && !SUMS && !std::is_same_v<F, Rcp>) return flushed(v);
  return std::fabs(scaled) < 0x1p-102f ? std::copysign(0.0f, v) : v;
}

template <class T, class F>
T computed(T a, T b, T c, uint64_t how) {
  T v = F::apply(a, b, c);
  if constexpr (sizeof(T) == 4)
    if (how & FTZ) v = untiny<F>(v, a, b, c);
  if (how & SAT) return v > T(0) ? (v < T(1) ? v : T(1)) : T(0);
  return v == v ? v : nan_of(a, b, c);
}
template <class T, class F>
void rounded(Warp& w, const Op& op) {
  const T* a = w.at<T>(op[FIRST]);
  const T* b = op[SECOND] == NO_SLOT ? a : w.at<T>(op[SECOND]);
  const T* c = op[THIRD] == NO_SLOT ? a : w.at<T>(op[THIRD]);
  T* d = w.at<T>(op[RESULT]);
  const HostRounding mode(Rounding(op.imm & 0xff));
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    d[l] = computed<T, F>(start(a[l], op.imm), start(b[l], op.imm), start(c[l], op.imm), op.imm);
  }
}

template <class T>
Handler handler(Opcode op) {
  switch (op) {
    case Opcode::add:
      return rounded<T, Add>;
    case Opcode::sub:
      return rounded<T, Sub>;
    case Opcode::mul:
      return rounded<T, Mul>;
    case Opcode::div:
      return rounded<T, Div>;
    case Opcode::rcp:
      return rounded<T, Rcp>;
    case Opcode::sqrt:
      return rounded<T, Sqrt>;
    case Opcode::fma:
    case Opcode::mad:
      return rounded<T, Fma>;
    default:
      return nullptr;
  }
}

}  // namespace

Comparison select_rounding(const Form& f) {
  const bool directed =
      f.rounding == Rounding::rz || f.rounding == Rounding::rm || f.rounding == Rounding::rp;
  const Type type = f.types[0];
  if (!directed || (type != Type::f32 && type != Type::f64) || f.has(ptx::FLAG_RELU)) return {};
  const uint64_t how =
      uint64_t(f.rounding) | (f.has(ptx::FLAG_FTZ) ? FTZ : 0) | (f.has(ptx::FLAG_SAT) ? SAT : 0);
  return {type == Type::f32 ? handler<float>(f.op) : handler<double>(f.op), how};
}

}  // namespace cucore::cpu
