// SPDX-License-Identifier: Apache-2.0
// Settings of the executor for a part of a test.
#pragma once

#include "cpu/exec/executor.hpp"

namespace cucore::cpu::test {

// Applies settings until the end of a scope.
class Configured {
 public:
  explicit Configured(bool compile, uint64_t instruction_budget = 0) : before_(settings()) {
    Settings s = before_;
    s.compile = compile;
    s.instruction_budget = instruction_budget;
    configure(s);
  }
  ~Configured() { configure(before_); }
  Configured(const Configured&) = delete;
  Configured& operator=(const Configured&) = delete;

 private:
  const Settings before_;
};

}  // namespace cucore::cpu::test
