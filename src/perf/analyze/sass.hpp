// SPDX-License-Identifier: Apache-2.0
// Reads machine code without a disassembler: the class of each instruction of 16 bytes, from sm_70
// on, the width of its access, and the loops.
#pragma once

#include <cstdint>
#include <vector>

#include "image/byte_view.hpp"
#include "perf/analyze/mix.hpp"

namespace cucore::perf {

inline constexpr uint64_t SASS_SIZE = 16;  // bytes of one instruction

// One instruction.
struct Sass {
  uint64_t low = 0;
  uint64_t high = 0;
};

struct SassClass {
  InstructionClass which = InstructionClass::UNKNOWN;
  const char* mnemonic = "";
};

// `arch` is 90 for sm_90a.
SassClass classify(const Sass& instruction, uint16_t arch);

// Returns the bytes that one thread accesses; 0 if the instruction does not access memory.
uint32_t width_of(const Sass& instruction, InstructionClass which);

// The instructions from the target of a branch back to the branch, by their numbers.
struct CodeLoop {
  uint32_t first = 0;
  uint32_t last = 0;
};

struct MachineCode {
  std::vector<Sass> instructions;
  Mix mix;
  std::vector<CodeLoop> loops;  // by their first instruction; an inner one after the outer one
};

// Reads the code of one kernel. The filler after its end does not count.
// @throws Error INVALID_CODE if the size is not a multiple of 16
MachineCode read_machine_code(const image::ByteView& code, uint16_t arch);

// Whether an instruction lies in one of the loops.
std::vector<bool> marks_of_loops(const std::vector<CodeLoop>& loops, size_t instructions);

}  // namespace cucore::perf
