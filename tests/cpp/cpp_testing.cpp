// SPDX-License-Identifier: Apache-2.0
#include "cpp_testing.hpp"

namespace cpp_test {
namespace {

std::string many(int count) {
  std::string text = ".visible .entry many(\n";
  for (int i = 0; i < count; ++i)
    text += ".param .f32 many_param_" + std::to_string(i) + (i + 1 < count ? ",\n" : ")\n");
  return text + "{\n  ret;\n}\n";
}

}  // namespace

const std::string PTX = R"(.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter;
.visible .entry saxpy(
  .param .f32 saxpy_param_0,
  .param .u64 .ptr .global .align 4 saxpy_param_1,
  .param .u64 .ptr .global .align 4 saxpy_param_2,
  .param .u32 saxpy_param_3)
{
  .reg .pred %p<2>;
  .reg .f32 %f<5>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  ld.param.f32 %f1, [saxpy_param_0];
  ld.param.u64 %rd1, [saxpy_param_1];
  ld.param.u64 %rd2, [saxpy_param_2];
  ld.param.u32 %r1, [saxpy_param_3];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd1, %rd5;
  add.s64 %rd7, %rd2, %rd5;
  ld.global.f32 %f2, [%rd6];
  ld.global.f32 %f3, [%rd7];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd7], %f4;
DONE:
  ret;
}
.visible .entry empty()
{
  ret;
}
.visible .entry point(.param .align 4 .b8 point_param_0[12])
{
  ret;
}
)" + many(33);

}  // namespace cpp_test
