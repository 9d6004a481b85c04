// SPDX-License-Identifier: Apache-2.0
// The kernels of these tests, in PTX so that no compiler is needed.
#include "driver.hpp"

namespace cutest {

const char* const PTX = R"(
.version 7.8
.target sm_75
.address_size 64

.visible .global .align 4 .u32 counter = 7;
.visible .global .align 8 .b8 table[64];
.visible .const .align 4 .u32 scale = 3;
.extern .shared .align 16 .b8 dynamic[];

// p[i] = value for i < n
.visible .entry fill(.param .u64 p, .param .u32 value, .param .u32 n)
{
  .reg .pred %q;
  .reg .b32 %r<8>;
  .reg .b64 %a<4>;
  ld.param.u64 %a1, [p];
  ld.param.u32 %r1, [value];
  ld.param.u32 %r2, [n];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.u32 %q, %r6, %r2;
  @%q bra done;
  mul.wide.u32 %a2, %r6, 4;
  add.s64 %a3, %a1, %a2;
  st.global.u32 [%a3], %r1;
done:
  ret;
}

// *p += value
.visible .entry increase(.param .u64 p, .param .u32 value)
{
  .reg .b32 %r<4>;
  .reg .b64 %a<2>;
  ld.param.u64 %a1, [p];
  ld.param.u32 %r1, [value];
  ld.global.u32 %r2, [%a1];
  add.s32 %r3, %r2, %r1;
  st.global.u32 [%a1], %r3;
  ret;
}

// waits until *flag is not 0
.visible .entry spin(.param .u64 flag)
{
  .reg .pred %q;
  .reg .b32 %r<2>;
  .reg .b64 %a<2>;
  ld.param.u64 %a1, [flag];
again:
  ld.volatile.global.u32 %r1, [%a1];
  setp.eq.u32 %q, %r1, 0;
  @%q bra again;
  ret;
}

.visible .entry nothing()
{
  ret;
}

.visible .entry traps()
{
  trap;
  ret;
}

.visible .entry at_most_64() .maxntid 64, 1, 1
{
  ret;
}

.visible .entry exactly_32() .reqntid 32, 1, 1
{
  ret;
}

// 40 KiB of static shared memory
.visible .entry much_shared()
{
  .shared .align 4 .b8 room[40960];
  .reg .b32 %r<2>;
  mov.u32 %r1, 1;
  st.shared.u32 [room], %r1;
  ret;
}

// out = last word of `bytes` of dynamic shared memory after writing it
.visible .entry dynamic_shared(.param .u64 out, .param .u32 bytes)
{
  .reg .b32 %r<6>;
  .reg .b64 %a<2>;
  ld.param.u64 %a1, [out];
  ld.param.u32 %r1, [bytes];
  mov.u32 %r2, dynamic;
  add.u32 %r3, %r2, %r1;
  st.shared.u32 [%r3+-4], %r1;
  ld.shared.u32 %r4, [%r3+-4];
  st.global.u32 [%a1], %r4;
  ret;
}

// parameters of many sizes and alignments, summed into *out
.visible .entry mixed(.param .u8 a, .param .u64 b, .param .u16 c, .param .align 8 .b8 d[12],
                      .param .u32 e, .param .u64 out)
{
  .reg .b16 %h<3>;
  .reg .b32 %r<6>;
  .reg .b64 %a<9>;
  ld.param.u8 %h1, [a];
  cvt.u64.u16 %a1, %h1;
  ld.param.u64 %a2, [b];
  ld.param.u16 %h2, [c];
  cvt.u64.u16 %a3, %h2;
  ld.param.u32 %r1, [d+8];
  cvt.u64.u32 %a4, %r1;
  ld.param.u32 %r2, [e];
  cvt.u64.u32 %a5, %r2;
  add.s64 %a6, %a1, %a2;
  add.s64 %a6, %a6, %a3;
  add.s64 %a6, %a6, %a4;
  add.s64 %a6, %a6, %a5;
  ld.param.u64 %a7, [out];
  st.global.u64 [%a7], %a6;
  ret;
}

// *out = counter++ (read before)
.visible .entry count(.param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %a<2>;
  ld.param.u64 %a1, [out];
  ld.global.u32 %r1, [counter];
  add.u32 %r2, %r1, 1;
  st.global.u32 [counter], %r2;
  st.global.u32 [%a1], %r1;
  ret;
}
)";

}  // namespace cutest
