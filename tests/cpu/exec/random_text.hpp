// SPDX-License-Identifier: Apache-2.0
// Random PTX without branches for comparisons of two ways to execute it.
#pragma once

#include <random>
#include <string>

namespace cucore::cpu::test {

// Templates of instructions. %R and %L stand for registers of 32 and 64 bits, %F for floats and %P
// for predicates.
inline constexpr const char* INSTRUCTIONS[] = {
    "add.s32 %R, %R, %R;",
    "sub.u32 %R, %R, 77;",
    "mul.lo.s32 %R, %R, %R;",
    "mad.lo.u32 %R, %R, %R, %R;",
    "add.s64 %L, %L, %L;",
    "sub.s64 %L, %L, %L;",
    "mul.lo.u64 %L, %L, %L;",
    "mad.lo.s64 %L, %L, %L, %L;",
    "mul.wide.s32 %L, %R, %R;",
    "mul.wide.u32 %L, %R, 12;",
    "mad.wide.s32 %L, %R, %R, %L;",
    "mad.wide.u32 %L, %R, %R, %L;",
    "and.b32 %R, %R, %R;",
    "or.b64 %L, %L, %L;",
    "xor.b32 %R, %R, -1;",
    "not.b32 %R, %R;",
    "not.b64 %L, %L;",
    "lop3.b32 %R, %R, %R, %R, 0x96;",
    "lop3.b32 %R, %R, %R, %R, 0xb8;",
    "min.s32 %R, %R, %R;",
    "max.u32 %R, %R, %R;",
    "min.u64 %L, %L, %L;",
    "max.s64 %L, %L, %L;",
    "shl.b32 %R, %R, %R;",
    "shr.u32 %R, %R, 5;",
    "shr.s32 %R, %R, %R;",
    "shl.b64 %L, %L, %R;",
    "shr.u64 %L, %L, %R;",
    "shr.s64 %L, %L, 33;",
    "mov.b32 %R, %F;",
    "mov.b32 %F, %R;",
    "mov.u32 %R, %R;",
    "mov.f32 %F, %F;",
    "mov.u64 %L, %L;",
    "mov.u32 %R, %tid.x;",
    "mov.u32 %R, 123456;",
    "mov.pred %P, %P;",
    "cvt.s64.s32 %L, %R;",
    "cvt.u64.u32 %L, %R;",
    "cvt.u32.u64 %R, %L;",
    "cvt.rn.f32.s32 %F, %R;",
    "cvt.rn.f32.u32 %F, %R;",
    "add.f32 %F, %F, %F;",
    "sub.f32 %F, %F, 0f3F000000;",
    "mul.f32 %F, %F, %F;",
    "div.rn.f32 %F, %F, %F;",
    "fma.rn.f32 %F, %F, %F, %F;",
    "fma.rm.f32 %F, %F, %F, %F;",
    "add.rz.f32 %F, %F, %F;",
    "mul.rp.f32 %F, %F, %F;",
    "add.ftz.f32 %F, %F, %F;",
    "add.sat.f32 %F, %F, %F;",
    "min.f32 %F, %F, %F;",
    "max.f32 %F, %F, %F;",
    "neg.f32 %F, %F;",
    "abs.f32 %F, %F;",
    "sqrt.rn.f32 %F, %F;",
    "rcp.rn.f32 %F, %F;",
    "rsqrt.approx.f32 %F, %F;",
    "setp.lt.s32 %P, %R, %R;",
    "setp.hi.u32 %P, %R, %R;",
    "setp.ne.b64 %P, %L, %L;",
    "setp.ge.s64 %P, %L, %L;",
    "setp.lt.f32 %P, %F, %F;",
    "setp.geu.f32 %P, %F, %F;",
    "setp.ne.f32 %P, %F, %F;",
    "setp.nan.f32 %P, %F, %F;",
    "setp.eq.and.s32 %P, %R, %R, %P;",
    "selp.b32 %R, %R, %R, %P;",
    "selp.f32 %F, %F, %F, %P;",
    "selp.b64 %L, %L, %L, !%P;",
    "and.pred %P, %P, %P;",
    "or.pred %P, %P, %P;",
    "xor.pred %P, %P, %P;",
    "not.pred %P, %P;",
    "@%P add.s32 %R, %R, 3;",
    "@!%P mul.f32 %F, %F, %F;",
    "popc.b32 %R, %R;",
};

class RandomText {
 public:
  RandomText(unsigned seed, unsigned registers) : random_(seed), registers_(registers) {}

  unsigned below(unsigned n) { return unsigned(random_() % n); }
  std::string instructions(unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i)
      text += filled(INSTRUCTIONS[below(std::size(INSTRUCTIONS))]) + "\n";
    return text;
  }

 private:
  std::string filled(const std::string& form) {
    std::string text;
    for (size_t i = 0; i < form.size(); ++i) {
      text += form[i];
      if (form[i] != '%' || std::string("RLFP").find(form[i + 1]) == std::string::npos) continue;
      text += form[++i];
      text += std::to_string(below(form[i] == 'P' ? 7 : registers_));
    }
    return text;
  }

  std::mt19937 random_;
  unsigned registers_;
};

}  // namespace cucore::cpu::test
