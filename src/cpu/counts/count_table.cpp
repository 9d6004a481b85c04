// SPDX-License-Identifier: Apache-2.0
// Classifies the instructions of a function for counting.
#include "cpu/counts/count_table.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "cpu/checks/check_table.hpp"
#include "cpu/counts/other_accesses.hpp"
#include "cpu/exec/fault.hpp"

namespace cucore::cpu {
namespace {

constexpr uint32_t WORD_BYTES = 4;

// Finds the accesses to shared memory of a batch whose lanes have the same distances.
class Leaders {
 public:
  explicit Leaders(const DecodedFunction& function) : function_(function) {}

  // Returns the first instruction of the batch with the same traffic.
  uint32_t of(uint32_t index, const CheckedOp& access);
  // Forgets the accesses whose address registers the instruction writes.
  void write(uint32_t index);
  void end_batch() { known_.clear(); }

 private:
  struct Known {
    uint32_t index;
    Slot address;
    uint64_t offset;
    uint32_t target;
    uint32_t size;
    Hook hook;
    bool loops;
  };
  void forget(const ptx::Operand& written);

  const DecodedFunction& function_;
  std::vector<Known> known_;
};

uint32_t Leaders::of(uint32_t index, const CheckedOp& access) {
  const Op& op = function_.ops[index];
  if (access.region != Region::SHARED || op.batch == 0 || access.size() == 0) return index;
  const Known mine{
      index, op[LoadStore::ADDRESS], op.imm, op.target, access.size(), access.hook, access.loops};
  for (const Known& k : known_) {
    const bool same = k.address == mine.address && k.target == mine.target && k.size == mine.size &&
                      k.hook == mine.hook && k.loops == mine.loops;
    if (same && (k.offset - mine.offset) % WORD_BYTES == 0) return k.index;
  }
  known_.push_back(mine);
  return index;
}

void Leaders::forget(const ptx::Operand& written) {
  if (written.kind != ptx::OperandKind::REG) return;
  const Slot slot = function_.slots[written.index];
  std::erase_if(known_, [&](const Known& k) { return k.address == slot; });
}

// Results are in the first operand. Second results are predicates.
void Leaders::write(uint32_t index) {
  const ptx::Function& source = *function_.source;
  const auto operands = source.operands_of(source.instructions[index]);
  if (operands.empty()) return;
  forget(operands[0]);
  if (operands[0].kind != ptx::OperandKind::VECTOR) return;
  for (const ptx::Operand& element : source.elements_of(operands[0])) forget(element);
}

bool is_counted(const ptx::Form& form, const CheckedOp& access, const Op& op) {
  if (is_counted_other(form.op)) return op.run != raise_unsupported;
  const bool is_access =
      access.hook == Hook::LOAD || access.hook == Hook::STORE || access.hook == Hook::ATOMIC;
  return is_access && form.space != ptx::Space::constant && form.space != ptx::Space::param;
}

std::unique_ptr<const CountTable> build(const DecodedFunction& function) {
  auto table = std::make_unique<CountTable>();
  const auto& instructions = function.source->instructions;
  const CheckTable& accesses = check_table(function);
  table->leaders.assign(instructions.size() + 1, CountTable::NOT_COUNTED);
  Leaders leaders(function);
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const ptx::Form& form = *instructions[i].form;
    table->kinds.push_back(instruction_kind(form));
    if (is_counted(form, accesses.ops[i], function.ops[i]))
      table->leaders[i] = leaders.of(i, accesses.ops[i]);
    leaders.write(i);
    if (function.ops[i].batch <= 1) leaders.end_batch();
  }
  build_counting_plan(function, *table);
  return table;
}

std::mutex& table_mutex() {
  static std::mutex* const instance = new std::mutex;
  return *instance;
}

}  // namespace

const CountTable& count_table(const DecodedFunction& function) {
  if (const CountTable* table = function.counts.load(std::memory_order_acquire)) return *table;
  std::lock_guard lock(table_mutex());
  if (const CountTable* table = function.counts.load(std::memory_order_acquire)) return *table;
  function.count_owner = build(function);
  function.counts.store(function.count_owner.get(), std::memory_order_release);
  return *function.count_owner;
}

}  // namespace cucore::cpu
