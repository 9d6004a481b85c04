// SPDX-License-Identifier: Apache-2.0
// The part of libcudadevrt that programs of the driver API link: the barrier of a cooperative grid.
// NVIDIA's library contains machine code only.
#pragma once

#include <string_view>

namespace cucore::cpu {

inline constexpr std::string_view DEVICE_RUNTIME = R"(.version 6.3
.target sm_70
.address_size 64

// The handle of the grid is the address of the counters that a cooperative launch provides.
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .b32 %low, %high;
  .reg .b64 %address;
  mov.u32 %low, %envreg2;
  mov.u32 %high, %envreg1;
  mov.b64 %address, {%low, %high};
  st.param.b64 [handle], %address;
  ret;
}

// One thread of each block adds to the counter, and waits until its highest bit changes. The first
// block adds what is missing to that change.
.visible .func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %none, %other, %first, %waits;
  .reg .b32 %a, %b, %blocks, %step, %before, %now;
  .reg .b64 %counter;
  ld.param.b64 %counter, [handle];
  setp.eq.u64 %none, %counter, 0;
  @%none bra FAILED;
  barrier.sync 0;
  mov.u32 %a, %tid.x;
  mov.u32 %b, %tid.y;
  or.b32 %a, %a, %b;
  mov.u32 %b, %tid.z;
  or.b32 %a, %a, %b;
  setp.ne.u32 %other, %a, 0;
  @%other bra DONE;
  mov.u32 %a, %nctaid.x;
  mov.u32 %b, %nctaid.y;
  mul.lo.u32 %blocks, %a, %b;
  mov.u32 %b, %nctaid.z;
  mul.lo.u32 %blocks, %blocks, %b;
  sub.u32 %step, 0x80000001, %blocks;
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ctaid.y;
  or.b32 %a, %a, %b;
  mov.u32 %b, %ctaid.z;
  or.b32 %a, %a, %b;
  setp.eq.u32 %first, %a, 0;
  selp.b32 %step, %step, 1, %first;
  atom.add.acq_rel.gpu.u32 %before, [%counter+4], %step;
WAIT:
  ld.acquire.gpu.u32 %now, [%counter+4];
  xor.b32 %now, %now, %before;
  setp.ge.s32 %waits, %now, 0;
  @%waits bra WAIT;
DONE:
  barrier.sync 0;
  st.param.b32 [result], 0;
  ret;
FAILED:
  st.param.b32 [result], 1;  // cudaErrorInvalidValue: the launch is not cooperative
  ret;
}
)";

}  // namespace cucore::cpu
