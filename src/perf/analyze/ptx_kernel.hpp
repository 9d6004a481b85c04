// SPDX-License-Identifier: Apache-2.0
// One kernel of a PTX module with the facts that the findings need.
#pragma once

#include <functional>
#include <vector>

#include "perf/analyze/kernel.hpp"
#include "perf/analyze/sass.hpp"
#include "perf/analyze/values.hpp"
#include "ptx/ast.hpp"

namespace cucore::perf {

// Returns the source of a line of the PTX, for PTX without `.loc`.
using SourceOfLine = std::function<Place(uint32_t ptx_line)>;

class PtxKernel {
 public:
  PtxKernel(const ptx::Module& module, const ptx::Function& function, SourceOfLine source = {});

  const ptx::Module& module() const { return module_; }
  const ptx::Function& function() const { return function_; }
  const Values& values() const { return values_; }
  const std::vector<CodeLoop>& loops() const { return loops_; }
  bool in_loop(size_t instruction) const { return in_loop_[instruction]; }
  Place place_of(size_t instruction) const;
  // The place of the first instruction that has one.
  Place place() const;

  std::span<const ptx::Operand> operands(size_t instruction) const {
    return function_.operands_of(function_.instructions[instruction]);
  }
  const ptx::Form& form(size_t instruction) const {
    return *function_.instructions[instruction].form;
  }
  size_t size() const { return function_.instructions.size(); }
  Mix mix() const;

  // Whether a branch that depends on the index of the thread leads around the instruction. A branch
  // around the rest of the kernel does not count: threads that take it end.
  bool is_divided(size_t instruction) const { return divided_[instruction]; }
  // Whether a comparison for equality with a thread or lane selects the threads of the instruction.
  bool is_for_one_thread(size_t instruction) const { return for_one_[instruction]; }
  // Returns the only definition of a register; nullptr if there are several.
  const ptx::Instruction* definition(uint32_t reg) const { return definitions_[reg]; }

 private:
  ptx::SourcePosition outside_of_headers(const ptx::SourceLine& line) const;
  bool ends_at(uint32_t instruction) const;
  bool selects_one(uint32_t predicate, int depth) const;
  void find_definitions();
  void find_regions();

  const ptx::Module& module_;
  const ptx::Function& function_;
  const SourceOfLine source_;
  const Values values_;
  std::vector<CodeLoop> loops_;
  std::vector<bool> in_loop_;
  std::vector<bool> divided_;
  std::vector<bool> for_one_;
  std::vector<const ptx::Instruction*> definitions_;
};

}  // namespace cucore::perf
