// SPDX-License-Identifier: Apache-2.0
// How an instruction ends its launch.
#pragma once

#include <cuda.h>

#include <string>
#include <string_view>

#include "cpu/exec/access.hpp"
#include "cpu/exec/warp.hpp"

namespace cucore::cpu {

struct KernelFault {
  CUresult code;
  std::string text;
};

// "0x7f0042"
std::string hex_text(uint64_t value);
// "saxpy.cu" of /.cucore/saxpy.cu
std::string_view shown_file(std::string_view file);
// In one line, without the semicolon.
std::string shown_instruction(const DecodedFunction& function, size_t index);

// "kernel 'saxpy' block (3,0,0)", "kernel 'saxpy' block (3,0,0) thread (17,0,0)"
std::string block_text(const Block& block);
std::string thread_text(const Warp& w, int lane);
// "saxpy.cu:12 (PTX line 42)"; "PTX line 42" where the source line is not known.
std::string place_text(const DecodedFunction& function, size_t index, bool with_instruction);

// Throws a KernelFault: "kernel ... thread ...: what: detail; at saxpy.cu:12 (PTX line 42)".
[[noreturn]] void raise(const Warp& w, const Op& op, int lane, CUresult code, const char* what,
                        const std::string& detail);

// The handler of what is not implemented.
void raise_unsupported(Warp& w, const Op& op);

}  // namespace cucore::cpu
