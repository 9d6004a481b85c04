// SPDX-License-Identifier: Apache-2.0
// Finds the variable that an address register is derived from, through moves, sums and conversions
// of the address space.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/exec/program.hpp"
#include "ptx/ast.hpp"

namespace cucore::cpu {

struct DerivedFrom {
  ptx::Space space = ptx::Space::generic;
  uint64_t address = 0;  // in its window; local: relative to the call
  uint64_t size = 0;
  bool is_unsized = false;
  bool operator==(const DerivedFrom&) const = default;
};

class Provenance {
 public:
  explicit Provenance(const DecodedFunction& function);
  // Returns nullopt if the address may come from several variables or from elsewhere.
  std::optional<DerivedFrom> of(const ptx::Operand& memory) const;
  // Returns whether an instruction reads one of the registers of the operand.
  bool is_read(const ptx::Operand& value) const;
  // Returns whether an instruction other than a store of its value reads one of them.
  bool is_computed_with(const ptx::Operand& value) const;

 private:
  enum class Kind : uint8_t { NONE, NUMBER, VARIABLE, UNKNOWN };  // NONE: no definition so far
  struct Fact {
    Kind kind = Kind::NONE;
    DerivedFrom variable;
  };
  Fact variable(ptx::Base base, uint32_t index) const;
  Fact fact_of(const ptx::Operand& operand) const;
  Fact result_of(const ptx::Instruction& instruction) const;
  static Fact sum(const Fact& a, const Fact& b);
  static Fact either(const Fact& a, const Fact& b);
  void note_reads(const ptx::Operand& operand, std::vector<bool>& read) const;
  bool any_of(const std::vector<bool>& set, const ptx::Operand& value) const;
  void define(std::vector<Fact>& facts, const ptx::Operand& operand, const Fact& fact);
  bool refine();

  const DecodedFunction& function_;
  const ptx::Function& source_;
  std::vector<Fact> facts_;  // by register
  std::vector<bool> read_, computed_with_;
};

}  // namespace cucore::cpu
