// SPDX-License-Identifier: Apache-2.0
// The check of one instruction's operands. Its parts are in operand_slots.cpp and verify*.cpp.
#pragma once

#include <string>
#include <string_view>

#include "ptx/verify.hpp"

namespace cucore::ptx {

inline bool same_width(Type a, Type b) {
  return (a == Type::pred) == (b == Type::pred) && size_of(a) == size_of(b);
}

class Checker {
 public:
  Checker(Context& context, Function& function, const Form& form, WrittenOperands& written)
      : context_(context), function_(function), form_(form), written_(written) {}

  // verify.cpp
  uint8_t place();

  // verify_calls.cpp
  void check_argument(const Variable& formal, Operand& actual);
  void check_result(const Variable& formal, const Operand& actual);

 private:
  // Inline, because they run for every operand
  Type type_of(const Operand& operand) const { return function_.registers[operand.index]; }
  bool exhausted() const { return next_ >= written_.count; }

  Operand& take() {
    if (exhausted()) fail("too few operands");
    Operand& operand = written_.items[next_++];
    return operand;
  }

  void put(const Operand& operand) {
    function_.operands.push_back(operand);
    ++placed_;
  }
  void put_none() { put(Operand{}); }

  void destination(const Operand& operand, Type type) {
    if (operand.kind != OperandKind::REG || operand.negated || !same_width(type_of(operand), type))
      fail_width("register", type);
  }
  void source(Operand& operand, Type type) {
    if (operand.kind == OperandKind::IMMEDIATE) return immediate(operand, type);
    if (operand.kind != OperandKind::REG || operand.negated || !same_width(type_of(operand), type))
      fail_width("register or constant", type);
  }

  // verify.cpp
  std::string_view mixed_pattern() const;
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_operand(const std::string& what) const;
  [[noreturn]] void fail_width(const char* what, Type type) const;
  void check_pair(std::string_view pattern) const;
  void by_pattern(std::string_view pattern);
  void put_rest();
  void by_types(std::string_view pattern);
  void by_pattern_optional(std::string_view two);
  void lop3();
  void atom();
  void bar_red();
  void vote();

  // operand_slots.cpp: one function for each kind of slot
  void slot(char letter);
  void relaxed_destination(const Operand& operand, Type type);
  void immediate(Operand& operand, Type type);
  void signed_source(Operand& operand);
  void relaxed_source(Operand& operand, Type type);
  void predicate(Operand& operand);
  static bool is_address(Type type);
  void address_register(const Operand& operand);
  void symbol_or_source(Operand& operand, Type type);
  void memory(const Operand& operand);
  void check_variable_access(const Variable& variable, const Operand& operand);
  bool names_objects() const;
  const Variable* variable_of(const Operand& operand) const;
  void vector_element(Operand& element, bool is_destination);
  void scalar_or_vector(Operand& operand, bool is_destination);
  void integer(Operand& operand);
  Type wide_type() const;
  void pair();

  // verify_calls.cpp
  [[noreturn]] void argument_mismatch(const Variable& formal) const;

  // verify_moves.cpp
  void mov();
  void mov_source(Operand& from);
  void split_elements(const Operand& vector, bool is_destination);
  void cvt();
  void cvt_quad();

  // verify_matrices.cpp
  void fragment(Operand& operand, char letter);
  void integer_in(std::string_view values);
  void wgmma();

  // verify_copies.cpp
  void bulk();
  void coordinates(unsigned count, Type type);
  void offsets();
  unsigned tensor_coordinates() const;
  void tensor();
  void tensor_map();

  // verify_textures.cpp
  void texture();
  void object(Type type);
  void texel_place(Type type);
  void sampler();
  void number(Type type);
  void gradient();
  void texel_offsets();
  void depth();
  unsigned type_size(const Operand& operand) const;
  void surface();
  void value_of_surface(bool is_destination);

  // verify_video.cpp
  void check_video();
  void check_selector(const Operand& operand, bool is_destination) const;
  void check_signs(const Operand* operands) const;

  Context& context_;
  Function& function_;
  const Form& form_;
  WrittenOperands& written_;
  uint8_t next_ = 0;
  uint8_t placed_ = 0;
};

}  // namespace cucore::ptx
