// SPDX-License-Identifier: Apache-2.0
// Classifies the instructions of a function for the checks.
#include "cpu/checks/check_table.hpp"

#include <algorithm>
#include <mutex>

#include "cpu/checks/provenance.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/handlers.hpp"
#include "ptx/ast.hpp"

namespace cucore::cpu {
namespace {

using ptx::Opcode;
using ptx::OperandKind;
using ptx::Order;
using ptx::Space;

bool is_strong(const ptx::Form& f) { return f.order != Order::none && f.order != Order::weak; }
bool is_release(const ptx::Form& f) {
  return f.order == Order::release || f.order == Order::acq_rel || f.order == Order::sc;
}

bool is_mbarrier(Opcode op) {
  return (op >= Opcode::mbarrier_init && op <= Opcode::mbarrier_try_wait_parity) ||
         op == Opcode::cp_async_mbarrier_arrive || op == Opcode::cp_async_mbarrier_arrive_noinc;
}

// Shared memory has no other operations of 8 bytes than exchanges and compare-and-swap.
constexpr uint32_t LOOPED_BYTES = 8;

Hook hook_of(const ptx::Function& f, const ptx::Instruction& instruction) {
  const bool has_eight = instruction.form->vector == 8;
  switch (instruction.form->op) {
    case Opcode::ld:
    case Opcode::ldu:
      return has_eight ? Hook::OTHER : Hook::LOAD;
    case Opcode::st:
      return has_eight ? Hook::OTHER : Hook::STORE;
    case Opcode::atom:
    case Opcode::red:
      return Hook::ATOMIC;
    case Opcode::fence:
    case Opcode::membar:
      return Hook::FENCE;
    default:
      break;
  }
  if (is_mbarrier(instruction.form->op)) return Hook::SYNC;
  if (instruction.form->op == Opcode::cp_async) return Hook::OWN;
  // Asynchronous operations report their accesses when they happen.
  if (instruction.form->op == Opcode::try_cancel || instruction.form->text.starts_with("cp.") ||
      instruction.form->text.starts_with("st.async") ||
      instruction.form->text.starts_with("red.async"))
    return Hook::NONE;
  const Opcode op = instruction.form->op;  // its descriptors name shared memory
  if (op == Opcode::wgmma_mma_async || op == Opcode::wgmma_mma_async_sp) return Hook::OTHER;
  for (const auto& operand : f.operands_of(instruction))
    if (operand.kind == OperandKind::MEMORY) return Hook::OTHER;
  return Hook::NONE;
}

class Builder {
 public:
  explicit Builder(const DecodedFunction& function)
      : function_(function), source_(*function.source), provenance_(function) {}
  CheckTable build();

 private:
  CheckedOp row(size_t index);
  uint8_t register_bytes(const ptx::Operand& value, unsigned bytes) const;
  void bound(CheckedOp& row, const ptx::Operand& memory) const;

  const DecodedFunction& function_;
  const ptx::Function& source_;
  Provenance provenance_;
};

uint8_t Builder::register_bytes(const ptx::Operand& value, unsigned bytes) const {
  unsigned width = std::max(2u, bytes);
  auto take = [&](const ptx::Operand& o) {
    if (o.kind == OperandKind::REG) width = std::max(2u, ptx::size_of(source_.registers[o.index]));
  };
  take(value);
  if (value.kind == OperandKind::VECTOR)
    for (const auto& element : source_.elements_of(value)) take(element);
  return uint8_t(width);
}

void Builder::bound(CheckedOp& row, const ptx::Operand& memory) const {
  const auto variable = provenance_.of(memory);
  if (!variable) return;
  const bool windowed = variable->space == Space::shared || variable->space == Space::local;
  if (!windowed || row.region == Region::GLOBAL) return;
  row.bounded = true;
  row.dynamic = variable->is_unsized;
  row.frame_local = variable->space == Space::local;
  row.low = uint32_t(variable->address);
  row.high = uint32_t(variable->address + variable->size);
}

CheckedOp Builder::row(size_t index) {
  const ptx::Instruction& instruction = source_.instructions[index];
  const ptx::Form& form = *instruction.form;
  const Op& op = function_.ops[index];
  CheckedOp row;
  row.hook = hook_of(source_, instruction);
  row.site = op.site;
  row.strong = row.hook == Hook::ATOMIC || is_strong(form);
  row.releases = is_release(form);
  row.narrow = (row.strong || row.hook == Hook::FENCE) && form.scope == ptx::Scope::cta;
  row.swaps = row.hook == Hook::ATOMIC && form.operation == ptx::Operation::cas;
  if (row.hook != Hook::LOAD && row.hook != Hook::STORE && row.hook != Hook::ATOMIC) return row;
  row.region = Region(op.target & 0xff);
  if (form.space == Space::param || row.region == Region::PARAM ||
      row.region == Region::FRAME_PARAM || op.run == raise_unsupported)
    return CheckedOp{};
  row.value_bytes = uint8_t(ptx::size_of(form.types[0]));
  row.count = form.vector;
  // Loads and stores of 128 bits have two values.
  const bool is_whole = row.value_bytes == 16 && row.hook != Hook::ATOMIC;
  if (is_whole) row.value_bytes = 8, row.count = 2;
  if (row.value_bytes == 0 || row.value_bytes > 16) return CheckedOp{};
  row.loops = row.hook == Hook::ATOMIC && row.size() == LOOPED_BYTES && !row.swaps &&
              form.operation != ptx::Operation::exch;
  const auto operands = source_.operands_of(instruction);
  const bool memory_first = row.hook == Hook::STORE || form.op == Opcode::red;
  const ptx::Operand& value = operands[memory_first ? 1 : 0];
  row.register_bytes = is_whole ? 8 : register_bytes(value, row.value_bytes);
  row.is_shared_read = row.hook == Hook::LOAD && row.region == Region::SHARED && !row.strong;
  const bool is_atomic = row.hook == Hook::ATOMIC && !row.releases;
  row.may_be_kept = row.is_shared_read || (is_atomic && row.region == Region::SHARED);
  const bool is_plain = row.hook != Hook::ATOMIC && !row.strong && row.size() <= 16;
  row.may_have_rows = is_plain && (row.region == Region::GLOBAL || row.region == Region::SHARED);
  if (row.hook == Hook::LOAD) row.unused = !provenance_.is_read(value);
  if (row.hook == Hook::LOAD) row.copies = !provenance_.is_computed_with(value);
  bound(row, operands[memory_first ? 0 : 1]);
  return row;
}

// Returns nullptr if the access has no quick check.
QuickCheck quick_check(const CheckedOp& c) {
  if (!c.is_usual || c.region != Region::GLOBAL || c.unused || c.site == 0 || c.site > 0xffff)
    return nullptr;
  return handlers_for(simd_level()).lane_checks().quick(c.size(), c.hook == Hook::STORE);
}

bool has_usual_address(const CheckedOp& c, const Op& op) {
  if (c.region == Region::SHARED) return c.hook == Hook::STORE;
  return c.region == Region::GLOBAL && !(op.target & NARROW);
}

CheckTable Builder::build() {
  CheckTable table;
  const size_t count = source_.instructions.size();
  table.hooks.assign(count + 1, Hook::NONE);
  table.ops.resize(count + 1);
  table.uses = register_uses(source_);
  for (size_t i = 0; i < count; ++i) {
    table.ops[i] = row(i);
    CheckedOp& op = table.ops[i];
    op.has_use = !table.uses.empty() && has_effect(table.uses[i]);
    if (op.has_use && op.hook == Hook::NONE) op.hook = Hook::OWN;
    op.is_usual = op.may_have_rows && !op.has_use && has_usual_address(op, function_.ops[i]);
    op.quick = quick_check(op);
    table.hooks[i] = op.hook;
  }
  return table;
}

std::mutex& build_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

void note_module(const DecodedFunction& function, Places& places, ModuleChecks& module) {
  const CheckTable& table = check_table(function);
  for (size_t i = 0; i < table.hooks.size(); ++i) {
    const CheckedOp& op = table.ops[i];
    module.has_narrow_fence |= op.hook == Hook::FENCE && op.narrow;
    // Bulk copies have no hook, and make accesses.
    if (op.site != 0 && op.site < places.size()) {
      places[op.site] = place_of(function, i);
      module.swaps[op.site] = op.swaps;
      module.narrow[op.site] = op.narrow;
      module.has_narrow |= op.narrow;
    }
    if (op.hook == Hook::NONE) continue;
    if (op.value_bytes == 0) continue;
    const bool generic = op.region == Region::GENERIC;
    if (generic || op.region == Region::SHARED || op.region == Region::CLUSTER)
      module.shared_granule = std::min<uint32_t>(module.shared_granule, op.value_bytes);
  }
}

}  // namespace

const CheckTable& build_check_table(const DecodedFunction& function) {
  auto built = std::make_unique<CheckTable>(Builder(function).build());
  std::lock_guard lock(build_mutex());
  if (const CheckTable* table = function.checks.load(std::memory_order_acquire)) return *table;
  function.check_owner = std::shared_ptr<const CheckTable>(std::move(built));
  function.checks.store(function.check_owner.get(), std::memory_order_release);
  return *function.check_owner;
}

const ModuleChecks& module_checks(const DecodedModule& module) {
  if (const ModuleChecks* found = module.checks.load(std::memory_order_acquire)) return *found;
  auto places = std::make_shared<Places>(module.site_count);
  auto built = std::make_shared<ModuleChecks>();
  built->swaps.resize(module.site_count);
  built->narrow.resize(module.site_count);
  for (const auto& function : module.functions)
    if (function) note_module(*function, *places, *built);
  built->places = std::move(places);
  std::lock_guard lock(build_mutex());
  if (const ModuleChecks* found = module.checks.load(std::memory_order_acquire)) return *found;
  module.check_owner = built;
  module.checks.store(built.get(), std::memory_order_release);
  return *built;
}

}  // namespace cucore::cpu
