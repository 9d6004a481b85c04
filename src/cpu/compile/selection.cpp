// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/selection.hpp"

#include <unordered_map>

namespace cucore::cpu {
namespace {

constexpr size_t MAX_SKIPPED = 64;  // instructions between those of a segment

// Also as the base of an address.
bool names_register(const ptx::Operand& o) {
  return o.kind == ptx::OperandKind::REG ||
         (o.kind == ptx::OperandKind::MEMORY && o.base == ptx::Base::REG);
}

// Visits the registers that an instruction mentions.
template <class Visit>
void each_register(const ptx::Function& f, const ptx::Instruction& instruction, Visit visit) {
  auto operand = [&](const ptx::Operand& o) {
    if (names_register(o)) visit(o.index);
  };
  if (instruction.guard != ptx::NONE) visit(instruction.guard);
  for (const ptx::Operand& o : f.operands_of(instruction)) {
    const bool several = o.kind == ptx::OperandKind::VECTOR || o.kind == ptx::OperandKind::LIST;
    if (!several) {
      operand(o);
      continue;
    }
    for (const ptx::Operand& element : f.elements_of(o)) operand(element);
  }
}

}  // namespace

Selector::Selector(const DecodedFunction& function)
    : function_(function), source_(*function.source) {
  mentions_.assign(source_.registers.size(), 0);
  for (const ptx::Instruction& i : source_.instructions)
    each_register(source_, i, [&](uint32_t r) { ++mentions_[r]; });
  for (const ptx::Variable& v : source_.variables)
    if (v.is_register) mentions_[v.reg] = ~uint32_t{0} >> 1;
}

// All mentions of such a register are here, and the first one is a result.
std::unordered_set<Slot> Selector::local_registers(
    const std::vector<uint32_t>& instructions) const {
  std::unordered_map<uint32_t, uint32_t> here;
  std::unordered_set<uint32_t> read_first;
  for (const uint32_t i : instructions) {
    const ptx::Instruction& instruction = source_.instructions[i];
    const auto operands = source_.operands_of(instruction);
    const bool has_result = operands[0].kind == ptx::OperandKind::REG;
    for (size_t k = 1; k < operands.size(); ++k)
      if (names_register(operands[k]) && !here.contains(operands[k].index))
        read_first.insert(operands[k].index);
    if (has_result) here.try_emplace(operands[0].index, 0);
    each_register(source_, instruction, [&](uint32_t r) { ++here[r]; });
  }
  std::unordered_set<Slot> local;
  for (const auto& [r, n] : here)
    if (n == mentions_[r] && !read_first.contains(r)) local.insert(function_.slots[r]);
  return local;
}

// The state of a selection: what the segment has, and what it has skipped.
class Selector::Choice {
 public:
  Choice(const Selector& selector, bool loads) : selector_(selector), loads_(loads) {}

  // Returns false if the segment cannot have the instruction.
  bool add(uint32_t index);
  void skip(uint32_t index) {
    ++skipped_;
    each_register(selector_.source_, selector_.source_.instructions[index],
                  [&](uint32_t r) { barred_.insert(r); });
  }
  bool is_full() const { return skipped_ >= MAX_SKIPPED; }

  Segment segment;

 private:
  bool depends_on_skipped(uint32_t index) const;
  bool accepts_load(const Op& op) const;

  const Selector& selector_;
  const bool loads_;
  size_t skipped_ = 0;
  bool has_parameters_ = false;
  std::unordered_set<uint32_t> barred_;  // registers of skipped instructions
  std::unordered_set<Slot> results_, addresses_;
};

bool Selector::Choice::depends_on_skipped(uint32_t index) const {
  bool depends = false;
  each_register(selector_.source_, selector_.source_.instructions[index],
                [&](uint32_t r) { depends |= barred_.contains(r); });
  return depends;
}

// A load stays in its order with other accesses. The segment cannot compute its address, and has
// few of them; the pointers of addresses and of parameters share a register.
bool Selector::Choice::accepts_load(const Op& op) const {
  const Slot address = op[LoadStore::ADDRESS];
  return loads_ && skipped_ == 0 && !has_parameters_ && !results_.contains(address) &&
         (addresses_.contains(address) || addresses_.size() < MAX_ADDRESSES);
}

bool Selector::Choice::add(uint32_t index) {
  const LaneOp lane = lane_op(selector_.function_, index);
  const Op& op = selector_.function_.ops[index];
  const bool is_parameter = lane.shape == Shape::PARAMETER;
  if (lane.shape == Shape::NONE || (is_parameter && !addresses_.empty())) return false;
  if (depends_on_skipped(index)) return false;
  if (lane.shape == Shape::SHARED_LOAD) {
    if (!accepts_load(op)) return false;
    addresses_.insert(op[LoadStore::ADDRESS]);
    segment.has_loads = true;
  }
  has_parameters_ |= is_parameter;
  for (size_t k = 0; k < lane.count; ++k) results_.insert(op.at(LoadStore::VALUES, k));
  segment.ops.push_back({lane, &op});
  segment.indexes.push_back(index);
  return true;
}

Selector::Segment Selector::select(const std::vector<uint32_t>& instructions, bool loads) const {
  Choice choice(*this, loads);
  for (const uint32_t index : instructions) {
    if (!choice.add(index)) choice.skip(index);
    if (choice.segment.ops.empty() || choice.is_full()) break;
  }
  return std::move(choice.segment);
}

}  // namespace cucore::cpu
