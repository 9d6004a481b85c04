// SPDX-License-Identifier: Apache-2.0
// Common code for the tests of the PTX front end.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ptx/parser.hpp"

namespace cucore::ptx::test {

inline const char* const HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n";

// Returns a module of one kernel `k(p0: u64, p1: u32)` with registers of every width; `body` starts
// on line 8.
inline std::string kernel(const std::string& body, const std::string& globals = "") {
  return HEADER + globals + ".visible .entry k(.param .u64 p0, .param .u32 p1)\n{\n" +
         ".reg .pred %p<4>; .reg .b16 %rs<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n" +
         ".reg .f32 %f<8>; .reg .f64 %fd<8>;\n" + body + "\n}\n";
}

struct Parsed {
  Diagnostics log;
  std::unique_ptr<Module> module;

  explicit Parsed(const std::string& text) : module(parse(text, log)) {}
  const Function& function(size_t index = 0) const { return module->functions.at(index); }
  const Instruction& instruction(size_t index) const { return function().instructions.at(index); }
  std::span<const Operand> operands(size_t index) const {
    return function().operands_of(instruction(index));
  }
};

#define EXPECT_PARSES(parsed) ASSERT_NE((parsed).module, nullptr) << (parsed).log.to_string()

}  // namespace cucore::ptx::test
