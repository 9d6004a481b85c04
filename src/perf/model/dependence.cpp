// SPDX-License-Identifier: Apache-2.0
#include "perf/model/dependence.hpp"

#include <map>
#include <set>
#include <span>
#include <vector>

#include "ptx/forms.hpp"

namespace cucore::perf {
namespace {

using ptx::Base;
using ptx::Function;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::SpecialRegister;

// Bits of a value.
constexpr uint8_t LOADED = 1;
constexpr uint8_t ROUNDED = 2;
// After so many rounds, code whose values still change has loaded values alone.
constexpr int MOST_PASSES = 64;

bool is_control(Opcode op) {
  return op == Opcode::bra || op == Opcode::brx_idx || op == Opcode::call || op == Opcode::ret ||
         op == Opcode::exit;
}

bool is_texture(Opcode op) {
  return op == Opcode::tex || op == Opcode::tex_level || op == Opcode::tex_grad ||
         op == Opcode::tld4 || op == Opcode::txq || op == Opcode::suq || op == Opcode::suld_b;
}

// Whether the destination has a value that the operands do not determine.
bool reads_elsewhere(Opcode op) { return op == Opcode::atom || is_texture(op); }

bool is_rounding(const ptx::Form& form) {
  if (form.type_count == 0 || !ptx::is_float(form.types[0])) return false;
  switch (form.op) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::fma:
    case Opcode::div:
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::lg2:
    case Opcode::ex2:
    case Opcode::tanh:
      return true;
    default:
      return false;
  }
}

// Whether values leave the thread through the memory operand.
bool is_store(Opcode op) {
  return op == Opcode::st || op == Opcode::atom || op == Opcode::red || op == Opcode::st_async ||
         op == Opcode::red_async || op == Opcode::stmatrix || op == Opcode::wmma_store_d;
}

bool is_copy(const ptx::Form& form) {
  return form.op == Opcode::cp_async || form.op == Opcode::cp_async_bulk ||
         form.op == Opcode::cp_async_bulk_tensor;
}

uint8_t bits_of_special(uint32_t index) {
  const auto which = static_cast<SpecialRegister>(index);
  if (index >= static_cast<uint32_t>(SpecialRegister::envreg0)) return LOADED;
  switch (which) {
    case SpecialRegister::smid:
    case SpecialRegister::nsmid:
    case SpecialRegister::gridid:
    case SpecialRegister::clock:
    case SpecialRegister::clock_hi:
    case SpecialRegister::clock64:
    case SpecialRegister::globaltimer:
    case SpecialRegister::globaltimer_lo:
    case SpecialRegister::globaltimer_hi:
    case SpecialRegister::current_graph_exec:
      return LOADED;
    default:
      return 0;
  }
}

// The values of one function, each with the bits of all its definitions.
struct Facts {
  std::vector<uint8_t> registers;
  std::vector<uint8_t> variables;  // parameters, results and arguments of calls
};

class Dependences {
 public:
  Dependences(const ptx::Module& module, const Function& kernel) : module_(module) {
    reach(kernel);
    changes_ = true;
    for (int round = 0; changes_ && round < MOST_PASSES; ++round) {
      changes_ = false;
      for (const Function* function : order_)
        for (const Instruction& instruction : function->instructions) visit(*function, instruction);
    }
    if (!changes_) return;
    for (auto& [function, known] : facts_) known.registers.assign(known.registers.size(), LOADED);
  }

  std::optional<Dependence> first() const {
    for (const Function* function : order_)
      for (size_t at = 0; at < function->instructions.size(); ++at)
        if (const auto found = use_of(*function, at)) return found;
    return std::nullopt;
  }

 private:
  // The kernel and what it calls. Any function may be the target of a call through a register.
  void reach(const Function& function) {
    if (function.is_declaration || !facts_.emplace(&function, Facts{}).second) return;
    facts_[&function] = {std::vector<uint8_t>(function.registers.size()),
                         std::vector<uint8_t>(function.variables.size())};
    order_.push_back(&function);
    for (const Operand& operand : function.operands)
      if (operand.kind == OperandKind::FUNCTION) reach(target_of(operand));
    for (const Instruction& instruction : function.instructions)
      if (instruction.form->op == Opcode::call &&
          function.operands_of(instruction)[0].kind != OperandKind::FUNCTION)
        for (const Function& each : module_.functions)
          if (!each.is_entry) reach(each);
  }

  const Function& target_of(const Operand& operand) const {
    const Function& named = module_.functions[operand.index];
    return named.alias_of == ptx::NONE ? named : module_.functions[named.alias_of];
  }

  const Facts& facts(const Function& function) const { return facts_.at(&function); }

  uint8_t bits_of(const Function& function, const Operand& operand) const {
    const Facts& known = facts(function);
    switch (operand.kind) {
      case OperandKind::REG:
        return known.registers[operand.index];
      case OperandKind::SPECIAL:
        return bits_of_special(operand.index);
      case OperandKind::MEMORY:
        return operand.base == Base::REG ? known.registers[operand.index] : 0;
      case OperandKind::SYMBOL:
        return operand.base == Base::LOCAL_VARIABLE ? known.variables[operand.index] : 0;
      case OperandKind::VECTOR:
      case OperandKind::LIST: {
        uint8_t bits = 0;
        for (const Operand& element : function.elements_of(operand))
          bits |= bits_of(function, element);
        return bits;
      }
      default:
        return 0;
    }
  }

  uint8_t guard_of(const Function& function, const Instruction& instruction) const {
    return instruction.guard == ptx::NONE ? 0 : facts(function).registers[instruction.guard];
  }

  uint8_t sources_of(const Function& function, const Instruction& instruction) const {
    const auto operands = function.operands_of(instruction);
    uint8_t bits = guard_of(function, instruction);
    for (size_t slot = 0; slot < operands.size(); ++slot)
      if (!ptx::is_destination(*instruction.form, slot)) bits |= bits_of(function, operands[slot]);
    return bits;
  }

  static uint8_t any_of(const std::vector<uint8_t>& all) {
    uint8_t bits = 0;
    for (const uint8_t each : all) bits |= each;
    return bits;
  }

  uint8_t loaded(const Function& function, const Instruction& instruction) const {
    const Operand& memory = function.operands_of(instruction)[1];
    const uint8_t address = sources_of(function, instruction);
    switch (instruction.form->space) {
      case Space::param:
        if (memory.base == Base::LOCAL_VARIABLE)
          return address | facts(function).variables[memory.index];
        return address | any_of(facts(function).variables);
      case Space::shared:
      case Space::shared_cluster:
        return address | shared_;
      case Space::local:
        return address | local_;
      default:
        return address | LOADED;
    }
  }

  uint8_t result_of(const Function& function, const Instruction& instruction) const {
    const ptx::Form& form = *instruction.form;
    if (form.op == Opcode::ld || form.op == Opcode::ldu) return loaded(function, instruction);
    uint8_t bits = sources_of(function, instruction);
    if (reads_elsewhere(form.op)) bits |= LOADED;
    if (form.op == Opcode::ldmatrix) bits |= shared_;
    if (form.op == Opcode::wmma_load_a || form.op == Opcode::wmma_load_b ||
        form.op == Opcode::wmma_load_c)
      bits |= form.space == Space::shared ? shared_ : LOADED;
    if (is_rounding(form)) bits |= ROUNDED;
    return bits;
  }

  void join(uint8_t& known, uint8_t bits) {
    changes_ = changes_ || (known | bits) != known;
    known |= bits;
  }

  void join(const Function& function, const Operand& destination, uint8_t bits) {
    Facts& known = facts_.at(&function);
    if (destination.kind == OperandKind::REG) join(known.registers[destination.index], bits);
    if (destination.kind == OperandKind::SYMBOL && destination.base == Base::LOCAL_VARIABLE)
      join(known.variables[destination.index], bits);
    if (destination.kind == OperandKind::VECTOR || destination.kind == OperandKind::LIST)
      for (const Operand& element : function.elements_of(destination))
        join(function, element, bits);
  }

  void visit(const Function& function, const Instruction& instruction) {
    const ptx::Form& form = *instruction.form;
    const auto operands = function.operands_of(instruction);
    if (form.op == Opcode::call) return call(function, instruction);
    if (is_store(form.op)) store(function, instruction);
    if (is_copy(form)) join(shared_, LOADED);
    const uint8_t bits = result_of(function, instruction);
    for (size_t slot = 0; slot < operands.size(); ++slot)
      if (ptx::is_destination(form, slot)) join(function, operands[slot], bits);
  }

  void store(const Function& function, const Instruction& instruction) {
    const ptx::Form& form = *instruction.form;
    const uint8_t bits = sources_of(function, instruction);
    if (form.space == Space::param) {
      const Operand& memory = function.operands_of(instruction)[0];
      if (memory.base == Base::LOCAL_VARIABLE)
        join(facts_.at(&function).variables[memory.index], bits);
      return;
    }
    if (form.space != Space::global && form.space != Space::local) join(shared_, bits);
    if (form.space == Space::local || form.space == Space::generic) join(local_, bits);
  }

  // Passes arguments and results. The results of functions without a body are unknown.
  void call(const Function& function, const Instruction& instruction) {
    const auto operands = function.operands_of(instruction);
    const auto inputs = function.elements_of(operands[2]);
    const auto returns = function.elements_of(operands[1]);
    const auto pass = [&](const Function& target) {
      if (target.is_declaration || !facts_.contains(&target)) return;
      Facts& known = facts_.at(&target);
      for (size_t at = 0; at < inputs.size() && at < target.input_count; ++at)
        pass_in(known, target, target.return_count + at, bits_of(function, inputs[at]));
      for (size_t at = 0; at < returns.size() && at < target.return_count; ++at)
        join(function, returns[at], known.variables[at] | register_bits(known, target, at));
    };
    if (operands[0].kind == OperandKind::FUNCTION) {
      const Function& target = target_of(operands[0]);
      pass(target);
      if (target.is_declaration) join(function, operands[1], LOADED);
      return;
    }
    for (const Function* each : order_)
      if (!each->is_entry) pass(*each);
    join(function, operands[1], LOADED);
  }

  static uint8_t register_bits(const Facts& known, const Function& target, size_t variable) {
    const uint32_t reg = target.variables[variable].reg;
    return reg == ptx::NONE ? 0 : known.registers[reg];
  }

  void pass_in(Facts& known, const Function& target, size_t variable, uint8_t bits) {
    join(known.variables[variable], bits);
    const uint32_t reg = target.variables[variable].reg;
    if (reg != ptx::NONE) join(known.registers[reg], bits);
  }

  // ---- uses

  std::optional<Dependence> use_of(const Function& function, size_t at) const {
    const Instruction& instruction = function.instructions[at];
    const ptx::Form& form = *instruction.form;
    const auto operands = function.operands_of(instruction);
    const bool controls = is_control(form.op);
    uint8_t address = 0;
    for (const Operand& operand : operands)
      if (operand.kind == OperandKind::MEMORY && !is_texture(form.op))
        address |= bits_of(function, operand);
    uint8_t branch = 0;
    if (controls || accesses(form, operands)) branch = guard_of(function, instruction);
    if (form.op == Opcode::brx_idx || form.op == Opcode::call)
      branch |= bits_of(function, operands[0]);
    if ((address | branch) == 0) return std::nullopt;
    const uint8_t bits = branch != 0 ? branch : address;
    return Dependence{
        &function, at, branch != 0 ? DependentUse::BRANCH : DependentUse::ADDRESS,
        bits & LOADED ? DependenceSource::LOADED_VALUE : DependenceSource::ROUNDED_VALUE};
  }

  static bool accesses(const ptx::Form& form, std::span<const Operand> operands) {
    if (form.space == Space::param) return false;
    for (const Operand& operand : operands)
      if (operand.kind == OperandKind::MEMORY) return true;
    return false;
  }

  const ptx::Module& module_;
  std::vector<const Function*> order_;
  std::map<const Function*, Facts> facts_;
  uint8_t shared_ = 0, local_ = 0;  // of all values there
  bool changes_ = false;
};

}  // namespace

const char* Dependence::text() const {
  if (source == DependenceSource::ROUNDED_VALUE)
    return use == DependentUse::BRANCH ? "a branch depends on a rounded value"
                                       : "an address depends on a rounded value";
  return use == DependentUse::BRANCH ? "a branch depends on a loaded value"
                                     : "an address depends on a loaded value";
}

std::optional<Dependence> first_dependence(const ptx::Module& module, const Function& kernel) {
  return Dependences(module, kernel).first();
}

}  // namespace cucore::perf
