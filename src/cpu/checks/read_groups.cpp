// SPDX-License-Identifier: Apache-2.0
#include "cpu/checks/read_groups.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <unordered_set>
#include <utility>

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

// ---- rows of global memory

constexpr size_t MOST_ROWS = 5;  // of a group

using GlobalLoad = RowGroup::Member;

uint16_t site_of(const GlobalLoad& load) {
  return load.op->site < 65536 ? uint16_t(load.op->site) : 0;
}

bool is_lower(const GlobalLoad& a, const GlobalLoad& b) {
  const auto key = [](const GlobalLoad& load) {
    return std::tuple((*load.op)[LoadStore::ADDRESS], load.checked->size(), int64_t(load.op->imm));
  };
  return key(a) < key(b);
}

bool is_next(const GlobalLoad& a, const GlobalLoad& b) {
  return (*a.op)[LoadStore::ADDRESS] == (*b.op)[LoadStore::ADDRESS] &&
         a.checked->size() == b.checked->size() &&
         uint64_t(b.op->imm) - uint64_t(a.op->imm) == a.checked->size();
}

// Returns the site of the last of the loads, which has the record of what they all read.
uint16_t last_site(std::span<const GlobalLoad> loads) {
  return site_of(*std::max_element(loads.begin(), loads.end(),
                                   [](auto& a, auto& b) { return a.number < b.number; }));
}

RowGroup row_group(std::span<const GlobalLoad> loads) {
  RowGroup group{{loads.begin(), loads.end()}, last_site(loads), {}, {}, {}};
  for (const GlobalLoad& load : loads) group.each.push_back(site_of(load));
  for (size_t k = 1; k < loads.size(); ++k) {
    group.low.push_back(last_site(loads.first(k)));
    group.high.push_back(last_site(loads.subspan(k)));
  }
  return group;
}

std::vector<RowGroup> row_groups(std::vector<GlobalLoad> loads) {
  std::vector<RowGroup> groups;
  std::stable_sort(loads.begin(), loads.end(), is_lower);
  for (size_t i = 0; i < loads.size();) {
    size_t end = i + 1;
    while (end < loads.size() && end - i < MOST_ROWS && is_next(loads[end - 1], loads[end])) ++end;
    groups.push_back(row_group(std::span(loads).subspan(i, end - i)));
    i = end;
  }
  return groups.size() == loads.size() ? std::vector<RowGroup>{} : groups;
}

bool is_row(const CheckedOp& c) { return c.is_usual && c.hook == Hook::LOAD && !c.unused; }

}  // namespace

ReadRun read_run(const DecodedFunction& function, const CheckTable& table, uint32_t begin,
                 uint32_t end) {
  ReadRun run{begin, {}, {}};
  Slots results;
  std::vector<GlobalLoad> loads;
  for (; run.end < end; ++run.end) {
    const CheckedOp& c = table.ops[run.end];
    const Op& op = function.ops[run.end];
    if (c.hook != Hook::NONE) {
      const bool belongs = c.is_shared_read ? loads.empty() : is_row(c) && run.groups.empty();
      if (!belongs || results.contains(op[LoadStore::ADDRESS])) break;
      if (c.is_shared_read)
        add(run.groups, op, c);
      else
        loads.push_back({&op, &c, run.end});
    }
    add_results(function, run.end, results);
  }
  for (ReadGroup& group : run.groups) complete(group);
  run.rows = row_groups(std::move(loads));
  return run;
}

}  // namespace cucore::cpu
