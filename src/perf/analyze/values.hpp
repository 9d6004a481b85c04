// SPDX-License-Identifier: Apache-2.0
// The dependences of the registers of a PTX function: how they change from thread to thread, and
// whether memory determines them. A register with several definitions has the join of all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ptx/ast.hpp"

namespace cucore::perf {

// How a value changes if threadIdx.x grows by one.
enum class Step : uint8_t {
  NONE,     // no definition so far
  KNOWN,    // by Value::step
  UNIFORM,  // by a number that is equal in all threads and unknown here
  UNKNOWN
};

struct Value {
  Step kind = Step::NONE;
  bool of_thread = false;  // depends on the index of the thread
  bool of_block = false;   // depends on the index of the block
  bool of_memory = false;  // depends on a loaded value
  bool is_float = false;   // computed by floating-point arithmetic
  int64_t step = 0;
  std::optional<int64_t> constant = std::nullopt;

  static Value of_constant(int64_t value);
  static Value equal_in_all_threads();
  bool is_uniform() const { return kind == Step::KNOWN && step == 0 && !of_thread; }
  friend bool operator==(const Value&, const Value&) = default;
};

class Values {
 public:
  explicit Values(const ptx::Function& function);

  const Value& of(uint32_t reg) const { return registers_[reg]; }
  Value of(const ptx::Operand& operand) const;
  Value of_address(const ptx::Operand& memory) const;

 private:
  bool visit(const ptx::Instruction& instruction);
  Value result(const ptx::Instruction& instruction, std::span<const ptx::Operand> operands) const;
  Value loaded(const ptx::Form& form, const ptx::Operand& memory) const;
  bool join(const ptx::Operand& destination, const Value& value);
  bool join(uint32_t reg, const Value& value);

  const ptx::Function& function_;
  std::vector<Value> registers_;
};

}  // namespace cucore::perf
