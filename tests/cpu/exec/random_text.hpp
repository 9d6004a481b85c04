// SPDX-License-Identifier: Apache-2.0
// Random PTX without branches for comparisons of two ways to execute it.
#pragma once

#include <random>
#include <string>

namespace cucore::cpu::test {

// Templates of instructions. %H, %R and %L stand for registers of 16, 32 and 64 bits, %F for floats
// and %P for predicates.
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
    "rcp.approx.f32 %F, %F;",
    "sqrt.approx.f32 %F, %F;",
    "rcp.rz.f32 %F, %F;",
    "sqrt.rp.f32 %F, %F;",
    "div.rm.f32 %F, %F, %F;",
    "div.approx.f32 %F, %F, %F;",
    "div.full.f32 %F, %F, %F;",
    "rsqrt.approx.ftz.f32 %F, %F;",
    "sub.rm.f32 %F, %F, %F;",
    "sub.rn.f32 %F, %F, %F;",
    "add.ftz.sat.f32 %F, %F, %F;",
    "fma.rz.ftz.f32 %F, %F, %F, %F;",
    "fma.rp.f32 %F, %F, %F, 0fBF800000;",
    "min.ftz.f32 %F, %F, %F;",
    "max.NaN.f32 %F, %F, %F;",
    "min.f32 %F, %F, 0f80000000;",
    "neg.ftz.f32 %F, %F;",
    "setp.lt.ftz.f32 %P, %F, %F;",
    "setp.eq.f32 %P, %F, %F;",
    "setp.le.f32 %P, %F, %F;",
    "setp.gt.f32 %P, %F, %F;",
    "setp.ge.f32 %P, %F, %F;",
    "setp.equ.f32 %P, %F, %F;",
    "setp.neu.f32 %P, %F, %F;",
    "setp.ltu.f32 %P, %F, %F;",
    "setp.leu.f32 %P, %F, %F;",
    "setp.gtu.f32 %P, %F, %F;",
    "setp.num.f32 %P, %F, %F;",
    "setp.lo.u64 %P, %L, %L;",
    "setp.ls.u32 %P, %R, %R;",
    "setp.hs.u64 %P, %L, %L;",
    "setp.hi.u64 %P, %L, %L;",
    "setp.eq.u64 %P, %L, %L;",
    "setp.le.s32 %P, %R, %R;",
    "setp.gt.s64 %P, %L, %L;",
    "setp.lt.s64 %P, %L, -1;",
    "setp.gt.u32 %P|%P, %R, %R;",
    "setp.lt.f64 %P, %L, %L;",
    "selp.f64 %L, %L, %L, %P;",
    "selp.u32 %R, 7, %R, %P;",
    "selp.s64 %L, %L, 9, %P;",
    "selp.b32 %R, %R, %R, !%P;",
    "mul.hi.u32 %R, %R, %R;",
    "mul.hi.s64 %L, %L, %L;",
    "mad.hi.s32 %R, %R, %R, %R;",
    "mul24.lo.u32 %R, %R, %R;",
    "add.cc.u32 %R, %R, %R; addc.u32 %R, %R, %R;",
    "add.sat.s32 %R, %R, %R;",
    "sub.cc.u64 %L, %L, %L; subc.u64 %L, %L, %L;",
    "div.s32 %R, %R, 7;",
    "div.u64 %L, %L, %L;",
    "rem.s64 %L, %L, %L;",
    "min.u32 %R, %R, %R;",
    "max.s32 %R, %R, %R;",
    "min.s64 %L, %L, %L;",
    "max.u64 %L, %L, %L;",
    "and.b64 %L, %L, %L;",
    "xor.b64 %L, %L, %L;",
    "or.b32 %R, %R, 255;",
    "shl.b32 %R, %R, 32;",
    "shr.s32 %R, %R, 40;",
    "shl.b64 %L, %L, 64;",
    "shr.s64 %L, %L, %R;",
    "shr.b64 %L, %L, %R;",
    "shr.b32 %R, %R, %R;",
    "cvt.u64.s32 %L, %R;",
    "cvt.s64.u32 %L, %R;",
    "cvt.s32.s64 %R, %L;",
    "cvt.sat.s32.s64 %R, %L;",
    "cvt.sat.u32.s32 %R, %R;",
    "cvt.u16.u32 %H, %R;",
    "cvt.s32.s16 %R, %H;",
    "cvt.rni.f32.f32 %F, %F;",
    "cvt.rzi.s32.f32 %R, %F;",
    "cvt.rz.f32.u32 %F, %R;",
    "cvt.rn.f32.s64 %F, %L;",
    "cvt.rn.f64.s32 %L, %R;",
    "cvt.u32.u8 %R, %R;",
    "cvt.s64.s8 %L, %R;",
    "add.u16 %H, %H, %H;",
    "mul.wide.u16 %R, %H, %H;",
    "mov.b64 %L, {%R, %R};",
    "mov.b64 {%R, %R}, %L;",
    "mov.b32 {%H, %H}, %R;",
    "mov.u32 %R, %laneid;",
    "mov.u32 %R, %ntid.x;",
    "lop3.b32 %R, %R, 77, %R, 0xe2;",
    "shf.l.wrap.b32 %R, %R, %R, %R;",
    "@%P mov.u32 %R, %R;",
    "@!%P mov.u64 %L, %L;",
    "@%P setp.lt.u32 %P, %R, %R;",
    "add.f64 %L, %L, %L;",
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

  // Returns the template with registers.
  std::string filled(const std::string& form) {
    std::string text;
    for (size_t i = 0; i < form.size(); ++i) {
      text += form[i];
      if (form[i] != '%' || std::string("RLFPH").find(form[i + 1]) == std::string::npos) continue;
      text += form[++i];
      text += std::to_string(below(form[i] == 'P' ? 7 : registers_));
    }
    return text;
  }

 private:
  std::mt19937 random_;
  unsigned registers_;
};

}  // namespace cucore::cpu::test
