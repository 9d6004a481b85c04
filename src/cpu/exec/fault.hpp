// SPDX-License-Identifier: Apache-2.0
// Faults: the end of a launch by an instruction.
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
  std::string what = {};  // without the thread and the place
};

// "0x7f0042"
std::string hex_text(uint64_t value);
// Returns "saxpy.cu" for /.cucore/saxpy.cu.
std::string_view shown_file(std::string_view file);
// Returns the instruction in one line, without the semicolon.
std::string shown_instruction(const DecodedFunction& function, size_t index);

// Returns "kernel 'saxpy' block (3,0,0)" or "kernel 'saxpy' block (3,0,0) thread (17,0,0)".
std::string block_text(const Block& block);
std::string thread_text(const Warp& w, int lane);
// Returns "saxpy.cu:12 (PTX line 42)"; "PTX line 42" if the source line is unknown.
std::string place_text(const DecodedFunction& function, size_t index, bool with_instruction);

// The same in parts: file "" if the source line is unknown.
struct SourcePlace {
  std::string_view file;
  uint32_t line = 0;
};
SourcePlace source_place(const DecodedFunction& function, size_t index);

// Throws a KernelFault: "kernel ... thread ...: what: detail; at saxpy.cu:12 (PTX line 42)".
[[noreturn]] void raise(const Warp& w, const Op& op, int lane, CUresult code, const char* what,
                        const std::string& detail);

// The handler of unsupported instructions.
void raise_unsupported(Warp& w, const Op& op);

}  // namespace cucore::cpu
