// SPDX-License-Identifier: Apache-2.0
// Forms with random operands: each launch ends with a fault that names a line, or without one. No
// value of a register reads or writes outside of the allocations of the device.
#include <gtest/gtest.h>

#include <random>

#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

const char* const FORMS[] = {
    "ld.global.b128 %q0, [%rd2];",
    "st.global.b128 [%rd2], %q0;",
    "ld.b128 %q0, [%rd2+16];",
    "st.relaxed.sys.b128 [%rd3], %q0;",
    "ld.shared.b128 %q0, [%r3];",
    "st.volatile.shared.b128 [%r3], %q0;",
    "ld.local.b128 %q0, [%rd3];",
    "ld.global.v8.b32 {%r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10}, [%rd2];",
    "st.v8.b32 [%rd2], {%r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10};",
    "st.bulk.shared::cta [%r3], %rd3, 0;",
    "st.bulk [%rd2], %rd3, 0;",
    "vadd4.s32.u32.u32.sat %r3.b20, %r4.b7531, %r5, %r6;",
    "vshl.s32.s32.u32.sat.clamp %r3, %r4.h1, %r5;",
    "vshr.s32.u32.u32.wrap.max %r3, %r4, %r5.b3, %r6;",
    "vmad.s32.s32.u32.sat.shr15 %r3, -%r4, %r5, %r6;",
    "cvt.pack.sat.s2.s32.b32 %r3, %r4, %r5, %r6;",
    "multimem.red.global.add.u32 [%rd2], %r3;",
    "tex.2d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%rd2, %rd3, {%f0, %f1}], {%r7, %r8}, %f2;",
    "tex.base.2d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [t, s, {%r7, %r8}];",
    "tex.2d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%rd4, %rd5, {%f0, %f1}];",
    "txq.level.width.b32 %r3, [%rd2], %r4;",
    "txq.height.b32 %r3, [t];",
    "suq.width.b32 %r3, [%rd2];",
    "sust.p.2d.v4.b32.zero [%rd2, {%r3, %r4}], {%r5, %r6, %r7, %r8};",
    "sured.p.add.1d.b32.clamp [u, {%r3}], %r4;",
    "istypep.texref %p1, %rd2;",
    "istypep.texref %p1, %rd4;",
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r3], "
    "[%r4];",
    "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.multicast::cluster::all."
    "b128 "
    "[%rd2], [%rd3];",
    "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r3], "
    "[%rd2, {%r4, %r5, %r6, %r7, %r8}], [%r9];",
    "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd2, {%r4, %r5, %r6, "
    "%r7, %r8}], [%r3];",
    "fma.rz.f32x2 %rd2, %rd3, %rd4, %rd5;",
    "add.rp.sat.f32.f16 %f0, %rs3, %f1;",
};

// Numbers near the allocations, in small ranges, at the ends of the range, and anything.
uint64_t operand(std::mt19937_64& random, uint64_t a, uint64_t b) {
  const uint64_t near = random() % 320;
  switch (random() % 8) {
    case 0:
      return a + near * 16 - 32;
    case 1:
      return b + near;
    case 2:
      return near * 8;
    case 3:
      return near;
    case 4:
      return uint64_t{0} - near;
    case 5:
      return uint64_t{1} << random() % 64;
    default:
      return random();
  }
}

// The registers of each thread come from an array of 64-bit words.
std::string text_of(const char* form) {
  std::string body =
      ".reg .b128 %q<2>; .local .align 16 .b8 l[64];\n"
      "mul.wide.u32 %rd20, %r1, 192; add.s64 %rd20, %rd20, %rd1;";
  for (int k = 2; k < 6; ++k)
    body += "ld.global.u64 %rd" + std::to_string(k) + ", [%rd20+" + std::to_string(8 * k) + "];";
  body += "mov.u64 %rd4, t; setp.lt.u32 %p2, %r1, 16; @%p2 mov.u64 %rd5, s;";
  for (int k = 3; k < 12; ++k)
    body +=
        "ld.global.u32 %r" + std::to_string(k) + ", [%rd20+" + std::to_string(48 + 8 * k) + "];";
  body +=
      "mov.b32 %f0, %r3; mov.b32 %f1, %r4; mov.b32 %f2, %r5; cvt.u16.u32 %rs3, %r6;"
      "mov.b128 %q0, {%rd2, %rd3}; setp.ne.u32 %p3, %r1, 3; bar.warp.sync -1; @%p3 ";
  return kernel_text(body + form,
                     ".global .texref t; .global .surfref u; .global .samplerref s = { addr_mode_0 "
                     "= mirror, filter_mode = linear };\n.shared .align 128 .b8 box[256];\n");
}

TEST(RandomOperands, EndWithAFaultOrWithout) {
  std::mt19937_64 random(2026);
  for (const char* form : FORMS) {
    const auto module = load_text(text_of(form));
    for (int round = 0; round < 60; ++round) {
      Array<uint8_t> a(256, 1), guard(64, 7);
      Array<uint64_t> b(32 * 24);
      // Threads share operands in half of the rounds, so that some launches reach the end.
      const bool same = round % 2 == 0;
      for (size_t k = 0; k < b.size(); ++k)
        b[k] = same && k >= 24 ? b[k - 24] : operand(random, a.address(), b.address());
      const auto fault =
          launch(*module->find_kernel("k"), shape(1, 32), nullptr, a.address(), b.address(), 0);
      const bool names_line = !fault || fault->text.find("PTX line") != std::string::npos;
      EXPECT_TRUE(names_line) << fault->text;
      for (size_t k = 0; k < guard.size(); ++k) ASSERT_EQ(guard[k], 7) << form;
    }
  }
}

}  // namespace
}  // namespace cucore::cpu::test
