// SPDX-License-Identifier: Apache-2.0
// The checks of accesses of 128 and 256 bits and of st.bulk: each mistake is found at its line, and
// its twin has no report.
#include "driver.hpp"

namespace cutest {
namespace {

struct Mistake {
  const char* name;
  const char* checks;
  const char* kind;      // of the report
  const char* mistaken;  // part of the body
  const char* corrected;
  const char* after;  // the rest of the body, from line 8 on
};

// The pointers are %rd0 with 1024 bytes of zeros and %rd1 with 1024 bytes; %r1 is the thread, %r2
// its place in shared memory.
const Mistake MISTAKES[] = {
    {"store128", "race", "shared-race", "", "bar.sync 0;",
     "xor.b32 %r3, %r2, 512; ld.shared.b128 %q1, [%r3]; st.global.b128 [%rd3], %q1;"},
    {"bounds128", "memory", "out-of-bounds", "add.s64 %rd3, %rd3, 16;", "",
     "st.global.b128 [%rd3], %q0;"},
    {"init128", "init", "uninitialised", "add.s64 %rd3, %rd3, 0;", "mov.u64 %rd3, %rd2;",
     "ld.global.b128 %q1, [%rd3]; st.shared.b128 [%r2], %q1; mov.b128 {%rd4, %rd5}, %q1;"
     "add.s64 %rd4, %rd4, %rd5; st.global.u64 [%rd2], %rd4;"},
    {"bulk", "race", "shared-race", "", "bar.sync 0;",
     "setp.ne.u32 %p1, %r1, 0; mov.u32 %r5, s; @!%p1 st.bulk.shared::cta [%r5], 1024, 0;"},
};

std::string text_of(const Mistake& m, bool is_wrong) {
  return std::string(".version 8.8\n.target sm_90\n.address_size 64\n") +
         ".shared .align 128 .b8 s[1024];\n"
         ".visible .entry k(.param .u64 a, .param .u64 b)\n{ .reg .pred %p<4>; .reg .b32 %r<8>; "
         ".reg "
         ".b64 %rd<8>; .reg .b128 %q<2>; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; mov.u32 %r3, s; "
         "add.u32 %r2, %r2, %r3; ld.param.u64 %rd0, [a]; ld.param.u64 %rd1, [b]; mul.wide.u32 "
         "%rd2, "
         "%r1, 16; add.s64 %rd3, %rd1, %rd2; add.s64 %rd2, %rd0, %rd2; mov.u32 %r4, 5; mov.u64 "
         "%rd4, "
         "6; mov.b128 %q0, {%rd2, %rd4}; st.shared.b128 [%r2], %q0;\n" +
         (is_wrong ? m.mistaken : m.corrected) + "\n" + m.after + "\nret; }\n";
}

class WideChecks : public DeviceTest {
 protected:
  void TearDown() override {
    cu.control().set_checks("", 0);
    cu.control().clear_checks();
    DeviceTest::TearDown();
  }
  std::string reports(const Mistake& m, bool is_wrong) {
    EXPECT_CU(0, cu.control().clear_checks());
    EXPECT_CU(0, cu.control().set_checks(m.checks, 0));
    CUmodule made = nullptr;
    EXPECT_CU(0, cu.cuModuleLoadData(&made, text_of(m, is_wrong).c_str())) << text_of(m, is_wrong);
    CUdeviceptr a = 0, b = 0;
    EXPECT_CU(0, cu.cuMemAlloc_v2(&a, BYTES));
    EXPECT_CU(0, cu.cuMemAlloc_v2(&b, BYTES));
    EXPECT_CU(0, cu.cuMemsetD8_v2(a, 0, BYTES));
    CUfunction f = nullptr;
    EXPECT_CU(0, cu.cuModuleGetFunction(&f, made, "k"));
    void* parameters[] = {&a, &b};
    EXPECT_CU(0, cu.cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_CU(0, cu.cuCtxSynchronize());
    size_t length = 0;
    cu.control().check_text(nullptr, 0, &length);
    std::string text(length + 1, '\0');
    cu.control().check_text(text.data(), text.size(), nullptr);
    EXPECT_CU(0, cu.cuMemFree_v2(a));
    EXPECT_CU(0, cu.cuMemFree_v2(b));
    return text;
  }

  static constexpr size_t BYTES = 1024;
};

TEST_F(WideChecks, FindMistakesAndNoOthers) {
  for (const Mistake& m : MISTAKES) {
    const std::string found = reports(m, true);
    EXPECT_NE(found.find(std::string(m.kind) + ":"), std::string::npos) << m.name << found;
    EXPECT_NE(found.find("PTX line 8"), std::string::npos) << m.name << found;
    reports(m, false);
    EXPECT_EQ(cu.control().check_count(), 0u) << m.name << reports(m, false);
  }
}

// The checks have no rows for accesses of eight words, so an invalid one ends the launch.
TEST_F(WideChecks, OfEightWordsEndTheLaunch) {
  const Mistake beyond{
      "bounds256", "memory",
      "",          "add.s64 %rd3, %rd1, 1024;",
      "",          "st.global.v8.b32 [%rd3], {%r4, %r4, %r4, %r4, %r4, %r4, %r4, %r4};"};
  EXPECT_CU(0, cu.control().set_checks("memory", 0));
  CUmodule made = nullptr;
  OK(cu.cuModuleLoadData(&made, text_of(beyond, true).c_str()));
  CUdeviceptr a = 0, b = 0;
  OK(cu.cuMemAlloc_v2(&a, BYTES));
  OK(cu.cuMemAlloc_v2(&b, BYTES));
  CUfunction f = nullptr;
  OK(cu.cuModuleGetFunction(&f, made, "k"));
  void* parameters[] = {&a, &b};
  OK(cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuCtxSynchronize());
  EXPECT_NE(fault_text().find("wrote 32 bytes"), std::string::npos) << fault_text();
  EXPECT_NE(fault_text().find("PTX line 8"), std::string::npos) << fault_text();
}

}  // namespace
}  // namespace cutest
