// SPDX-License-Identifier: Apache-2.0
// The registers of wgmma.mma_async: results that a thread uses before the wait, and operands that
// it changes without a fence. Only functions with such products have these hooks.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/exec/program.hpp"

namespace cucore::cpu {

// The effect of an instruction on registers that are results or operands of a product, or copies of
// them.
struct RegisterUse {
  enum class Kind : uint8_t { OTHER, COPY, PRODUCT, FENCE, COMMIT, WAIT };
  Kind kind = Kind::OTHER;
  uint32_t pending = 0;                 // of WAIT
  std::vector<uint32_t> reads, writes;  // of PRODUCT: A, and D
};

// Returns the uses by instruction; empty for a function without products.
std::vector<RegisterUse> register_uses(const ptx::Function& function);
inline bool has_effect(const RegisterUse& use) {
  return use.kind >= RegisterUse::Kind::PRODUCT || !use.reads.empty() || !use.writes.empty();
}

// The state of a warp.
class ProductRegisters {
 public:
  void use(Warp& w, const Op& op, const RegisterUse& use);
  void clear() { states_.clear(); }
  // Returns the number of the group that the next commit ends, from 1.
  uint32_t open_group() const { return group_ + 1; }

 private:
  struct State {
    bool is_dirty = false;    // changed since the last fence
    uint32_t result_of = 0;   // 1 + the number of the group that writes it; 0: complete
    uint32_t operand_of = 0;  // the same for a group that reads it
    const Op* product = nullptr;
  };
  void multiply(Warp& w, const Op& op, const RegisterUse& use);
  void change(Warp& w, const Op& op, const RegisterUse& use);
  void complete(uint32_t pending);
  static void report(Warp& w, const Op& op, const State& state, const char* message);

  const DecodedFunction* function_ = nullptr;
  std::vector<State> states_;  // by register
  uint32_t group_ = 0;         // groups that are committed
  bool has_fenced_ = false;
};

}  // namespace cucore::cpu
