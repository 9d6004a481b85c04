// SPDX-License-Identifier: Apache-2.0
// add, sub, mul and fma of pairs of f32, and sums of f32 with operands of f16 or bf16. Built with
// -frounding-math.
#include <bit>
#include <cfenv>
#include <cmath>

#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/halves.hpp"
#include "cpu/exec/host_rounding.hpp"

namespace cucore::cpu {
namespace {

using enum Regular;
using ptx::Form;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

// Op::imm of these instructions.
struct FloatPlan {
  Opcode op = Opcode::unsupported;
  Rounding rounding = Rounding::none;
  Type narrow = Type::none;
  bool ftz = false, sat = false;

  uint64_t packed() const {
    return uint64_t(op) | uint64_t(rounding) << 8 | uint64_t(narrow) << 16 | uint64_t{ftz} << 24 |
           uint64_t{sat} << 25;
  }
  static FloatPlan of(uint64_t v) {
    return {Opcode(v & 0xff), Rounding(v >> 8 & 0xff), Type(v >> 16 & 0xff), (v >> 24 & 1) != 0,
            (v >> 25 & 1) != 0};
  }
};

float without_subnormal(float v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
}

float raw_result(const FloatPlan& p, float a, float b, float c) {
  switch (p.op) {
    case Opcode::add:
      return a + b;
    case Opcode::sub:
      return a - b;
    case Opcode::mul:
      return a * b;
    default:
      return std::fma(a, b, c);
  }
}

// Under .ftz a result that rounds to the least normal number from below is zero, as in
// rounding.cpp.
float flushed_result(const FloatPlan& p, float v, float a, float b, float c) {
  volatile float scale = 0x1p24f;
  if (p.op == Opcode::add || p.op == Opcode::sub) return without_subnormal(v);
  const float scaled = raw_result(p, a * scale, b, c * scale);
  return std::fabs(scaled) < 0x1p-102f ? std::copysign(0.0f, v) : v;
}

float computed_float(const FloatPlan& p, float a, float b, float c) {
  if (p.ftz) a = without_subnormal(a), b = without_subnormal(b), c = without_subnormal(c);
  float v = raw_result(p, a, b, c);
  if (p.ftz) v = flushed_result(p, v, a, b, c);
  if (p.sat) return v > 0 ? (v < 1 ? v : 1.0f) : 0.0f;
  return v == v ? v : std::bit_cast<float>(uint32_t{0x7fffffff});
}

float half_of_pair(uint64_t pair, int index) {
  return std::bit_cast<float>(uint32_t(pair >> 32 * index));
}

void compute_pairs(Warp& w, const Op& op) {
  const FloatPlan p = FloatPlan::of(op.imm);
  const uint64_t* a = w.at<uint64_t>(op[FIRST]);
  const uint64_t* b = w.at<uint64_t>(op[SECOND]);
  const uint64_t* c = op[THIRD] == NO_SLOT ? a : w.at<uint64_t>(op[THIRD]);
  uint64_t* d = w.at<uint64_t>(op[RESULT]);
  const HostRounding mode(p.rounding);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    uint64_t pair = 0;
    for (int k = 0; k < 2; ++k) {
      const float v =
          computed_float(p, half_of_pair(a[l], k), half_of_pair(b[l], k), half_of_pair(c[l], k));
      pair |= uint64_t{std::bit_cast<uint32_t>(v)} << 32 * k;
    }
    d[l] = pair;
  }
}

float widened_half(const FloatPlan& p, uint16_t bits) {
  return float(p.narrow == Type::f16 ? Half::to(bits) : Brain::to(bits));
}

void compute_mixed(Warp& w, const Op& op) {
  const FloatPlan p = FloatPlan::of(op.imm);
  const uint16_t* a = w.at<uint16_t>(op[FIRST]);
  float* d = w.at<float>(op[RESULT]);
  const bool fuses = p.op == Opcode::fma;
  const HostRounding mode(p.rounding);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const float b =
        fuses ? widened_half(p, w.at<uint16_t>(op[SECOND])[l]) : w.at<float>(op[SECOND])[l];
    const float c = fuses ? w.at<float>(op[THIRD])[l] : 0.0f;
    d[l] = computed_float(p, widened_half(p, a[l]), b, c);
  }
}

}  // namespace

Comparison select_float_pair(const Form& f) {
  const bool known =
      f.op == Opcode::add || f.op == Opcode::sub || f.op == Opcode::mul || f.op == Opcode::fma;
  const bool rounds = f.rounding == Rounding::none || f.rounding <= Rounding::rp;
  const bool is_pair = f.types[0] == Type::f32x2;
  if (!known || !rounds || f.has(ptx::FLAG_RELU) || (is_pair && f.has(ptx::FLAG_SAT))) return {};
  const FloatPlan plan{f.op, f.rounding, is_pair ? Type::none : f.types[1], f.has(ptx::FLAG_FTZ),
                       f.has(ptx::FLAG_SAT)};
  return {is_pair ? compute_pairs : compute_mixed, plan.packed()};
}

}  // namespace cucore::cpu
