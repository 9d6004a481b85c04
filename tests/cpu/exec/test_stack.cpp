// SPDX-License-Identifier: Apache-2.0
// Local memory that functions allocate, and forms of old targets.
#include <gtest/gtest.h>

#include <cmath>

#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

// Each thread allocates as many words as its number, in two pieces, and sums what it stored.
TEST(Stacks, LanesAllocateDifferentAmounts) {
  Array<unsigned> a(64);
  expect_success(run_text(
      kernel_text(
          "add.u32 %r3, %r1, 1; shl.b32 %r4, %r3, 2; cvt.u64.u32 %rd3, %r4;"
          "alloca.u64 %rd4, %rd3, 16; alloca.u64 %rd5, %rd3; mov.u32 %r5, 0; mov.u32 %r6, 0;\n"
          "fills: cvt.u64.u32 %rd6, %r6; shl.b64 %rd6, %rd6, 2; add.s64 %rd7, %rd4, %rd6;"
          "st.local.u32 [%rd7], %r6; cvta.local.u64 %rd8, %rd5; add.s64 %rd8, %rd8, %rd6;"
          "st.u32 [%rd8], %r3; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r3; @%p1 bra fills;"
          "mov.u32 %r6, 0;\nsums: cvt.u64.u32 %rd6, %r6; shl.b64 %rd6, %rd6, 2;"
          "add.s64 %rd7, %rd4, %rd6; ld.local.u32 %r7, [%rd7]; add.u32 %r5, %r5, %r7;"
          "add.s64 %rd7, %rd5, %rd6; ld.local.u32 %r7, [%rd7]; add.u32 %r5, %r5, %r7;"
          "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r3; @%p1 bra sums;"
          "and.b64 %rd9, %rd4, 15; cvt.u32.u64 %r8, %rd9; mad.lo.u32 %r5, %r8, 1000000, %r5;"
          "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd0; st.global.u32 [%rd2], %r5;"),
      shape(1, 64), a.address()));
  for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(a[t], t * (t + 1) / 2 + (t + 1) * (t + 1)) << t;
}

TEST(Stacks, CallsLeaveTheMemoryOfTheirCaller) {
  Array<unsigned> a(32);
  const std::string function =
      ".func (.reg .u32 r) f(.reg .u32 n) {\n.reg .b64 %q<4>; .reg .b32 %s<4>;\n"
      "alloca.u32 %s1, 64; st.local.u32 [%s1], n; st.local.u32 [%s1+60], 7; ld.local.u32 r, [%s1];"
      "ret;\n}\n";
  expect_success(run_text(
      kernel_text("alloca.u32 %r3, 32; st.local.u32 [%r3], 5; st.local.u32 [%r3+28], 6;"
                  "call (%r4), f, (%r1); ld.local.u32 %r5, [%r3]; ld.local.u32 %r6, [%r3+28];"
                  "mad.lo.u32 %r4, %r4, 100, %r5; mad.lo.u32 %r4, %r6, 10, %r4;"
                  "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd0; st.global.u32 [%rd2], %r4;",
                  function),
      shape(1, 32), a.address()));
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(a[t], t * 100 + 65) << t;
}

TEST(Stacks, AreRestored) {
  // A loop that allocates 64 KiB in each turn fits if it restores the stack.
  const auto loop = [](const char* restore) {
    return kernel_text(
        std::string("mov.u32 %r3, 0; stacksave.u64 %rd3;\nagain: mov.u64 %rd4, 65536;"
                    "alloca.u64 %rd5, %rd4; st.local.u32 [%rd5+65532], %r3;") +
        restore + "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 20; @%p1 bra again;");
  };
  expect_success(run_text(loop("stackrestore.u64 %rd3;"), shape(1, 32)));
  expect_fault(run_text(loop(""), shape(1, 32)), CUDA_ERROR_LAUNCH_FAILED,
               {"stack overflow", "alloca of 65536 bytes"});
  expect_fault(run_text(kernel_text("mov.u64 %rd3, 8; stackrestore.u64 %rd3;"), shape(1, 1)),
               CUDA_ERROR_LAUNCH_FAILED, {"invalid stack level"});
  expect_fault(run_text(kernel_text("mov.u64 %rd3, -1; alloca.u64 %rd4, %rd3;"), shape(1, 1)),
               CUDA_ERROR_LAUNCH_FAILED, {"stack overflow"});
}

TEST(OldTargets, MultiplyAndAddWithoutARounding) {
  Array<float> a(1);
  const std::string old =
      ".version 1.4\n.target sm_13\n.entry k(.param .u64 a, .param .u64 b, .param .u32 n) {\n"
      ".reg .f32 %f<4>; .reg .u64 %rd<2>; mov.f32 %f1, 0f3F800001; mad.f32 %f2, %f1, %f1, "
      "0fBF800000;"
      "ld.param.u64 %rd1, [a]; st.global.f32 [%rd1], %f2; exit;\n}\n";
  const auto module = load_text(old);
  expect_success(
      launch(*module->find_kernel("k"), shape(1, 1), nullptr, a.address(), a.address(), 0));
  EXPECT_EQ(a[0], std::fma(1.00000012f, 1.00000012f, -1.0f));
  EXPECT_THROW(load_text(kernel_text("mad.f32 %f1, %f2, %f3, %f4;")), std::runtime_error);
}

}  // namespace
}  // namespace cucore::cpu::test
