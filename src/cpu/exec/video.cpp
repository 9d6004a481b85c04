// The packed and scalar video instructions: each byte, half or word of a with that of b.
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

enum class Kind : u8 { Add, Sub, Average, Difference, Min, Max, Set };

struct Plan {
  Kind kind = Kind::Add;
  u32 parts = 1;  // 1, 2 or 4
  bool to_signed = false, a_signed = false, b_signed = false, sat = false;
  Operation second = Operation::none;
  Compare compare = Compare::none;

  u64 packed() const {
    return u64(kind) | u64{parts} << 8 | u64(to_signed) << 16 | u64(a_signed) << 17 |
           u64(b_signed) << 18 | u64(sat) << 19 | u64(second) << 24 | u64(compare) << 32;
  }
  static Plan unpacked(u64 v) {
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

s64 part(u32 v, u32 index, u32 bits, bool is_signed) {
  const u64 raw = (u64{v} >> (index * bits)) & ((u64{1} << bits) - 1);
  return is_signed ? s64(raw << (64 - bits)) >> (64 - bits) : s64(raw);
}

bool compared(Compare c, s64 a, s64 b) {
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

s64 combined(const Plan& p, s64 a, s64 b) {
  switch (p.kind) {
    case Kind::Add:
      return a + b;
    case Kind::Sub:
      return a - b;
    case Kind::Average:
      return (a + b + (a + b >= 0)) >> 1;
    case Kind::Difference:
      return a < b ? b - a : a - b;
    case Kind::Min:
      return a < b ? a : b;
    case Kind::Max:
      return a > b ? a : b;
    default:
      return compared(p.compare, a, b);
  }
}

s64 limited(s64 v, u32 bits, bool is_signed) {
  const s64 high = is_signed ? (s64{1} << (bits - 1)) - 1 : (s64{1} << bits) - 1;
  const s64 low = is_signed ? -(s64{1} << (bits - 1)) : 0;
  return v < low ? low : v > high ? high : v;
}

u32 video_one(const Plan& p, u32 a, u32 b, u32 c) {
  const u32 bits = 32 / p.parts;
  u32 d = 0, sum = c;
  for (u32 k = 0; k < p.parts; ++k) {
    s64 v = combined(p, part(a, k, bits, p.a_signed), part(b, k, bits, p.b_signed));
    if (p.sat) v = limited(v, bits, p.to_signed);
    d |= u32((u64(v) & ((u64{1} << bits) - 1)) << (k * bits));
    sum += u32(v);
  }
  if (p.second == Operation::none) return d;
  if (p.second == Operation::add) return sum;
  if (p.to_signed) {
    const s32 x = s32(d), y = s32(c);
    return u32(p.second == Operation::min ? (x < y ? x : y) : (x > y ? x : y));
  }
  return p.second == Operation::min ? (d < c ? d : c) : (d > c ? d : c);
}

void video(Warp& w, const Op& op) {
  const Plan p = Plan::unpacked(op.imm);
  const u32* a = w.at<u32>(op[FIRST]);
  const u32* b = w.at<u32>(op[SECOND]);
  const u32* c = op[THIRD] == NO_SLOT ? nullptr : w.at<u32>(op[THIRD]);
  u32* d = w.at<u32>(op[RESULT]);
  for (u32 m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    d[l] = video_one(p, a[l], b[l], c ? c[l] : 0);
  }
}

bool choose(Opcode op, Plan& p) {
  auto is = [&](Kind kind, u32 parts) {
    p.kind = kind;
    p.parts = parts;
    return true;
  };
  switch (op) {
    case Opcode::vadd:
      return is(Kind::Add, 1);
    case Opcode::vsub:
      return is(Kind::Sub, 1);
    case Opcode::vabsdiff:
      return is(Kind::Difference, 1);
    case Opcode::vmin:
      return is(Kind::Min, 1);
    case Opcode::vmax:
      return is(Kind::Max, 1);
    case Opcode::vadd2:
      return is(Kind::Add, 2);
    case Opcode::vsub2:
      return is(Kind::Sub, 2);
    case Opcode::vavrg2:
      return is(Kind::Average, 2);
    case Opcode::vabsdiff2:
      return is(Kind::Difference, 2);
    case Opcode::vmin2:
      return is(Kind::Min, 2);
    case Opcode::vmax2:
      return is(Kind::Max, 2);
    case Opcode::vset2:
      return is(Kind::Set, 2);
    case Opcode::vadd4:
      return is(Kind::Add, 4);
    case Opcode::vsub4:
      return is(Kind::Sub, 4);
    case Opcode::vavrg4:
      return is(Kind::Average, 4);
    case Opcode::vabsdiff4:
      return is(Kind::Difference, 4);
    case Opcode::vmin4:
      return is(Kind::Min, 4);
    case Opcode::vmax4:
      return is(Kind::Max, 4);
    case Opcode::vset4:
      return is(Kind::Set, 4);
    default:
      return false;
  }
}

}  // namespace

Comparison select_video(const Form& f) {
  Plan p;
  if (!choose(f.op, p)) return {};
  const bool set = p.kind == Kind::Set;
  p.to_signed = !set && f.types[0] == Type::s32;
  p.a_signed = f.types[set ? 0 : 1] == Type::s32;
  p.b_signed = f.types[set ? 1 : 2] == Type::s32;
  // Devices do not saturate the sum of unsigned words to an unsigned word.
  const bool wraps =
      p.kind == Kind::Add && p.parts == 1 && !p.to_signed && !p.a_signed && !p.b_signed;
  p.sat = f.has(ptx::FLAG_SAT) && !wraps;
  p.second = f.operation;
  p.compare = f.compare;
  return {video, p.packed()};
}

}  // namespace cucore::cpu
