// SPDX-License-Identifier: Apache-2.0
// The packed and scalar video instructions: they combine bytes, halves or words of a with those of
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

__extension__ typedef __int128 Wide;

enum class Kind : uint8_t {
  ADD,
  SUB,
  AVERAGE,
  DIFFERENCE,
  MIN,
  MAX,
  SET,
  SHIFT_LEFT,
  SHIFT_RIGHT,
  MULTIPLY_ADD
};

struct Plan {
  Kind kind = Kind::ADD;
  uint32_t parts = 1;  // 1, 2 or 4
  bool to_signed = false, a_signed = false, b_signed = false, sat = false;
  bool wraps = false, plus_one = false;  // of a shift; of vmad
  uint32_t scale = 0;                    // bits that vmad drops
  Operation second = Operation::none;
  Compare compare = Compare::none;

  uint64_t packed() const {
    return uint64_t(kind) | uint64_t{parts} << 8 | uint64_t(to_signed) << 16 |
           uint64_t(a_signed) << 17 | uint64_t(b_signed) << 18 | uint64_t(sat) << 19 |
           uint64_t(wraps) << 20 | uint64_t(plus_one) << 21 | uint64_t(second) << 24 |
           uint64_t(compare) << 32 | uint64_t{scale} << 40;
  }
  static Plan unpacked(uint64_t v) {
    Plan p;
    p.kind = Kind(v & 0xff);
    p.parts = v >> 8 & 0xff;
    p.to_signed = v >> 16 & 1;
    p.a_signed = v >> 17 & 1;
    p.b_signed = v >> 18 & 1;
    p.sat = v >> 19 & 1;
    p.wraps = v >> 20 & 1;
    p.plus_one = v >> 21 & 1;
    p.second = Operation(v >> 24 & 0xff);
    p.compare = Compare(v >> 32 & 0xff);
    p.scale = v >> 40 & 0xff;
    return p;
  }
};

// The operands of one lane, with what the text selects of them.
struct Sources {
  uint32_t a, b, c;
  uint32_t selection;  // see the masks of baseline_ops.hpp

  uint32_t selected(uint32_t shift) const { return selection >> shift & VIDEO_PARTS; }
  bool negates(uint32_t operand) const { return selection >> (VIDEO_SIGNS + operand) & 1; }
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

// Each part of a source is one of the parts of both sources.
uint32_t packed_one(const Plan& p, const Sources& s) {
  const uint32_t bits = 32 / p.parts, mask = (uint32_t{1} << bits) - 1;
  auto chosen = [&](uint32_t shift, uint32_t k, bool is_signed) {
    const uint32_t number = s.selected(shift) >> 3 * k & 7;
    return part(number < p.parts ? s.a : s.b, number % p.parts, bits, is_signed);
  };
  uint32_t d = 0, sum = s.c;
  for (uint32_t k = 0; k < p.parts; ++k) {
    const bool writes = s.selection >> k & 1;
    int64_t v = combined(p, chosen(VIDEO_A, k, p.a_signed), chosen(VIDEO_B, k, p.b_signed));
    if (p.sat) v = limited(v, bits, p.to_signed);
    d |= ((writes ? uint32_t(v) : s.c >> k * bits) & mask) << (k * bits);
    if (writes) sum += uint32_t(v);
  }
  return p.second == Operation::add ? sum : d;
}

// A part of a word: its place and its bits. The selection has the number of the part, and above it
// 0 for the whole word, 1 for bytes and 2 for halves.
struct WordPart {
  uint32_t place = 0, bits = 32;
};
WordPart word_part(uint32_t selected) {
  const uint32_t bytes = selected >> 3 & 3;
  if (bytes == 0) return {};
  return {(selected & 7) * 8 * bytes, 8 * bytes};
}

int64_t extended(uint32_t v, const WordPart& part, bool is_signed) {
  const uint64_t raw = uint64_t{v} >> part.place << (64 - part.bits);
  return is_signed ? int64_t(raw) >> (64 - part.bits) : int64_t(raw >> (64 - part.bits));
}

// Devices keep 34 bits of a shifted word, the last one as its sign.
int64_t shifted(const Plan& p, int64_t a, uint32_t by) {
  by = p.wraps ? by & 31 : by < 32 ? by : 32;
  if (p.kind == Kind::SHIFT_RIGHT) return a >> by;
  return int64_t(uint64_t(a) << by << 30) >> 30;
}

int64_t clamped(Wide v, bool is_signed) {
  const Wide high = is_signed ? INT32_MAX : Wide{UINT32_MAX}, low = is_signed ? INT32_MIN : 0;
  return int64_t(v < low ? low : v > high ? high : v);
}

// The sign of a product is a complement and one more, and so is that of the addend.
uint32_t multiplied(const Plan& p, const Sources& s, int64_t a, int64_t b) {
  const bool minus = s.negates(0) != s.negates(1);
  const bool is_signed = p.a_signed || p.b_signed || minus || s.negates(2);
  Wide v = Wide{a} * b;
  Wide c = is_signed ? Wide{int32_t(s.c)} : Wide{s.c};
  if (minus) v = ~v;
  if (s.negates(2)) c = ~c;
  v += c + Wide{p.plus_one || minus || s.negates(2)};
  v >>= p.scale;
  return uint32_t(p.sat ? clamped(v, is_signed) : int64_t(v));
}

uint32_t merged(uint32_t c, uint32_t v, const WordPart& to) {
  if (to.bits == 32) return v;
  const uint32_t mask = ((uint32_t{1} << to.bits) - 1) << to.place;
  return (c & ~mask) | (v << to.place & mask);
}

uint32_t scalar_one(const Plan& p, const Sources& s) {
  const int64_t a = extended(s.a, word_part(s.selected(VIDEO_A)), p.a_signed);
  const int64_t b = extended(s.b, word_part(s.selected(VIDEO_B)), p.b_signed);
  if (p.kind == Kind::MULTIPLY_ADD) return multiplied(p, s, a, b);
  const bool shifts = p.kind == Kind::SHIFT_LEFT || p.kind == Kind::SHIFT_RIGHT;
  int64_t v = shifts ? shifted(p, a, uint32_t(b)) : combined(p, a, b);
  const WordPart to = word_part(s.selection & 0x1f);
  // Devices do not saturate the sum of unsigned words to an unsigned word.
  const bool is_word_sum = p.kind == Kind::ADD && to.bits == 32;
  const bool overflows = is_word_sum && !p.to_signed && !p.a_signed && !p.b_signed;
  if (p.sat && !overflows) v = limited(v, to.bits, p.to_signed);
  const auto d = uint32_t(v);
  if (p.second == Operation::none) return merged(s.c, d, to);
  if (p.second == Operation::add) return d + s.c;
  if (p.to_signed) {
    const int32_t x = int32_t(d), y = int32_t(s.c);
    return uint32_t(p.second == Operation::min ? (x < y ? x : y) : (x > y ? x : y));
  }
  return p.second == Operation::min ? (d < s.c ? d : s.c) : (d > s.c ? d : s.c);
}

void video(Warp& w, const Op& op) {
  const Plan p = Plan::unpacked(op.imm);
  const uint32_t* a = w.at<uint32_t>(op[FIRST]);
  const uint32_t* b = w.at<uint32_t>(op[SECOND]);
  const uint32_t* c = op[THIRD] == NO_SLOT ? nullptr : w.at<uint32_t>(op[THIRD]);
  uint32_t* d = w.at<uint32_t>(op[RESULT]);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const Sources sources{a[l], b[l], c ? c[l] : 0, op.target};
    d[l] = p.parts == 1 ? scalar_one(p, sources) : packed_one(p, sources);
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
    case Opcode::vshl:
      return is(Kind::SHIFT_LEFT, 1);
    case Opcode::vshr:
      return is(Kind::SHIFT_RIGHT, 1);
    case Opcode::vmad:
      return is(Kind::MULTIPLY_ADD, 1);
    case Opcode::vset:
      return is(Kind::SET, 1);
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
  p.sat = f.has(ptx::FLAG_SAT);
  p.wraps = f.has(ptx::FLAG_WRAP);
  p.plus_one = f.has(ptx::FLAG_PLUS_ONE);
  p.scale = f.mode == ptx::Mode::shr7 ? 7 : f.mode == ptx::Mode::shr15 ? 15 : 0;
  p.second = f.operation;
  p.compare = f.compare;
  return {video, p.packed()};
}

}  // namespace cucore::cpu
