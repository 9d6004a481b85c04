// SPDX-License-Identifier: Apache-2.0
#include "cpu/counts/instruction_kinds.hpp"

#include "cpu/counts/other_accesses.hpp"

namespace cucore::cpu {
namespace {

using ptx::Opcode;
using ptx::Type;

constexpr uint32_t WARPS_OF_WARPGROUP = 4;

// The class of arithmetic by the type of its values.
cucore_cpu_class class_of(Type type) {
  switch (type) {
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
      return CUCORE_CPU_CLASS_F16;
    case Type::f32:
    case Type::f32x2:
    case Type::tf32:
      return CUCORE_CPU_CLASS_F32;
    case Type::f64:
      return CUCORE_CPU_CLASS_F64;
    default:
      return CUCORE_CPU_CLASS_INTEGER;
  }
}

cucore_cpu_class class_of(const ptx::Form& form) {
  switch (form.op) {
    case Opcode::unsupported:
    case Opcode::mov:
    case Opcode::cvta:
    case Opcode::isspacep:
    case Opcode::mapa:
    case Opcode::getctarank:
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::discard:
    case Opcode::applypriority:
    case Opcode::createpolicy:
    case Opcode::cp_async_bulk_prefetch:
    case Opcode::cp_async_bulk_prefetch_tensor:
    case Opcode::tensormap_replace:
    case Opcode::tensormap_cp_fenceproxy:
    case Opcode::alloca_:
    case Opcode::stacksave:
    case Opcode::stackrestore:
    case Opcode::txq:
    case Opcode::txq_level:
    case Opcode::suq:
    case Opcode::istypep:
    case Opcode::is_canceled:
    case Opcode::first_ctaid:
    case Opcode::trap:
    case Opcode::brkpt:
    case Opcode::nanosleep:
    case Opcode::pmevent:
    case Opcode::griddepcontrol_wait:
    case Opcode::griddepcontrol_launch_dependents:
    case Opcode::setmaxnreg_inc:
    case Opcode::setmaxnreg_dec:
      return CUCORE_CPU_CLASS_OTHER;
    case Opcode::cvt:
    case Opcode::cvt_pack:
      return CUCORE_CPU_CLASS_CONVERSION;
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::lg2:
    case Opcode::ex2:
    case Opcode::tanh:
      return CUCORE_CPU_CLASS_SPECIAL;
    case Opcode::div:
      return ptx::is_float(form.types[0]) ? CUCORE_CPU_CLASS_SPECIAL : CUCORE_CPU_CLASS_INTEGER;
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::tex:
    case Opcode::tex_base:
    case Opcode::multimem_ld_reduce:
    case Opcode::tex_level:
    case Opcode::tex_grad:
    case Opcode::tld4:
    case Opcode::suld_b:
    case Opcode::ldmatrix:
    case Opcode::wmma_load_a:
    case Opcode::wmma_load_b:
    case Opcode::wmma_load_c:
      return CUCORE_CPU_CLASS_LOAD;
    case Opcode::st:
    case Opcode::sust_b:
    case Opcode::sust_p:
    case Opcode::st_bulk:
    case Opcode::multimem_st:
    case Opcode::stmatrix:
    case Opcode::wmma_store_d:
      return CUCORE_CPU_CLASS_STORE;
    case Opcode::atom:
    case Opcode::red:
    case Opcode::sured_b:
    case Opcode::sured_p:
    case Opcode::multimem_red:
      return CUCORE_CPU_CLASS_ATOMIC;
    case Opcode::cp_async:
    case Opcode::cp_async_commit_group:
    case Opcode::cp_async_wait_group:
    case Opcode::cp_async_wait_all:
    case Opcode::cp_async_bulk:
    case Opcode::cp_reduce_async_bulk:
    case Opcode::cp_async_bulk_tensor:
    case Opcode::cp_reduce_async_bulk_tensor:
    case Opcode::cp_async_bulk_commit_group:
    case Opcode::cp_async_bulk_wait_group:
    case Opcode::st_async:
    case Opcode::red_async:
    case Opcode::try_cancel:
      return CUCORE_CPU_CLASS_COPY;
    case Opcode::bra:
    case Opcode::brx_idx:
    case Opcode::call:
    case Opcode::ret:
    case Opcode::exit:
      return CUCORE_CPU_CLASS_BRANCH;
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::activemask:
    case Opcode::elect:
      return CUCORE_CPU_CLASS_EXCHANGE;
    case Opcode::movmatrix:
    case Opcode::mma:
    case Opcode::mma_sp:
    case Opcode::mma_sp_ordered:
    case Opcode::wmma_mma:
    case Opcode::wgmma_mma_async:
    case Opcode::wgmma_mma_async_sp:
    case Opcode::wgmma_fence:
    case Opcode::wgmma_commit_group:
    case Opcode::wgmma_wait_group:
      return CUCORE_CPU_CLASS_MATRIX;
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::fence_proxy:
    case Opcode::fence_mbarrier_init:
    case Opcode::cp_async_mbarrier_arrive:
    case Opcode::cp_async_mbarrier_arrive_noinc:
      return CUCORE_CPU_CLASS_BARRIER;
    case Opcode::set:
    case Opcode::vset:
      return class_of(form.types[1]);  // of the compared values
    default:
      break;
  }
  const bool waits = form.op >= Opcode::bar_sync && form.op <= Opcode::mbarrier_pending_count;
  return waits ? CUCORE_CPU_CLASS_BARRIER : class_of(form.types[0]);
}

// Returns the values that one register has.
uint32_t values_of(Type type) {
  switch (type) {
    case Type::f16x2:
    case Type::bf16x2:
    case Type::f32x2:
    case Type::u16x2:
    case Type::s16x2:
      return 2;
    default:
      return 1;
  }
}

uint32_t operations_of(const ptx::Form& form) {
  switch (form.op) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mul24:
    case Opcode::addc:
    case Opcode::subc:
      return values_of(form.types[0]);
    case Opcode::fma:
    case Opcode::mad:
    case Opcode::mad24:
    case Opcode::madc:
      return 2 * values_of(form.types[0]);
    case Opcode::mma:
    case Opcode::mma_sp:
    case Opcode::mma_sp_ordered:
    case Opcode::wmma_mma:
      return 2u * form.matrix.m * form.matrix.n * form.matrix.k;
    case Opcode::wgmma_mma_async:
    case Opcode::wgmma_mma_async_sp:
      return 2u * form.matrix.m * form.matrix.n * form.matrix.k / WARPS_OF_WARPGROUP;
    default:
      return 0;
  }
}

cucore_cpu_operation_type operation_type(cucore_cpu_class group) {
  switch (group) {
    case CUCORE_CPU_CLASS_F16:
      return CUCORE_CPU_OPERATION_F16;
    case CUCORE_CPU_CLASS_F32:
      return CUCORE_CPU_OPERATION_F32;
    case CUCORE_CPU_CLASS_F64:
      return CUCORE_CPU_OPERATION_F64;
    case CUCORE_CPU_CLASS_MATRIX:
      return CUCORE_CPU_OPERATION_MATRIX;
    default:
      return CUCORE_CPU_OPERATION_INTEGER;
  }
}

// Eight values have no rules of their own.
bool is_plain_access(const ptx::Form& form) {
  const Opcode op = form.op;
  return form.vector < 8 && (op == Opcode::ld || op == Opcode::ldu || op == Opcode::st ||
                             op == Opcode::atom || op == Opcode::red);
}

bool has_other_access(const ptx::Form& form, cucore_cpu_class group) {
  const Opcode op = form.op;
  if (is_counted_other(op)) return false;
  switch (group) {
    case CUCORE_CPU_CLASS_LOAD:
    case CUCORE_CPU_CLASS_STORE:
    case CUCORE_CPU_CLASS_ATOMIC:
      return !is_plain_access(form);
    case CUCORE_CPU_CLASS_COPY:
      return op != Opcode::cp_async_commit_group && op != Opcode::cp_async_wait_group &&
             op != Opcode::cp_async_wait_all && op != Opcode::cp_async_bulk_commit_group &&
             op != Opcode::cp_async_bulk_wait_group;
    default:
      return op == Opcode::wgmma_mma_async || op == Opcode::wgmma_mma_async_sp;
  }
}

}  // namespace

InstructionKind instruction_kind(const ptx::Form& form) {
  InstructionKind kind;
  kind.group = class_of(form);
  kind.operation = operation_type(kind.group);
  kind.operations = operations_of(form);
  if (is_plain_access(form)) kind.width = ptx::size_of(form.types[0]) * form.vector;
  kind.is_barrier =
      form.op == Opcode::bar_sync || form.op == Opcode::bar_arrive || form.op == Opcode::bar_red;
  kind.other_access = has_other_access(form, kind.group);
  return kind;
}

}  // namespace cucore::cpu
