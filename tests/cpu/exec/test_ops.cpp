// SPDX-License-Identifier: Apache-2.0
// Single instructions on edge values, with every handler set: the results must be identical to the
// bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "text.hpp"

namespace cucore::cpu::test {
namespace {

// In the text, `d`, `x`, `y` and `z` are registers with given bits. `p` and `q` are predicates, and
// `p` is true if x is odd. A predicate result is read with selp.
struct Case {
  std::string text;
  int d, x, y, z;
};

const std::vector<uint64_t> EDGES = {0,
                                     1,
                                     2,
                                     3,
                                     31,
                                     32,
                                     33,
                                     63,
                                     64,
                                     65,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     0x12345678,
                                     0x7fffffff,
                                     0x80000000,
                                     0x80000001,
                                     0xffffffff,
                                     0x3f800000,
                                     0xbf800000,
                                     0x40490fdb,
                                     0x7f800000,
                                     0xff800000,
                                     0x7fc00000,
                                     0xffc00001,
                                     0x00000001 | 0x80000000,
                                     0x007fffff,
                                     0x00800000,
                                     0x7f7fffff,
                                     0x4b7fffff,
                                     0x4f000000,
                                     0xcf000001,
                                     0x3effffff,
                                     0x3f000000,
                                     0x3fc00000,
                                     0xc0200000,
                                     0x33ffffff};
const std::vector<uint64_t> WIDE = {0,
                                    1,
                                    2,
                                    3,
                                    31,
                                    33,
                                    63,
                                    64,
                                    65,
                                    0xffffffff,
                                    0x100000000,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    ~0ull,
                                    0x123456789abcdef0,
                                    0x3ff0000000000000,
                                    0xbff0000000000000,
                                    0x400921fb54442d18,
                                    0x7ff0000000000000,
                                    0xfff0000000000000,
                                    0x7ff8000000000000,
                                    0x000fffffffffffff,
                                    0x0010000000000000,
                                    0x7fefffffffffffff,
                                    0x41dfffffffc00000,
                                    0x43e0000000000000,
                                    0x3fe0000000000000,
                                    0x36a0000000000000,
                                    0x47efffffefffffff};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string reg(char name, int bits) {
  const std::string n = name == 'd' ? "4" : name == 'x' ? "5" : name == 'y' ? "6" : "7";
  return (bits == 16 ? "%rs" : bits == 32 ? "%r" : "%rd") + n;
}

std::string text_of(const Case& c) {
  std::string body =
      "mad.lo.u32 %r3, %r2, 64, %r1; setp.ge.u32 %p0, %r3, %r0; @%p0 ret;\nmul.wide.u32 %rd2, %r3, "
      "32; add.s64 %rd2, %rd2, %rd0;\n";
  const int bits[] = {c.x, c.y, c.z};
  for (int k = 0; k < 3; ++k) {
    const char name = "xyz"[k];
    const std::string offset = std::to_string(8 * k);
    if (bits[k])
      body += "ld.global.b" + std::to_string(bits[k]) + " " + reg(name, bits[k]) + ", [%rd2+" +
              offset + "];\n";
  }
  body +=
      "ld.global.u32 %r8, [%rd2]; and.b32 %r8, %r8, 1; setp.ne.u32 %p1, %r8, 0; mov.u64 %rd4, 0; "
      "mov.u32 %r4, 0; mov.u16 %rs4, 0; mov.pred %p2, %p1;\n";
  std::string text = c.text;
  for (char name : {'d', 'x', 'y', 'z'}) {
    const int width = name == 'd' ? (c.d ? c.d : 32) : bits[name - 'x'];
    text = replaced(text, std::string("$") + name, reg(name, width));
  }
  text = replaced(replaced(text, "$p", "%p1"), "$q", "%p2");
  body += text + "\n";
  if (!c.d) body += "selp.u32 %r4, 1, 0, %p2;\n";
  body += "st.global.b" + std::to_string(c.d ? c.d : 32) + " [%rd2+24], " +
          reg('d', c.d ? c.d : 32) + ";";
  return kernel_text(body);
}

uint64_t cut(uint64_t v, int bits) {
  return bits == 64 || bits == 0 ? v : v & ((uint64_t{1} << bits) - 1);
}

struct Input {
  uint64_t x, y, z;
};
std::vector<Input> inputs_of(const Case& c) {
  auto values = [](int bits) {
    std::vector<uint64_t> v = bits == 64 ? WIDE : EDGES;
    for (auto& e : v) e = cut(e, bits);
    return v;
  };
  const auto xs = values(c.x), ys = values(c.y), zs = values(c.z);
  std::vector<Input> in;
  for (size_t i = 0; i < xs.size(); ++i)
    for (size_t j = 0; j < (c.y ? ys.size() : 1); ++j)
      in.push_back({xs[i], ys[j], zs[(i * 7 + j * 3) % zs.size()]});
  return in;
}

std::vector<uint64_t> run_case(const Case& c, const std::vector<Input>& in) {
  Array<uint64_t> data(in.size() * 4);
  for (size_t i = 0; i < in.size(); ++i) {
    data[i * 4] = in[i].x;
    data[i * 4 + 1] = in[i].y;
    data[i * 4 + 2] = in[i].z;
  }
  const auto fault = run_text(text_of(c), shape(unsigned(in.size() + 63) / 64, 64), data.address(),
                              0, int(in.size()));
  EXPECT_FALSE(fault) << c.text << ": " << fault->text;
  std::vector<uint64_t> out;
  for (size_t i = 0; i < in.size(); ++i) out.push_back(data[i * 4 + 3]);
  return out;
}

void check(const Case& c) {
  const auto in = inputs_of(c);
  const Settings before = settings();
  std::vector<uint64_t> first;
  for (Simd level : {Simd::BASELINE, Simd::AVX2, Simd::AVX512}) {
    Settings s = before;
    s.simd = level;
    configure(s);
    const auto out = run_case(c, in);
    configure(before);
    if (first.empty()) first = out;
    for (size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(out[i], first[i]) << c.text << std::hex << " x=" << in[i].x << " y=" << in[i].y
                                  << " z=" << in[i].z << " with " << simd_name(level);
    }
  }
}

float f32(uint64_t v) { return std::bit_cast<float>(uint32_t(v)); }

// tests/cpu/ops tests the result of each form; here every handler set must agree on more values.
TEST(Ops, HandlerSetsAgree) {
  const std::vector<Case> cases = {
      {"add.s32 $d, $x, $y;", 32, 32, 32, 0},
      {"sub.u64 $d, $x, $y;", 64, 64, 64, 0},
      {"add.u16 $d, $x, $y;", 16, 16, 16, 0},
      {"add.sat.s32 $d, $x, $y;", 32, 32, 32, 0},
      {"sub.sat.s32 $d, $x, $y;", 32, 32, 32, 0},
      {"mul.lo.s32 $d, $x, $y;", 32, 32, 32, 0},
      {"mul.hi.s32 $d, $x, $y;", 32, 32, 32, 0},
      {"mul.hi.u32 $d, $x, $y;", 32, 32, 32, 0},
      {"mul.hi.u64 $d, $x, $y;", 64, 64, 64, 0},
      {"mul.hi.s64 $d, $x, $y;", 64, 64, 64, 0},
      {"mul.hi.s16 $d, $x, $y;", 16, 16, 16, 0},
      {"mul.wide.s32 $d, $x, $y;", 64, 32, 32, 0},
      {"mul.wide.u16 $d, $x, $y;", 32, 16, 16, 0},
      {"mad.lo.s32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"mad.wide.u32 $d, $x, $y, $z;", 64, 32, 32, 64},
      {"mad.hi.sat.s32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"mul24.lo.s32 $d, $x, $y;", 32, 32, 32, 0},
      {"mul24.hi.u32 $d, $x, $y;", 32, 32, 32, 0},
      {"div.s32 $d, $x, $y;", 32, 32, 32, 0},
      {"div.u32 $d, $x, $y;", 32, 32, 32, 0},
      {"rem.s32 $d, $x, $y;", 32, 32, 32, 0},
      {"rem.u32 $d, $x, $y;", 32, 32, 32, 0},
      {"div.s64 $d, $x, $y;", 64, 64, 64, 0},
      {"rem.u64 $d, $x, $y;", 64, 64, 64, 0},
      {"rem.s64 $d, $x, $y;", 64, 64, 64, 0},
      {"min.s32 $d, $x, $y;", 32, 32, 32, 0},
      {"max.u64 $d, $x, $y;", 64, 64, 64, 0},
      {"neg.s32 $d, $x;", 32, 32, 0, 0},
      {"abs.s64 $d, $x;", 64, 64, 0, 0},
      {"sad.s32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"dp4a.u32.u32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"dp2a.lo.s32.u32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"{.reg .b32 t; add.cc.u32 t, $x, $y; addc.u32 $d, $z, 0;}", 32, 32, 32, 32},
      {"{.reg .b32 t; sub.cc.u32 t, $x, $y; subc.u32 $d, $z, 0;}", 32, 32, 32, 32},
      {"and.b32 $d, $x, $y;", 32, 32, 32, 0},
      {"xor.b64 $d, $x, $y;", 64, 64, 64, 0},
      {"not.b16 $d, $x;", 16, 16, 0, 0},
      {"cnot.b32 $d, $x;", 32, 32, 0, 0},
      {"lop3.b32 $d, $x, $y, $z, 0xe8;", 32, 32, 32, 32},
      {"lop3.b32 $d, $x, $y, $z, 0x96;", 32, 32, 32, 32},
      {"shl.b32 $d, $x, $y;", 32, 32, 32, 0},
      {"shr.u32 $d, $x, $y;", 32, 32, 32, 0},
      {"shr.s32 $d, $x, $y;", 32, 32, 32, 0},
      {"shr.s64 $d, $x, $y;", 64, 64, 32, 0},
      {"shl.b64 $d, $x, $y;", 64, 64, 32, 0},
      {"shr.s16 $d, $x, $y;", 16, 16, 32, 0},
      {"shf.l.wrap.b32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"shf.r.wrap.b32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"shf.l.clamp.b32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"shf.r.clamp.b32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"popc.b64 $d, $x;", 32, 64, 0, 0},
      {"clz.b32 $d, $x;", 32, 32, 0, 0},
      {"clz.b64 $d, $x;", 32, 64, 0, 0},
      {"brev.b32 $d, $x;", 32, 32, 0, 0},
      {"bfind.u32 $d, $x;", 32, 32, 0, 0},
      {"bfind.s64 $d, $x;", 32, 64, 0, 0},
      {"bfind.shiftamt.u32 $d, $x;", 32, 32, 0, 0},
      {"bfe.u32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"bfe.s64 $d, $x, $y, $z;", 64, 64, 32, 32},
      {"bfi.b32 $d, $x, $y, $z, 7;", 32, 32, 32, 32},
      {"bmsk.clamp.b32 $d, $x, $y;", 32, 32, 32, 0},
      {"szext.wrap.s32 $d, $x, $y;", 32, 32, 32, 0},
      {"prmt.b32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"prmt.b32.b4e $d, $x, $y, $z;", 32, 32, 32, 32},
      {"fns.b32 $d, $x, $y, 1;", 32, 32, 32, 0},
      {"vabsdiff4.u32.u32.u32.add $d, $x, $y, $z;", 32, 32, 32, 32},
      {"selp.b32 $d, $x, $y, $p;", 32, 32, 32, 0},
      {"selp.b64 $d, $x, $y, !$p;", 64, 64, 64, 0},
      {"slct.s32.s32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"slct.u64.f32 $d, $x, $y, $z;", 64, 64, 64, 32},
      {"setp.lt.s32 $q, $x, $y;", 0, 32, 32, 0},
      {"setp.hs.u64 $q, $x, $y;", 0, 64, 64, 0},
      {"setp.ne.s16 $q, $x, $y;", 0, 16, 16, 0},
      {"setp.eq.f32 $q, $x, $y;", 0, 32, 32, 0},
      {"setp.ne.f32 $q, $x, $y;", 0, 32, 32, 0},
      {"setp.neu.f32 $q, $x, $y;", 0, 32, 32, 0},
      {"setp.ltu.f64 $q, $x, $y;", 0, 64, 64, 0},
      {"setp.geu.f32 $q, $x, $y;", 0, 32, 32, 0},
      {"setp.equ.f64 $q, $x, $y;", 0, 64, 64, 0},
      {"setp.num.f32 $q, $x, $y;", 0, 32, 32, 0},
      {"setp.nan.f64 $q, $x, $y;", 0, 64, 64, 0},
      {"setp.gt.ftz.f32 $q, $x, $y;", 0, 32, 32, 0},
      {"setp.gt.and.s32 $q, $x, $y, $p;", 0, 32, 32, 0},
      {"setp.gt.xor.u32 $q, $x, $y, !$p;", 0, 32, 32, 0},
      {"{.reg .pred t; setp.le.or.u32 t|$q, $x, $y, $p;}", 0, 32, 32, 0},
      {"set.lt.u32.s32 $d, $x, $y;", 32, 32, 32, 0},
      {"set.ge.f32.f32 $d, $x, $y;", 32, 32, 32, 0},
      {"testp.finite.f32 $q, $x;", 0, 32, 0, 0},
      {"testp.subnormal.f64 $q, $x;", 0, 64, 0, 0},
      {"testp.notanumber.f32 $q, $x;", 0, 32, 0, 0},
      {"testp.normal.f64 $q, $x;", 0, 64, 0, 0},
      {"add.f32 $d, $x, $y;", 32, 32, 32, 0},
      {"sub.ftz.f32 $d, $x, $y;", 32, 32, 32, 0},
      {"mul.f32 $d, $x, $y;", 32, 32, 32, 0},
      {"mul.sat.f32 $d, $x, $y;", 32, 32, 32, 0},
      {"fma.rn.f32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"fma.rn.ftz.f32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"div.rn.f32 $d, $x, $y;", 32, 32, 32, 0},
      {"sqrt.rn.f32 $d, $x;", 32, 32, 0, 0},
      {"rcp.rn.f32 $d, $x;", 32, 32, 0, 0},
      {"min.f32 $d, $x, $y;", 32, 32, 32, 0},
      {"max.f32 $d, $x, $y;", 32, 32, 32, 0},
      {"max.NaN.f32 $d, $x, $y;", 32, 32, 32, 0},
      {"abs.ftz.f32 $d, $x;", 32, 32, 0, 0},
      {"neg.f64 $d, $x;", 64, 64, 0, 0},
      {"copysign.f32 $d, $x, $y;", 32, 32, 32, 0},
      {"add.f64 $d, $x, $y;", 64, 64, 64, 0},
      {"fma.rn.f64 $d, $x, $y, $z;", 64, 64, 64, 64},
      {"add.rz.f32 $d, $x, $y;", 32, 32, 32, 0},
      {"mul.rp.f32 $d, $x, $y;", 32, 32, 32, 0},
      {"fma.rm.f32 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"div.rz.f32 $d, $x, $y;", 32, 32, 32, 0},
      {"cvt.rzi.s32.f32 $d, $x;", 32, 32, 0, 0},
      {"cvt.rni.u32.f32 $d, $x;", 32, 32, 0, 0},
      {"cvt.rmi.s64.f32 $d, $x;", 64, 32, 0, 0},
      {"cvt.rpi.s32.f64 $d, $x;", 32, 64, 0, 0},
      {"cvt.rzi.u64.f64 $d, $x;", 64, 64, 0, 0},
      {"cvt.rn.f32.s32 $d, $x;", 32, 32, 0, 0},
      {"cvt.rn.f32.u64 $d, $x;", 32, 64, 0, 0},
      {"cvt.rn.f64.s64 $d, $x;", 64, 64, 0, 0},
      {"cvt.rz.f32.s64 $d, $x;", 32, 64, 0, 0},
      {"cvt.rn.f32.f64 $d, $x;", 32, 64, 0, 0},
      {"cvt.rp.f32.f64 $d, $x;", 32, 64, 0, 0},
      {"cvt.f64.f32 $d, $x;", 64, 32, 0, 0},
      {"cvt.rni.f32.f32 $d, $x;", 32, 32, 0, 0},
      {"cvt.sat.f32.f32 $d, $x;", 32, 32, 0, 0},
      {"cvt.ftz.sat.f32.f32 $d, $x;", 32, 32, 0, 0},
      {"cvt.s32.s16 $d, $x;", 32, 16, 0, 0},
      {"cvt.u64.u32 $d, $x;", 64, 32, 0, 0},
      {"cvt.s64.s32 $d, $x;", 64, 32, 0, 0},
      {"cvt.s32.s8 $d, $x;", 32, 32, 0, 0},
      {"cvt.sat.u8.s32 $d, $x;", 32, 32, 0, 0},
      {"cvt.sat.s16.u32 $d, $x;", 32, 32, 0, 0},
      {"cvt.sat.s32.u64 $d, $x;", 32, 64, 0, 0},
      {"cvt.rzi.u8.f32 $d, $x;", 32, 32, 0, 0},
      {"cvt.rn.bf16.f32 $d, $x;", 16, 32, 0, 0},
      {"cvt.f32.bf16 $d, $x;", 32, 16, 0, 0},
      {"{.reg .b16 h; cvt.rn.f16.f32 h, $x; cvt.f32.f16 $d, h;}", 32, 32, 0, 0}};
  for (const Case& c : cases) check(c);
}

TEST(Ops, HalfArithmetic) {
  const std::vector<Case> cases = {
      {"add.f16 $d, $x, $y;", 16, 16, 16, 0},    {"fma.rn.f16 $d, $x, $y, $z;", 16, 16, 16, 16},
      {"mul.f16x2 $d, $x, $y;", 32, 32, 32, 0},  {"fma.rn.bf16x2 $d, $x, $y, $z;", 32, 32, 32, 32},
      {"min.f16x2 $d, $x, $y;", 32, 32, 32, 0},  {"max.s16x2 $d, $x, $y;", 32, 32, 32, 0},
      {"setp.lt.f16 $q, $x, $y;", 0, 16, 16, 0}, {"cvt.rn.f16x2.f32 $d, $x, $y;", 32, 32, 32, 0},
  };
  for (const Case& c : cases) check(c);
  const Case sum = {"add.f16 $d, $x, $y;", 16, 16, 16, 0};
  // 1 + 2^-11 is halfway between two halves and rounds to even. 65504 + 16 overflows. 1.5 + 2.25 is
  // exact.
  const auto out = run_case(
      sum, {{0x3c00, 0x1000, 0}, {0x7bff, 0x4c00, 0}, {0x3e00, 0x4080, 0}, {0x7c00, 0xfc00, 0}});
  EXPECT_EQ(out, (std::vector<uint64_t>{0x3c00, 0x7c00, 0x4380, 0x7fff}));
}

// The results of an H200. A double holds 53 bits of the integer. Rounding to double first would
// make the first and the sixth halfway cases.
TEST(Ops, LongIntegersRoundToBrainFloatsOnce) {
  const std::vector<Input> in = {
      {0x8080000000000001, 0, 0}, {0x0000008080000001, 0, 0}, {0x0000000080800001, 0, 0},
      {0x8080800000000000, 0, 0}, {0x7f7fffffffffffff, 0, 0}, {0xff7fffffffffffff, 0, 0},
      {0xffffffffffffffff, 0, 0}, {0x8000000080000001, 0, 0}, {0x0810000000000001, 0, 0}};
  EXPECT_EQ(run_case({"cvt.rn.bf16.u64 $d, $x;", 16, 64, 0, 0}, in),
            (std::vector<uint64_t>{0x5f01, 0x5301, 0x4f01, 0x5f01, 0x5eff, 0x5f7f, 0x5f80, 0x5f00,
                                   0x5d01}));
  EXPECT_EQ(run_case({"cvt.rz.bf16.u64 $d, $x;", 16, 64, 0, 0}, in),
            (std::vector<uint64_t>{0x5f00, 0x5300, 0x4f00, 0x5f00, 0x5efe, 0x5f7f, 0x5f7f, 0x5f00,
                                   0x5d01}));
}

// By the definition of each rounding: just above half a unit, with both signs.
TEST(Ops, LongSignedIntegersRoundToBrainFloatsOnce) {
  const std::vector<Input> in = {{0x4040000000000001, 0, 0}, {0xbfbfffffffffffff, 0, 0}};
  const auto rounded = [&](const std::string& how) {
    return run_case({"cvt." + how + ".bf16.s64 $d, $x;", 16, 64, 0, 0}, in);
  };
  EXPECT_EQ(rounded("rn"), (std::vector<uint64_t>{0x5e81, 0xde81}));
  EXPECT_EQ(rounded("rz"), (std::vector<uint64_t>{0x5e80, 0xde80}));
  EXPECT_EQ(rounded("rm"), (std::vector<uint64_t>{0x5e80, 0xde81}));
  EXPECT_EQ(rounded("rp"), (std::vector<uint64_t>{0x5e81, 0xde80}));
}

// Bounds from the PTX manual.
TEST(Ops, Approximations) {
  struct Bound {
    const char* text;
    double (*exact)(double);
    double relative, absolute, low, high;
  };
  const Bound bounds[] = {
      {"ex2.approx.ftz.f32 $d, $x;", [](double v) { return std::exp2(v); }, 0x1p-22, 0, -125, 127},
      {"lg2.approx.ftz.f32 $d, $x;", [](double v) { return std::log2(v); }, 0x1p-22, 0x1p-22, 1e-37,
       1e37},
      {"sin.approx.f32 $d, $x;", [](double v) { return std::sin(v); }, 0, 0x1p-20, -3.14, 3.14},
      {"cos.approx.f32 $d, $x;", [](double v) { return std::cos(v); }, 0, 0x1p-20, -3.14, 3.14},
      {"tanh.approx.f32 $d, $x;", [](double v) { return std::tanh(v); }, 0x1p-11, 0, -20, 20},
      {"rcp.approx.ftz.f32 $d, $x;", [](double v) { return 1 / v; }, 0x1p-23, 0, 1e-37, 1e37},
      {"rsqrt.approx.f32 $d, $x;", [](double v) { return 1 / std::sqrt(v); }, 0x1.2p-23, 0, 1e-37,
       1e37},
      {"sqrt.approx.f32 $d, $x;", [](double v) { return std::sqrt(v); }, 0x1p-23, 0, 1e-37, 1e37},
  };
  for (const Bound& b : bounds) {
    const Case c = {b.text, 32, 32, 0, 0};
    check(c);
    std::vector<Input> in;
    const bool positive = b.low > 0;
    for (int i = 0; i <= 4000; ++i) {
      const double t = double(i) / 4000;
      const float v =
          float(positive ? b.low * std::pow(b.high / b.low, t) : b.low + (b.high - b.low) * t);
      in.push_back({std::bit_cast<uint32_t>(v), 0, 0});
    }
    const auto out = run_case(c, in);
    for (size_t i = 0; i < in.size(); ++i) {
      const double exact = b.exact(f32(in[i].x));
      ASSERT_LE(std::fabs(f32(out[i]) - exact), b.relative * std::fabs(exact) + b.absolute)
          << b.text << f32(in[i].x);
    }
  }
}

// Inactive lanes keep their registers, whatever the handler computes for all 32.
TEST(Ops, PairsArePacked) {
  const struct {
    const char* type;
    int bits;
    int64_t least, most;
  } rows[] = {{"s2", 2, -2, 1},           {"u2", 2, 0, 3},      {"s4", 4, -8, 7},
              {"u4", 4, 0, 15},           {"s8", 8, -128, 127}, {"u8", 8, 0, 255},
              {"s16", 16, -32768, 32767}, {"u16", 16, 0, 65535}};
  for (const auto& row : rows) {
    const bool has_rest = row.bits <= 8;
    const Case c{std::string("cvt.pack.sat.") + row.type + (has_rest ? ".s32.b32" : ".s32") +
                     " $d, $x, $y" + (has_rest ? ", $z;" : ";"),
                 32, 32, 32, has_rest ? 32 : 0};
    const auto in = inputs_of(c);
    const auto out = run_case(c, in);
    for (size_t i = 0; i < in.size(); ++i) {
      auto limited = [&](uint64_t v) {
        const int64_t value = int32_t(uint32_t(v));
        return uint64_t(std::min(std::max(value, row.least), row.most)) &
               ((uint64_t{1} << row.bits) - 1);
      };
      const uint64_t rest = has_rest ? in[i].z << 2 * row.bits : 0;
      ASSERT_EQ(out[i], uint32_t(rest | limited(in[i].x) << row.bits | limited(in[i].y)))
          << c.text << std::hex << " " << in[i].x << " " << in[i].y << " " << in[i].z;
    }
  }
}

TEST(Ops, LanesThatAreOffKeepTheirValues) {
  const std::string text =
      "mov.u32 %r3, 7; mov.u64 %rd3, 7; mov.f32 %f3, 0f40E00000; setp.lt.u32 %p1, %r1, 5;\n"
      "@%p1 add.u32 %r3, %r1, 100; @%p1 mul.wide.u32 %rd3, %r1, 3; @%p1 ld.global.f32 %f3, "
      "[%rd0];\n"
      "mul.wide.u32 %rd4, %r1, 16; add.s64 %rd4, %rd4, %rd1; st.global.u32 [%rd4], %r3; "
      "st.global.u64 [%rd4+8], %rd3; st.global.f32 [%rd4+4], %f3;";
  Array<float> a(1, 2.5f);
  Array<uint32_t> b(32 * 4);
  ASSERT_FALSE(run_text(kernel_text(text), shape(1, 32), a.address(), b.address()));
  for (uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(b[t * 4], t < 5 ? t + 100 : 7);
    EXPECT_EQ(b[t * 4 + 2], t < 5 ? t * 3 : 7);
    EXPECT_EQ(std::bit_cast<float>(b[t * 4 + 1]), t < 5 ? 2.5f : 7.0f);
  }
}

}  // namespace
}  // namespace cucore::cpu::test
