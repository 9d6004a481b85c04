// SPDX-License-Identifier: Apache-2.0
// Reads function bodies: scopes, declarations, labels and instructions.
#pragma once

#include <optional>
#include <unordered_map>

#include "ptx/context.hpp"
#include "ptx/symbols.hpp"
#include "ptx/verify.hpp"

namespace cucore::ptx {

// Reads all bodies of a module in turn, so that its tables are allocated once.
class BodyParser {
 public:
  explicit BodyParser(Context& context) : context_(context), lexer_(context.lexer) {}

  // Reads from the body's `{` to its `}`. Each statement logs its own error.
  void parse(Function& function);

 private:
  enum class LabelUse : uint8_t { OPERAND, TARGET_LIST };
  struct PendingLabel {
    std::string_view name;
    LabelUse use;
    uint32_t index;  // operand, or target list
    uint32_t place;  // index in the target list
    uint32_t line;
  };
  struct OpenScope {
    size_t first_pending;
    uint64_t param_bytes;
  };

  // body.cpp
  void begin(Function& function);
  void declare_parameters();
  void finish();
  void statement();
  void open_scope();
  void close_scope();
  void resolve_labels(size_t first);
  bool resolve_label(const PendingLabel& pending);
  void named_statement();
  void label(std::string_view name);
  void directive();
  void declare_registers();
  void declare_register(std::string_view name, Type type);
  void declare_variables(Space space);
  void place_variable(Variable& variable);
  void source_location();
  SourcePosition source_position();
  void prototype(std::string_view name);
  void branch_targets(std::string_view name);
  void call_targets(std::string_view name);
  void declare(std::string_view name, const Symbol& symbol);
  void recover(const ParseError& error, const char* start);

  // instructions.cpp
  void guarded_instruction();
  void instruction(const char* start, uint32_t line, std::string_view name, uint32_t guard,
                   bool negated);
  void append(const Form* form, const char* start, uint32_t line, uint32_t guard, bool negated,
              uint32_t first_operand, uint8_t operand_count);
  void read_operands(const Form& form, WrittenOperands& written);
  void add_operand(WrittenOperands& written, const Operand& operand);
  Operand operand(const Form& form);
  Operand percent_operand(const Form& form);
  Operand negated_operand();
  Operand minus_operand(const Form& form);
  Operand selected(const Form& form, Operand operand);
  Operand named_operand(const Form& form);
  Operand constant_operand();
  bool small_integer(Operand& result);
  Operand memory_operand(const Form& form);
  Operand vector_operand(const Form& form);
  Operand coordinate_operand(const Form& form);
  Operand operand_of_vector(const Form& form);
  Operand label_operand();
  Operand targets_operand();
  Operand register_operand(uint32_t index) const;
  Operand variable_operand(OperandKind kind, std::string_view name);
  std::optional<uint32_t> find_register(std::string_view name, uint64_t hash, size_t stem,
                                        uint64_t stem_hash);
  std::string_view scan_register(std::optional<uint32_t>& found);
  std::optional<Operand> special_register(std::string_view name);
  Operand move_to_register(const Operand& special);
  Operand add_register(std::string_view name, Type type, std::string_view opcode,
                       const Operand& source);
  Operand complement(Operand negated);

  // calls.cpp
  uint8_t call(const Form& form);
  Operand argument_list(const Form& form);
  Operand operand_of_list(const Form& form);
  Operand callee();
  void check_target(Operand& callee, const Operand& returns, const Operand& inputs,
                    std::optional<Operand> prototype);
  std::optional<Operand> prototype_operand();
  Signature signature_of(const Prototype& prototype) const;

  Context& context_;
  Lexer& lexer_;
  Function* function_ = nullptr;
  ScopedSymbols symbols_;
  ScopedSymbols labels_;
  std::vector<OpenScope> scopes_;
  std::vector<PendingLabel> pending_;
  std::unordered_map<std::string_view, uint32_t> prototypes_;
  std::unordered_map<std::string_view, uint32_t> target_lists_;
  Operand coordinates_;       // of the tensor whose map was read last
  Operand sampler_;           // of the texture that was read last
  size_t last_label_ = 0;     // instruction after the latest label
  uint64_t param_bytes_ = 0;  // end of the parameter frame in the open scopes
};

}  // namespace cucore::ptx
