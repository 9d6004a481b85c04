// SPDX-License-Identifier: Apache-2.0
// Reports name the variable of shared memory that an access belongs to, and the offset in it.
#include "driver.hpp"

namespace cutest {
namespace {

// The kernels have a variable of the module, those of a function, their own and dynamic memory.
const char* const NAMED_KERNELS = R"(.version 8.0
.target sm_75
.address_size 64
.shared .align 16 .b8 of_module[64];
.extern .shared .align 16 .b8 dynamic[];
.visible .func touch(.param .u32 offset)
{ .shared .align 16 .b8 _ZZ5touchjE5inner[32]; .reg .b32 %r<3>;
  ld.param.u32 %r0, [offset]; mov.u32 %r1, _ZZ5touchjE5inner; add.u32 %r1, %r1, %r0;
  mov.u32 %r2, %tid.x; st.shared.u32 [%r1], %r2; ret; }
.visible .entry all(.param .u32 offset)
{ .shared .align 16 .b8 _ZZ3allE4tile[128]; .reg .b32 %r<6>;
  ld.param.u32 %r0, [offset]; mov.u32 %r1, %tid.x;
  mov.u32 %r2, of_module; add.u32 %r2, %r2, %r0; st.shared.u32 [%r2], %r1;
  mov.u32 %r3, _ZZ3allE4tile; add.u32 %r3, %r3, %r0; st.shared.u32 [%r3], %r1;
  mov.u32 %r4, dynamic; add.u32 %r4, %r4, %r0; st.shared.u32 [%r4], %r1;
  { .param .u32 p; st.param.u32 [p], %r0; call.uni touch, (p); }
  ret; }
.visible .entry own(.param .u32 offset)
{ .shared .align 16 .b8 first[8]; .shared .align 16 .b8 second[8]; .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  ld.param.u32 %r0, [offset]; cvt.u64.u32 %rd0, %r0; cvta.shared.u64 %rd1, %rd0;
  ld.u32 %r3, [%rd1]; st.shared.u32 [first], %r3;
  st.shared.u32 [second], %r3; ret; }
)";

class SharedNames : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    OK(cu.cuModuleLoadData(&kernels_, NAMED_KERNELS));
  }
  void TearDown() override {
    OK(cu.control().set_checks("", 0));
    OK(cu.control().clear_checks());
    DeviceTest::TearDown();
  }
  std::string reports(const char* checks, const char* name, unsigned offset, unsigned threads) {
    EXPECT_CU(0, cu.control().set_checks(checks, 0));
    EXPECT_CU(0, cu.control().clear_checks());
    CUfunction f = nullptr;
    EXPECT_CU(0, cu.cuModuleGetFunction(&f, kernels_, name));
    void* parameters[] = {&offset};
    EXPECT_CU(0, cu.cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 256, nullptr, parameters, nullptr));
    EXPECT_CU(0, cu.cuCtxSynchronize());
    char text[8192] = "";
    EXPECT_CU(0, cu.control().check_text(text, sizeof text, nullptr));
    return text;
  }
  static void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  CUmodule kernels_ = nullptr;
};

TEST_F(SharedNames, InRaces) {
  expect_parts(
      reports("race", "all", 20, 64),
      {"wrote 4 bytes at 0x14 in shared memory ('of_module' + 20)",
       "in shared memory ('all::tile' + 20)", "in shared memory (dynamic shared memory + 20)",
       "in shared memory ('touch(unsigned int)::inner' + 20)"});
}

TEST_F(SharedNames, BeyondVariables) {
  expect_parts(reports("memory", "all", 200, 1),
               {"136 bytes past the end of the 64 bytes of the shared variable 'of_module'",
                "72 bytes past the end of the 128 bytes of the shared variable 'all::tile'",
                "168 bytes past the end of the 32 bytes of the shared variable 'touch(unsigned "
                "int)::inner'"});
  expect_parts(reports("memory", "all", 256, 1),
               {"0 bytes past the end of the 256 bytes of dynamic shared memory"});
}

// The kernel has no variable of the module; generic addresses have the same names.
TEST_F(SharedNames, InReadsOfOtherSpaces) {
  expect_parts(reports("init", "own", 4, 1), {"in shared memory ('first' + 4), which nothing"});
  const std::string between = reports("init", "own", 8, 1);
  expect_parts(between, {"in shared memory, which nothing has written"});
  expect_parts(reports("init", "own", 36, 1),
               {"in shared memory (dynamic shared memory + 4), which nothing has written"});
}

}  // namespace
}  // namespace cutest
