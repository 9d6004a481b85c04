// SPDX-License-Identifier: Apache-2.0
// Kernels that the tests write in PTX.
#pragma once

#include <string>

#include "device.hpp"

namespace cucore::cpu::test {

inline const char* const HEAD = ".version 8.3\n.target sm_90\n.address_size 64\n";

// Returns a kernel "k" with pointers a and b and the number n. It has registers of every width:
// %rd0 and %rd1 are the pointers, %r0 is n, %r1 is %tid.x, %r2 is %ctaid.x.
inline std::string kernel_text(const std::string& body, const std::string& before = "") {
  return std::string(HEAD) + before +
         ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
         ".reg .pred %p<16>; .reg .b16 %rs<16>; .reg .b32 %r<32>; .reg .b64 %rd<32>;\n"
         ".reg .f32 %f<16>; .reg .f64 %fd<16>;\n"
         "ld.param.u64 %rd0, [a]; ld.param.u64 %rd1, [b]; ld.param.u32 %r0, [n];\n"
         "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n" +
         body + "\nret;\n}\n";
}

inline std::optional<Fault> run_text(const std::string& ptx, const Shape& shape, uint64_t a = 0,
                                     uint64_t b = 0, int n = 0) {
  auto module = load_text(ptx);
  return launch(*module->find_kernel("k"), shape, nullptr, a, b, n);
}

}  // namespace cucore::cpu::test
