// SPDX-License-Identifier: Apache-2.0
// The packed and scalar video instructions: they combine each byte, half or word of a with that of
// b.
#include <bit>

#include "cpu/exec/baseline_ops.hpp"

namespace cucore::cpu {
namespace {

using enum Regular;
using ptx::Compare;
using ptx::Form;
using ptx::Opcode;
using ptx::Operation;
using ptx::Type;

enum class Kind : uint8_t { ADD, SUB, AVERAGE, DIFFERENCE, MIN, MAX, SET };

struct Plan {
  Kind kind = Kind::ADD;
  uint32_t parts = 1;  // 1, 2 or 4
  bool to_signed = false, a_signed = false, b_signed = false, sat = false;
  Operation second = Operation::none;
  Compare compare = Compare::none;

  uint64_t packed() const {
    return uint64_t(kind) | uint64_t{parts} << 8 | uint64_t(to_signed) << 16 |
           uint64_t(a_signed) << 17 | uint64_t(b_signed) << 18 | uint64_t(sat) << 19 |
           uint64_t(second) << 24 | uint64_t(compare) << 32;
  }
  static Plan unpacked(uint64_t v) {
    Plan p;
    p.kind = Kind(v & 0xff);
    p.parts = v >> 8 & 0xff;
    p.to_signed = v >> 16 & 1;
    p.a_signed = v >> 17 & 1;
    p.b_signed = v >> 18 & 1;
    p.sat = v >> 19 & 1;
    p.second = Operation(v >> 24 & 0xff);
    p.compare = Compare(v >> 32 & 0xff);
    return p;
  }
};

int64_t part(uint32_t v, uint32_t index, uint32_t bits, bool is_signed) {
  const uint64_t raw = (uint64_t{v} >> (index * bits)) & ((uint64_t{1} << bits) - 1);
  return is_signed ? int64_t(raw << (64 - bits)) >> (64 - bits) : int64_t(raw);
}

bool compared(Compare c, int64_t a, int64_t b) {
  switch (c) {
    case Compare::eq:
      return a == b;
    case Compare::ne:
      return a != b;
    case Compare::lt:
      return a < b;
    case Compare::le:
      return a <= b;
    case Compare::gt:
      return a > b;
    default:
      return a >= b;
  }
}

int64_t combined(const Plan& p, int64_t a, int64_t b) {
  switch (p.kind) {
    case Kind::ADD:
      return a + b;
    case Kind::SUB:
      return a - b;
    case Kind::AVERAGE:
      return (a + b + (a + b >= 0)) >> 1;
    case Kind::DIFFERENCE:
      return a < b ? b - a : a - b;
    case Kind::MIN:
      return a < b ? a : b;
    case Kind::MAX:
      return a > b ? a : b;
    default:
      return compared(p.compare, a, b);
  }
}

int64_t limited(int64_t v, uint32_t bits, bool is_signed) {
  const int64_t high = is_signed ? (int64_t{1} << (bits - 1)) - 1 : (int64_t{1} << bits) - 1;
  const int64_t low = is_signed ? -(int64_t{1} << (bits - 1)) : 0;
  return v < low ? low : v > high ? high : v;
}

uint32_t video_one(const Plan& p, uint32_t a, uint32_t b, uint32_t c) {
  const uint32_t bits = 32 / p.parts;
  uint32_t d = 0, sum = c;
  for (uint32_t k = 0; k < p.parts; ++k) {
    int64_t v = combined(p, part(a, k, bits, p.a_signed), part(b, k, bits, p.b_signed));
    if (p.sat) v = limited(v, bits, p.to_signed);
    d |= uint32_t((uint64_t(v) & ((uint64_t{1} << bits) - 1)) << (k * bits));
    sum += uint32_t(v);
  }
  if (p.second == Operation::none) return d;
  if (p.second == Operation::add) return sum;
  if (p.to_signed) {
    const int32_t x = int32_t(d), y = int32_t(c);
    return uint32_t(p.second == Operation::min ? (x < y ? x : y) : (x > y ? x : y));
  }
  return p.second == Operation::min ? (d < c ? d : c) : (d > c ? d : c);
}

void video(Warp& w, const Op& op) {
  const Plan p = Plan::unpacked(op.imm);
  const uint32_t* a = w.at<uint32_t>(op[FIRST]);
  const uint32_t* b = w.at<uint32_t>(op[SECOND]);
  const uint32_t* c = op[THIRD] == NO_SLOT ? nullptr : w.at<uint32_t>(op[THIRD]);
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    d[l] = video_one(p, a[l], b[l], c ? c[l] : 0);
  }
}

bool choose(Opcode op, Plan& p) {
  auto is = [&](Kind kind, uint32_t parts) {
    p.kind = kind;
    p.parts = parts;
    return true;
  };
  switch (op) {
    case Opcode::vadd:
      return is(Kind::ADD, 1);
    case Opcode::vsub:
      return is(Kind::SUB, 1);
    case Opcode::vabsdiff:
      return is(Kind::DIFFERENCE, 1);
    case Opcode::vmin:
      return is(Kind::MIN, 1);
    case Opcode::vmax:
      return is(Kind::MAX, 1);
    case Opcode::vadd2:
      return is(Kind::ADD, 2);
    case Opcode::vsub2:
      return is(Kind::SUB, 2);
    case Opcode::vavrg2:
      return is(Kind::AVERAGE, 2);
    case Opcode::vabsdiff2:
      return is(Kind::DIFFERENCE, 2);
    case Opcode::vmin2:
      return is(Kind::MIN, 2);
    case Opcode::vmax2:
      return is(Kind::MAX, 2);
    case Opcode::vset2:
      return is(Kind::SET, 2);
    case Opcode::vadd4:
      return is(Kind::ADD, 4);
    case Opcode::vsub4:
      return is(Kind::SUB, 4);
    case Opcode::vavrg4:
      return is(Kind::AVERAGE, 4);
    case Opcode::vabsdiff4:
      return is(Kind::DIFFERENCE, 4);
    case Opcode::vmin4:
      return is(Kind::MIN, 4);
    case Opcode::vmax4:
      return is(Kind::MAX, 4);
    case Opcode::vset4:
      return is(Kind::SET, 4);
    default:
      return false;
  }
}

}  // namespace

Comparison select_video(const Form& f) {
  Plan p;
  if (!choose(f.op, p)) return {};
  const bool set = p.kind == Kind::SET;
  p.to_signed = !set && f.types[0] == Type::s32;
  p.a_signed = f.types[set ? 0 : 1] == Type::s32;
  p.b_signed = f.types[set ? 1 : 2] == Type::s32;
  // Devices do not saturate the sum of unsigned words to an unsigned word.
  const bool wraps =
      p.kind == Kind::ADD && p.parts == 1 && !p.to_signed && !p.a_signed && !p.b_signed;
  p.sat = f.has(ptx::FLAG_SAT) && !wraps;
  p.second = f.operation;
  p.compare = f.compare;
  return {video, p.packed()};
}

}  // namespace cucore::cpu
