// SPDX-License-Identifier: Apache-2.0
// The kernels of the rows, in PTX that needs no compiler.
#include "rows.hpp"

namespace cucore::cpu::record {

const char* const PTX = R"(
.version 8.0
.target sm_90
.address_size 64

.visible .global .align 4 .u32 counter = 7;
.visible .global .align 8 .b8 table[64];
.visible .global .align 1 .b8 odd[5];
.visible .const .align 4 .u32 scale = 3;
.visible .global .attribute(.managed) .align 4 .u32 shared_value = 5;
.extern .shared .align 16 .b8 dynamic[];
.global .align 1 .b8 text[7] = {104, 101, 108, 108, 111, 10, 0};
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);

.visible .entry nothing()
{
  ret;
}

// waits until *flag is not 0
.visible .entry spin(.param .u64 flag)
{
  .reg .pred %q;
  .reg .b32 %r<2>;
  .reg .b64 %a<3>;
  ld.param.u64 %a1, [flag];
  cvta.to.global.u64 %a2, %a1;
again:
  ld.volatile.global.u32 %r1, [%a2];
  setp.eq.u32 %q, %r1, 0;
  @%q bra again;
  ret;
}

// prints "hello" and then sets *flag to 1
.visible .entry prints(.param .u64 flag)
{
  .reg .b32 %r<3>;
  .reg .b64 %a<4>;
  mov.u64 %a1, text;
  cvta.global.u64 %a2, %a1;
  {
    .param .b64 format;
    .param .b64 arguments;
    .param .b32 result;
    st.param.b64 [format], %a2;
    st.param.b64 [arguments], 0;
    call.uni (result), vprintf, (format, arguments);
    ld.param.b32 %r1, [result];
  }
  ld.param.u64 %a3, [flag];
  membar.sys;
  mov.u32 %r2, 1;
  st.volatile.global.u32 [%a3], %r2;
  membar.sys;
  ret;
}

// *p = scale
.visible .entry reads_scale(.param .u64 p)
{
  .reg .b32 %r<2>;
  .reg .b64 %a<2>;
  ld.param.u64 %a1, [p];
  ld.const.u32 %r1, [scale];
  st.global.u32 [%a1], %r1;
  ret;
}

// *p = value
.visible .entry stores(.param .u64 p, .param .u32 value)
{
  .reg .b32 %r<2>;
  .reg .b64 %a<2>;
  ld.param.u64 %a1, [p];
  ld.param.u32 %r1, [value];
  st.global.u32 [%a1], %r1;
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

.visible .entry clusters_of_2() .reqntid 32, 1, 1 .reqnctapercluster 2, 1, 1
{
  ret;
}

// 40 KiB of static shared memory
.visible .entry much_shared()
{
  .shared .align 4 .b8 room[40960];
  .reg .b32 %r<2>;
  mov.u32 %r1, 1;
  st.volatile.shared.u32 [room], %r1;
  ret;
}

.visible .entry dynamic_shared()
{
  .reg .b32 %r<2>;
  mov.u32 %r1, 1;
  st.volatile.shared.u32 [dynamic], %r1;
  ret;
}

// parameters of many sizes and alignments
.visible .entry mixed(.param .u8 a, .param .u64 b, .param .u16 c, .param .align 8 .b8 d[12],
                      .param .u32 e)
{
  ret;
}
)";

}  // namespace cucore::cpu::record
