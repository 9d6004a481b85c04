// How an instruction ends its launch.
#ifndef CUCPU_EXEC_FAULT_HPP
#define CUCPU_EXEC_FAULT_HPP

#include <cuda.h>

#include <string>

#include "cpu/exec/access.hpp"
#include "cpu/exec/warp.hpp"

namespace cucpu {

struct KernelFault {
  CUresult code;
  std::string text;
};

// "kernel 'saxpy' block (3,0,0) thread (17,0,0)"
std::string thread_text(const Warp& w, int lane);
// "; PTX line 42: st.global.f32 [%rd4], %f3; (saxpy.cu:12)"
std::string instruction_text(const Warp& w, const Op& op);

// Throws a KernelFault: "what: kernel ... thread ... detail; PTX line ...".
[[noreturn]] void raise(const Warp& w, const Op& op, int lane, CUresult code, const char* what,
                        const std::string& detail);

// The handler of what is not implemented.
void raise_unsupported(Warp& w, const Op& op);

}  // namespace cucpu

#endif
