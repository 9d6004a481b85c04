// SPDX-License-Identifier: Apache-2.0
// Converts one function of the parsed module to instructions with handlers and operand slots.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "cpu/exec/access.hpp"
#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/handlers.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu {

// Returns the operand pattern of an opcode, see opcodes.inc.
const char* pattern_of(ptx::Opcode op);

class Decoder {
 public:
  Decoder(DecodedModule& module, DecodedFunction& function, uint32_t static_shared,
          const HandlerSet& set)
      : module_(module),
        out_(function),
        source_(*function.source),
        static_shared_(static_shared),
        set_(set) {}
  void run();

 private:
  using Instruction = ptx::Instruction;
  using Operand = ptx::Operand;
  using Form = ptx::Form;
  using Operands = std::span<const Operand>;

  void lay_out_registers();
  void lay_out_parameters();
  void place_constants();
  void find_batches();
  void decode(uint32_t index);

  // A row per opcode, from opcodes.inc. Returns false if the executor does not support the form.
  using Decode = bool (Decoder::*)(Op& op, const Form& form, Operands operands);
  static const Decode DECODERS[];

  // decoder.cpp: forms with one handler and operands in the order of the text
  bool decode_regular(Op& op, const Form& form, Operands operands);
  Handler regular_handler(Op& op, const Form& form, Widths widths);
  bool decode_compare(Op& op, const Form& form, Operands operands);
  bool decode_lop3(Op& op, const Form& form, Operands operands);
  bool decode_convert(Op& op, const Form& form, Operands operands);
  bool decode_convert_pack(Op& op, const Form& form, Operands operands);
  bool decode_float_pair(Op& op, const Form& form, Operands operands);
  bool decode_video(Op& op, const Form& form, Operands operands);
  bool decode_unsupported(Op& op, const Form& form, Operands operands);
  bool decode_nothing(Op& op, const Form& form, Operands operands);
  bool decode_fence(Op& op, const Form& form, Operands operands);
  bool decode_trap(Op& op, const Form& form, Operands operands);
  bool decode_breakpoint(Op& op, const Form& form, Operands operands);
  bool plain(Op& op, Handler handler);

  // decode_memory.cpp
  bool decode_load(Op& op, const Form& form, Operands operands);
  bool decode_store(Op& op, const Form& form, Operands operands);
  bool decode_atomic(Op& op, const Form& form, Operands operands);
  bool decode_vector_atomic(Op& op, const Form& form, Operands operands);
  bool decode_ordered(Op& op, const Form& form, Widths widths);
  bool place_values(Op& op, const Form& form, const Operand& value, bool is_store, unsigned& width);
  bool place_whole(Op& op, const Operand& value);
  // Returns the form of two values of 64 bits in place of one of 128.
  static ptx::Form in_halves(const Form& form);
  bool place_address(Op& op, ptx::Space space, const Operand& memory, Widths& widths);
  bool place_parameter(Op& op, const Operand& memory, Widths& widths);
  bool place_variable(Op& op, ptx::Space space, const Operand& memory, Widths& widths);

  // decode_async.cpp
  bool decode_copy_async(Op& op, const Form& form, Operands operands);
  bool decode_copy_group(Op& op, const Form& form, Operands operands);
  bool decode_copy_bulk(Op& op, const Form& form, Operands operands);
  bool decode_copy_tensor(Op& op, const Form& form, Operands operands);
  bool decode_tensor_map(Op& op, const Form& form, Operands operands);
  bool decode_store_async(Op& op, const Form& form, Operands operands);
  bool decode_store_bulk(Op& op, const Form& form, Operands operands);
  bool decode_cancel(Op& op, const Form& form, Operands operands);
  bool decode_cancel_query(Op& op, const Form& form, Operands operands);
  bool decode_multicast(Op& op, const Form& form, Operands operands);
  bool decode_mbarrier(Op& op, const Form& form, Operands operands);
  bool address_slot(ptx::Space space, const Operand& memory, AddressSlot& slot);
  bool finish_async(Op& op, const Form& form, AsyncSite site);

  // decode_image.cpp
  bool decode_texture(Op& op, const Form& form, Operands operands);
  bool decode_surface(Op& op, const Form& form, Operands operands);
  bool decode_image_query(Op& op, const Form& form, Operands operands);
  bool decode_opaque_test(Op& op, const Form& form, Operands operands);
  bool image_site(const Form& form, const Operand& object, ImageSite& site);
  void image_place(const Operand& coordinates, ImageSite& site);
  void place_numbers(Operands elements, size_t count, Slot (&slots)[3]);
  void place_vector(const Operand& operand, Slot (&slots)[3]);
  bool object_parameter(const Operand& object, uint32_t& offset) const;
  bool place_sampler(const Operand& operand, ImageSite& site);
  bool surface_values(const Operand& value, bool loads, ImageSite& site);
  bool finish_image(Op& op, ImageSite site, Handler handler);

  // decode_move.cpp
  bool decode_mov(Op& op, const Form& form, Operands operands);
  bool decode_pack(Op& op, const Operand& wide, const Operand& vector, Handler handler);
  uint32_t spilled(uint32_t variable);
  bool decode_symbol(Op& op, unsigned width, const Operand& symbol);
  bool decode_special_register(Op& op, const Form& form, unsigned width, const Operand& special);
  bool decode_cvta(Op& op, const Form& form, Operands operands);
  bool decode_isspacep(Op& op, const Form& form, Operands operands);
  bool decode_stack(Op& op, const Form& form, Operands operands);
  bool decode_policy(Op& op, const Form& form, Operands operands);
  bool decode_mapa(Op& op, const Form& form, Operands operands);
  uint64_t window_of(ptx::Space space) const;

  // decode_matrix.cpp
  bool decode_matrix(Op& op, const Form& form, Operands operands);
  bool decode_matrix_move(Op& op, MatrixOp& matrix, const Form& form, Operands operands);
  bool decode_product(MatrixOp& matrix, const Form& form, Operands operands);
  bool decode_warpgroup_product(MatrixOp& matrix, Operands operands);
  bool decode_warpgroup(Op& op, const Form& form, Operands operands);
  const MatrixPlan& plan_of(const Form& form);
  std::vector<Slot> fragment(const Operand& operand, bool is_result, unsigned width);

  // decode_control.cpp
  bool decode_branch(Op& op, const Form& form, Operands operands);
  bool decode_branch_table(Op& op, const Form& form, Operands operands);
  bool decode_return(Op& op, const Form& form, Operands operands);
  bool decode_exit(Op& op, const Form& form, Operands operands);
  bool decode_yield(Op& op, const Form& form, Operands operands);
  bool decode_call(Op& op, const Form& form, Operands operands);
  Argument argument(const Operand& operand);
  bool decode_barrier(Op& op, const Form& form, Operands operands);
  bool decode_exchange(Op& op, const Form& form, Operands operands);
  bool control(Op& op, OpKind kind);

  Slot reg(const Operand& operand) const { return slots_[operand.index]; }
  unsigned width_of(const Operand& operand) const;
  Slot constant(uint64_t bits, unsigned width);
  Slot source(const Operand& operand, unsigned width);
  Slot destination(const Operand& operand, unsigned width);
  Slot predicate(const Operand& operand);
  bool is_kernel_input(uint32_t variable) const;

  DecodedModule& module_;
  DecodedFunction& out_;
  const ptx::Function& source_;
  uint32_t static_shared_;
  const HandlerSet& set_;
  std::vector<Slot> slots_;
  Slot scratch_ = 0;  // destination for `_`
  std::map<std::pair<uint64_t, unsigned>, Slot> constants_;
  uint32_t constant_bytes_ = 0;
  std::vector<bool> leaders_;
};

}  // namespace cucore::cpu
