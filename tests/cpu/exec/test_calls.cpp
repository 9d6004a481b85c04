// SPDX-License-Identifier: Apache-2.0
// Calls: functions of other modules, the stack of a call, and arguments in registers.
#include <gtest/gtest.h>

#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

 private:
  std::shared_ptr<LoadedModule> module_;
};

TEST(CallStacks, OverflowWithTheAddressesOfManyParameters) {
  const std::string function =
      ".func f() {\n.reg .b64 %q<2>;\n" +
      repeated("{ .param .align 16 .b8 p[1048576]; mov.u64 %q1, p; }\n", 4096) + "ret;\n}\n";
  expect_fault(run_text(kernel_text("call f;", function), shape(1, 32)), CUDA_ERROR_LAUNCH_FAILED,
               {"stack overflow"});
}

TEST(CallStacks, AlignVariablesAndParameters) {
  const std::string functions =
      ".func (.reg .u32 r) f() {\n.local .align 32 .b8 v[32]; .reg .b64 %q<2>;\n"
      "mov.u64 %q1, v; cvt.u32.u64 r, %q1; and.b32 r, r, 31; ret;\n}\n"
      ".func (.reg .u32 r) g(.param .align 64 .b8 p[64]) {\n.local .align 8 .b8 v[16];\n"
      ".reg .b64 %q<2>; .reg .b32 %s<2>; mov.u64 %q1, v; st.local.u32 [%q1], 5;\n"
      "mov.u64 %q1, p; cvt.u32.u64 r, %q1; and.b32 r, r, 63; ld.local.u32 %s1, [%q1+60];\n"
      "add.u32 r, r, %s1; ret;\n}\n";
  Array<uint32_t> a(64);
  expect_success(run_text(
      kernel_text(".local .align 8 .b8 w[16]; mov.u64 %rd3, w; st.local.u32 [%rd3], %r1;\n"
                  "call (%r3), f; { .param .align 64 .b8 p[64]; st.param.u32 [p+60], %r1;\n"
                  "call (%r4), g, (p); } mul.wide.u32 %rd2, %r1, 8; add.s64 %rd2, %rd2, %rd0;\n"
                  "st.global.v2.u32 [%rd2], {%r3, %r4};",
                  functions),
      shape(1, 32), a.address()));
  for (unsigned t = 0; t < 32; ++t) {
    EXPECT_EQ(a[2 * t], 0u);
    EXPECT_EQ(a[2 * t + 1], t);
  }
}

}  // namespace
}  // namespace cucore::cpu::test
