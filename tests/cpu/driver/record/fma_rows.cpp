// SPDX-License-Identifier: Apache-2.0
// Rows of fma.oob: which operands count as out of bounds, which the PTX manual does not list.
#include <cstdio>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

constexpr unsigned PATTERNS = 1 << 16;

// Computes 1 * 1 + 1 with and without .oob. One operand, `place`, has the number of the thread.
std::string text_of(const std::string& type, const char* one) {
  return R"(.version 8.1
.target sm_90
.address_size 64
.visible .entry compare(.param .u32 place, .param .u64 results)
{
  .reg .pred %p;
  .reg .b16 %h<6>;
  .reg .b32 %r<6>;
  .reg .b64 %a<3>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r1, 256, %r2;
  cvt.u16.u32 %h4, %r3;
  mov.b16 %h1, )" +
         std::string(one) + R"(;
  mov.b16 %h2, %h1;
  mov.b16 %h3, %h1;
  ld.param.u32 %r4, [place];
  setp.eq.u32 %p, %r4, 0;
  @%p mov.b16 %h1, %h4;
  setp.eq.u32 %p, %r4, 1;
  @%p mov.b16 %h2, %h4;
  setp.eq.u32 %p, %r4, 2;
  @%p mov.b16 %h3, %h4;
  ld.param.u64 %a1, [results];
  cvta.to.global.u64 %a1, %a1;
  mul.wide.u32 %a2, %r3, 4;
  add.s64 %a1, %a1, %a2;
  fma.rn.oob.)" +
         type + R"( %h5, %h1, %h2, %h3;
  st.global.b16 [%a1], %h5;
  fma.rn.)" +
         type + R"( %h5, %h1, %h2, %h3;
  st.global.b16 [%a1+2], %h5;
  ret;
}
)";
}

// Lists the operands for which both results differ, with that of .oob: "7fff:0".
std::string differing(const std::vector<uint16_t>& results) {
  std::string text;
  unsigned count = 0;
  for (unsigned k = 0; k < PATTERNS; ++k) {
    if (results[2 * k] == results[2 * k + 1] || ++count > 100) continue;
    char part[24];
    std::snprintf(part, sizeof part, "%s%04x:%x", text.empty() ? "" : ",", k, results[2 * k]);
    text += part;
  }
  return text.empty() ? "none" : text + (count > 100 ? " of " + std::to_string(count) : "");
}

}  // namespace

void add_fma(Rows& rows) {
  rows.subject("fma.oob");
  for (const auto& [type, one] : {std::pair{"f16", "0x3c00"}, {"bf16", "0x3f80"}})
    rows.add(Start::SHARED, std::string("operands of ") + type + " that change the result",
             [=](Line& line) {
               CUmodule module = nullptr;
               CUfunction kernel = nullptr;
               const CUresult loaded = cu.cuModuleLoadData(&module, text_of(type, one).c_str());
               if (loaded != CUDA_SUCCESS) return void(line("load", loaded));
               check(cu.cuModuleGetFunction(&kernel, module, "compare"), "cuModuleGetFunction");
               CUdeviceptr seen = allocate(PATTERNS * 4);
               std::vector<uint16_t> results(PATTERNS * 2);
               for (unsigned place = 0; place < 3; ++place) {
                 void* arguments[] = {&place, &seen};
                 check(cu.cuLaunchKernel(kernel, PATTERNS / 256, 1, 1, 256, 1, 1, 0, nullptr,
                                         arguments, nullptr),
                       "cuLaunchKernel");
                 const CUresult copied = cu.cuMemcpyDtoH_v2(results.data(), seen, PATTERNS * 4);
                 if (copied != CUDA_SUCCESS) return void(line("kernel", copied));
                 line.text(std::string(1, char('a' + place)).c_str(), differing(results));
               }
             });
}

}  // namespace cucore::cpu::record
