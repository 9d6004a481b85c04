// SPDX-License-Identifier: Apache-2.0
#include "cpu/checks/read_groups.hpp"

#include <algorithm>
#include <unordered_set>

namespace cucore::cpu {
namespace {

using Slots = std::unordered_set<Slot>;

void add_result(const DecodedFunction& f, const ptx::Operand& o, Slots& results) {
  if (o.kind == ptx::OperandKind::REG) results.insert(f.slots[o.index]);
}

// The results of an instruction are its first operand.
void add_results(const DecodedFunction& f, uint32_t index, Slots& results) {
  const auto operands = f.source->operands_of(f.source->instructions[index]);
  if (operands.empty()) return;
  add_result(f, operands[0], results);
  const auto kind = operands[0].kind;
  if (kind == ptx::OperandKind::VECTOR || kind == ptx::OperandKind::LIST)
    for (const ptx::Operand& element : f.source->elements_of(operands[0]))
      add_result(f, element, results);
}

// Whether the addresses and the bounds of both loads differ by a constant alone.
bool belong_together(const ReadGroup::Member& a, const Op& op, const CheckedOp& c) {
  return (*a.op)[LoadStore::ADDRESS] == op[LoadStore::ADDRESS] && a.checked->size() == c.size() &&
         a.checked->bounded == c.bounded && a.checked->dynamic == c.dynamic &&
         a.checked->low == c.low && a.checked->high == c.high &&
         (uint32_t(a.op->imm) - uint32_t(op.imm)) % c.size() == 0;
}

void add(std::vector<ReadGroup>& groups, const Op& op, const CheckedOp& c) {
  for (ReadGroup& group : groups)
    if (belong_together(group.members[0], op, c)) {
      group.members.push_back({&op, &c, 0});
      return;
    }
  groups.emplace_back().members.push_back({&op, &c, 0});
}

void complete(ReadGroup& group) {
  auto& members = group.members;
  const auto lowest = std::min_element(members.begin(), members.end(), [](auto& a, auto& b) {
    return int32_t(a.op->imm) < int32_t(b.op->imm);
  });
  std::swap(members[0], *lowest);
  for (auto& member : members) {
    member.distance = uint32_t(member.op->imm) - uint32_t(members[0].op->imm);
    group.bytes = std::max(group.bytes, member.distance + member.checked->size());
  }
}

}  // namespace

ReadRun read_run(const DecodedFunction& function, const CheckTable& table, uint32_t begin,
                 uint32_t end) {
  ReadRun run{begin, {}};
  Slots results;
  for (; run.end < end; ++run.end) {
    const CheckedOp& c = table.ops[run.end];
    const Op& op = function.ops[run.end];
    if (c.hook != Hook::NONE) {
      if (!c.is_shared_read || results.contains(op[LoadStore::ADDRESS])) break;
      add(run.groups, op, c);
    }
    add_results(function, run.end, results);
  }
  for (ReadGroup& group : run.groups) complete(group);
  return run;
}

}  // namespace cucore::cpu
