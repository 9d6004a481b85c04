// SPDX-License-Identifier: Apache-2.0
// Kernels that decide conditional nodes of graphs.
#pragma once

namespace capi_test {

// Sets the condition to a value, or lets it count down.
inline constexpr const char* CONDITION_KERNELS = R"(.version 7.8
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);

.visible .entry set(.param .u64 condition, .param .u32 value) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [condition];
  ld.param.u32 %r1, [value];
  {
    .param .b64 p0;
    .param .b32 p1;
    st.param.b64 [p0], %rd1;
    st.param.b32 [p1], %r1;
    call.uni cudaGraphSetConditional, (p0, p1);
  }
  ret;
}

.visible .entry count_down(.param .u64 condition, .param .u64 left) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [condition];
  ld.param.u64 %rd2, [left];
  ld.global.u32 %r1, [%rd2];
  sub.u32 %r2, %r1, 1;
  st.global.u32 [%rd2], %r2;
  {
    .param .b64 p0;
    .param .b32 p1;
    st.param.b64 [p0], %rd1;
    st.param.b32 [p1], %r2;
    call.uni cudaGraphSetConditional, (p0, p1);
  }
  ret;
}
)";

}  // namespace capi_test
