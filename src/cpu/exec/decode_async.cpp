// SPDX-License-Identifier: Apache-2.0
// Decodes asynchronous copies: cp.async, bulk copies and reductions, st.async, red.async, mbarrier.
#include <algorithm>

#include "cpu/exec/decoder.hpp"

namespace cucore::cpu {

using ptx::Base;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;

// cp.async {destination, source, size, source size or ignore}
bool Decoder::decode_copy_async(Op& op, const Form& form, Operands operands) {
  Widths to, from;
  Op other;
  const uint64_t size = operands[2].bits;
  if (form.space != Space::shared || (size != 4 && size != 8 && size != 16)) return false;
  if (!place_address(other, Space::global, operands[1], from) || from.a != 8) return false;
  if (!place_address(op, Space::shared, operands[0], to)) return false;
  op.site = other.site;  // the destination needs none
  op[CopyAsync::SOURCE] = other[LoadStore::ADDRESS];
  op[CopyAsync::SOURCE_OFFSET] = constant(other.imm, 8);
  op[CopyAsync::SIZE] = constant(size, 4);
  if (operands.size() > 3 && operands[3].kind == OperandKind::REG) {
    const bool is_predicate = source_.registers[operands[3].index] == ptx::Type::pred;
    if (operands[3].negated && !is_predicate) return false;
    if (operands[3].negated) op.target |= COPY_IGNORE_NEGATED;
    if (is_predicate)
      op[CopyAsync::IGNORE] = reg(operands[3]);  // ignore-src
    else if (width_of(operands[3]) == 4)
      op[CopyAsync::SOURCE_SIZE] = reg(operands[3]);
    else if (width_of(operands[3]) != 8 || !form.has(ptx::FLAG_CACHE_HINT))
      return false;
  } else if (operands.size() > 3 && operands[3].kind == OperandKind::IMMEDIATE) {
    op[CopyAsync::SOURCE_SIZE] = constant(operands[3].bits, 4);
  }
  op.run = copy_async;
  return true;
}

bool Decoder::decode_copy_group(Op& op, const Form& form, Operands operands) {
  if (!operands.empty()) op.imm = operands[0].bits;
  switch (form.op) {
    case Opcode::cp_async_commit_group:
      return plain(op, copy_async_commit);
    case Opcode::cp_async_wait_group:
      return plain(op, copy_async_wait_group);
    case Opcode::cp_async_wait_all:
      return plain(op, copy_async_wait_all);
    case Opcode::cp_async_bulk_commit_group:
      return plain(op, bulk_commit);
    default:
      return plain(op, form.has(ptx::FLAG_READ) ? bulk_wait_read : bulk_wait);
  }
}

// The letters of the opcode's pattern define the operands.
bool Decoder::decode_mbarrier(Op& op, const Form& form, Operands operands) {
  using Slots = MbarrierOperand;
  const char* letter = pattern_of(form.op);
  for (size_t k = 0; k < operands.size() && *letter; ++k, ++letter) {
    const Operand& operand = operands[k];
    Widths widths;
    switch (operand.kind == OperandKind::NONE ? ' ' : *letter) {
      case 'm':
        if (!place_address(op, form.space, operand, widths)) return false;
        break;
      case 'S':
        op[Slots::RESULT] = operand.kind == OperandKind::SINK ? NO_SLOT : destination(operand, 8);
        break;
      case 'P':
      case 'r':
        op[Slots::RESULT] = destination(operand, 0);
        break;
      case 'z':
        op[Slots::STATE] = source(operand, 8);
        break;
      case 'u':  // after a predicate: a parity, or the time limit of a wait
        if (pattern_of(form.op)[0] != 'P')
          op[Slots::COUNT] = source(operand, 4);
        else if (op[Slots::STATE] == NO_SLOT)
          op[Slots::STATE] = source(operand, 4);
        break;
      default:
        break;
    }
    if (letter[1] == '?') ++letter;
  }
  if (form.text.find(".noComplete") != std::string_view::npos) op.target |= MBARRIER_NO_COMPLETE;
  op.run = select_mbarrier(form.op);
  return op.run != nullptr;
}

// Asynchronous copies do not reach local memory.
bool Decoder::address_slot(Space space, const Operand& memory, AddressSlot& slot) {
  Op op;
  Widths widths;
  if (memory.base == Base::LOCAL_VARIABLE && source_.variables[memory.index].space != Space::shared)
    return false;
  if (!place_address(op, space, memory, widths)) return false;
  slot.base = op[LoadStore::ADDRESS];
  slot.offset = op.imm;
  slot.region = Region(op.target & 0xff);
  slot.narrow = (op.target & NARROW) != 0;
  return true;
}

bool Decoder::finish_async(Op& op, const Form& form, AsyncSite site) {
  const bool reduces = form.operation != ptx::Operation::none;
  if (reduces) {
    site.reduction = select_reduction(form.types[0], form.operation);
    if (!site.reduction.combine) return false;
  }
  op.target = uint32_t(out_.async.size());
  out_.async.push_back(std::move(site));
  return plain(op, select_async(form.op));
}

// cp.async.bulk {destination, source, size, mbarrier, blocks, policy, mask of bytes}
bool Decoder::decode_copy_bulk(Op& op, const Form& form, Operands operands) {
  AsyncSite site;
  if (!address_slot(form.space, operands[0], site.to) ||
      !address_slot(form.space2, operands[1], site.from))
    return false;
  site.size = source(operands[2], 4);
  if (operands[3].kind == OperandKind::MEMORY &&
      !address_slot(form.space, operands[3], site.barrier))
    return false;
  if (operands[4].kind != OperandKind::NONE) site.blocks = source(operands[4], 2);
  if (operands[6].kind != OperandKind::NONE) site.byte_mask = source(operands[6], 2);
  return finish_async(op, form, std::move(site));
}

// Loads {destination, map, coordinates, mbarrier, im2col offsets, blocks, policy}; stores {map,
// coordinates, source, policy}.
bool Decoder::decode_copy_tensor(Op& op, const Form& form, Operands operands) {
  const bool loads = form.space2 == Space::global;
  const size_t map = loads ? 1 : 0;
  AsyncSite site;
  if (operands[map].base != Base::REG || !address_slot(Space::generic, operands[map], site.map))
    return false;
  using ptx::Mode;
  site.has_four_rows = form.mode == Mode::gather4 || form.mode == Mode::scatter4;
  if (form.mode == Mode::im2col_w || form.mode == Mode::im2col_w_128) return false;
  for (const Operand& coordinate : source_.elements_of(operands[map + 1]))
    site.coordinates[site.rank++] = source(coordinate, 4);
  site.im2col = form.mode == Mode::im2col || form.mode == Mode::im2col_no_offs;
  site.operation = form.operation;
  if (!address_slot(loads ? form.space : form.space2, operands[loads ? 0 : 2],
                    loads ? site.to : site.from))
    return false;
  if (loads && !address_slot(form.space, operands[3], site.barrier)) return false;
  if (loads && operands[4].kind == OperandKind::VECTOR)
    for (const Operand& offset : source_.elements_of(operands[4]))
      site.offsets[site.offset_count++] = source(offset, 2);
  if (loads && operands[5].kind != OperandKind::NONE) site.blocks = source(operands[5], 2);
  op.site = loads ? module_.site_count++ : 0;
  op.target = uint32_t(out_.async.size());
  out_.async.push_back(std::move(site));
  return plain(op, loads ? tensor_load : tensor_store);
}

// tensormap.replace {map, value}, or {map, dimension, value}; tensormap.cp_fenceproxy {to, from}.
bool Decoder::decode_tensor_map(Op& op, const Form& form, Operands operands) {
  AsyncSite site;
  const bool copies = form.op == Opcode::tensormap_cp_fenceproxy;
  if (!address_slot(copies ? Space::global : form.space, operands[0], site.to)) return false;
  if (copies) {
    if (operands[2].bits != TENSOR_MAP_BYTES) return false;
    if (!address_slot(Space::shared, operands[1], site.from)) return false;
  } else {
    const bool numbered = operands.size() == 3;
    site.rank = numbered ? uint32_t(std::min<uint64_t>(operands[1].bits, 5)) : 0;
    site.width = form.types[0] == ptx::Type::b64 ? 8 : 4;
    site.values[0] = source(operands[numbered ? 2 : 1], site.width);
    op.imm = uint64_t(form.mode);
  }
  op.target = uint32_t(out_.async.size());
  out_.async.push_back(std::move(site));
  return plain(op, copies ? copy_tensor_map : replace_in_tensor_map);
}

// st.async, red.async {destination, values, mbarrier}. Without mbarrier, a program cannot wait for
// the end, so the access happens at once.
bool Decoder::decode_store_async(Op& op, const Form& form, Operands operands) {
  const bool reports = form.has(ptx::FLAG_SYNC);
  if (reports != (operands[2].kind != OperandKind::NONE)) return false;
  if (!reports) {
    Form access = form;
    access.op = form.op == Opcode::st_async ? Opcode::st : Opcode::red;
    return form.op == Opcode::st_async ? decode_store(op, access, operands.first(2))
                                       : decode_atomic(op, access, operands.first(2));
  }
  AsyncSite site;
  if (!address_slot(form.space, operands[0], site.to) ||
      !address_slot(form.space, operands[2], site.barrier))
    return false;
  site.width = ptx::size_of(form.types[0]);
  const bool is_vector = operands[1].kind == OperandKind::VECTOR;
  const auto values = is_vector ? source_.elements_of(operands[1]) : operands.subspan(1, 1);
  for (const Operand& value : values) {
    if (value.kind == OperandKind::REG && width_of(value) != site.width) return false;
    site.values[site.count++] = source(value, site.width);
  }
  return finish_async(op, form, std::move(site));
}

// st.bulk {destination, size, value}; the value is 0.
bool Decoder::decode_store_bulk(Op& op, const Form& form, Operands operands) {
  AsyncSite site;
  if (operands[2].bits != 0 || !address_slot(form.space, operands[0], site.to)) return false;
  site.size = source(operands[1], 8);
  op.target = uint32_t(out_.async.size());
  out_.async.push_back(std::move(site));
  return plain(op, store_bulk);
}

// clusterlaunchcontrol.try_cancel {response, mbarrier}
bool Decoder::decode_cancel(Op& op, const Form& form, Operands operands) {
  AsyncSite site;
  if (!address_slot(form.space, operands[0], site.to) ||
      !address_slot(form.space, operands[1], site.barrier))
    return false;
  op.imm = form.has(ptx::FLAG_MULTICAST);
  op.target = uint32_t(out_.async.size());
  out_.async.push_back(std::move(site));
  return plain(op, refuse_cancel);
}

// clusterlaunchcontrol.query_cancel {results, response}
bool Decoder::decode_cancel_query(Op& op, const Form& form, Operands operands) {
  if (form.op == Opcode::is_canceled) {
    op[Regular::RESULT] = reg(operands[0]);
    return plain(op, test_canceled);
  }
  const bool is_vector = operands[0].kind == OperandKind::VECTOR;
  const auto results = is_vector ? source_.elements_of(operands[0]) : operands.subspan(0, 1);
  op.imm = results.size();
  for (size_t k = 0; k < results.size(); ++k)
    op.at(Regular::RESULT, k) = destination(results[k], 4);
  return plain(op, first_of_canceled);
}

bool Decoder::decode_multicast(Op& op, const Form&, Operands) {
  return plain(op, refuse_multicast);
}

}  // namespace cucore::cpu
