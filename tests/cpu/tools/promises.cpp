// SPDX-License-Identifier: Apache-2.0
// Visits all indices of a module as an executor would, and checks each of them.
#include "promises.hpp"

namespace cucore::ptx::test {
namespace {

class Walker {
 public:
  Walker(const Module& module, const Function& function) : module_(module), function_(function) {}

  std::string walk() {
    if (function_.return_count + function_.input_count > function_.variables.size())
      return "parameter counts";
    if (function_.is_declaration) return "";
    if (function_.instructions.empty()) return "empty body";
    for (const Variable& variable : function_.variables)
      if (!variable_fits(variable)) return "frame of " + std::string(variable.name);
    for (const auto& list : function_.target_lists)
      for (uint32_t target : list)
        if (target >= function_.instructions.size()) return "branch target";
    if (!ends(function_.instructions.back())) return "body runs off its end";
    for (const Instruction& instruction : function_.instructions) {
      std::string broken = check(instruction);
      if (!broken.empty()) return broken + " of " + std::string(module_.text_of(instruction));
    }
    return "";
  }

 private:
  static bool ends(const Instruction& last) {
    Opcode op = last.form->op;
    return last.guard == NONE &&
           (op == Opcode::ret || op == Opcode::exit || op == Opcode::trap || op == Opcode::bra);
  }

  bool variable_fits(const Variable& variable) const {
    if (variable.is_register) return variable.reg < function_.registers.size();
    uint64_t end = variable.offset + variable.size;
    if (variable.offset % variable.align != 0) return false;
    if (variable.space == Space::param) return end <= function_.param_frame_bytes;
    if (variable.space == Space::local) return end <= function_.local_bytes;
    return true;
  }

  std::string check(const Instruction& instruction) const {
    if (instruction.guard != NONE && (instruction.guard >= function_.registers.size() ||
                                      function_.registers[instruction.guard] != Type::pred))
      return "guard";
    uint64_t end = uint64_t{instruction.first_operand} + instruction.operand_count;
    if (end > function_.operands.size()) return "operand range";
    if (uint64_t{instruction.text_offset} + instruction.text_length > module_.text.size())
      return "text range";
    for (const Operand& operand : function_.operands_of(instruction))
      if (!operand_fits(operand, *instruction.form)) return "operand";
    return "";
  }

  bool operand_fits(const Operand& operand, const Form& form) const {
    switch (operand.kind) {
      case OperandKind::REG:
        return operand.index < function_.registers.size();
      case OperandKind::MEMORY:
        return base_fits(operand, form);
      case OperandKind::SYMBOL:
        return base_fits(operand, form) && operand.base != Base::REG;
      case OperandKind::FUNCTION:
        return operand.index < module_.functions.size();
      case OperandKind::SPECIAL:
        return form.op == Opcode::mov && special_fits(operand);
      case OperandKind::LABEL:
        return operand.index < function_.instructions.size();
      case OperandKind::PROTOTYPE:
        return operand.index < function_.prototypes.size();
      case OperandKind::TARGETS:
        return operand.index < function_.target_lists.size();
      case OperandKind::VECTOR:
      case OperandKind::LIST:
        return elements_fit(operand, form);
      default:
        return true;
    }
  }

  static bool special_fits(const Operand& operand) {
    return operand.index < uint32_t(SpecialRegister::count) && operand.component < 4;
  }

  bool elements_fit(const Operand& operand, const Form& form) const {
    if (uint64_t{operand.index} + operand.count > function_.elements.size()) return false;
    for (const Operand& element : function_.elements_of(operand)) {
      if (element.kind == OperandKind::VECTOR || element.kind == OperandKind::LIST) return false;
      if (!operand_fits(element, form)) return false;
    }
    return true;
  }

  bool base_fits(const Operand& operand, const Form& form) const {
    switch (operand.base) {
      case Base::ABSOLUTE:
        return true;
      case Base::REG:
        return operand.index < function_.registers.size();
      case Base::MODULE_VARIABLE:
        return operand.index < module_.variables.size();
      case Base::LOCAL_VARIABLE:
        return local_fits(operand, form);
    }
    return false;
  }

  bool local_fits(const Operand& operand, const Form& form) const {
    if (operand.index >= function_.variables.size()) return false;
    const Variable& variable = function_.variables[operand.index];
    bool accesses = form.op == Opcode::ld || form.op == Opcode::st;
    if (!accesses || variable.space != Space::param || variable.is_unsized) return true;
    uint64_t bytes = uint64_t{size_of(form.types[0])} * form.vector;
    return operand.bits <= variable.size && variable.size - operand.bits >= bytes;
  }

  const Module& module_;
  const Function& function_;
};

std::string check_variable(const Module& module, const Variable& variable) {
  if (variable.bytes.size() > variable.size && !variable.is_unsized) return "initial value";
  for (const Relocation& relocation : variable.relocations) {
    size_t limit = relocation.is_function ? module.functions.size() : module.variables.size();
    if (relocation.index >= limit) return "relocation's symbol";
    if (relocation.offset + relocation.size > variable.bytes.size()) return "relocation's place";
  }
  return "";
}

}  // namespace

std::string broken_promise(const Module& module) {
  for (const Variable& variable : module.variables)
    if (std::string broken = check_variable(module, variable); !broken.empty())
      return broken + " of " + std::string(variable.name);
  for (const Function& function : module.functions)
    if (std::string broken = Walker(module, function).walk(); !broken.empty())
      return broken + " in " + std::string(function.name);
  return "";
}

}  // namespace cucore::ptx::test
