// SPDX-License-Identifier: Apache-2.0
#include "perf/analyze/ptx_class.hpp"

#include "ptx/forms.hpp"

namespace cucore::perf {
namespace {

using ptx::Opcode;
using ptx::Space;
using ptx::Type;

bool is_half(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2;
}

InstructionClass arithmetic(Type type) {
  using enum InstructionClass;
  if (type == Type::f64) return F64;
  if (is_half(type)) return F16;
  return ptx::is_float(type) || type == Type::f32x2 ? F32 : INTEGER;
}

InstructionClass load(Space space) {
  using enum InstructionClass;
  switch (space) {
    case Space::global:
      return LOAD_GLOBAL;
    case Space::shared:
    case Space::shared_cluster:
      return LOAD_SHARED;
    case Space::local:
      return LOAD_LOCAL;
    case Space::constant:
    case Space::param:
      return LOAD_CONSTANT;
    default:
      return LOAD_GENERIC;
  }
}

InstructionClass store(Space space) {
  using enum InstructionClass;
  switch (space) {
    case Space::global:
      return STORE_GLOBAL;
    case Space::shared:
    case Space::shared_cluster:
      return STORE_SHARED;
    case Space::local:
      return STORE_LOCAL;
    case Space::param:
      return MOVE;  // an argument of a call
    default:
      return STORE_GENERIC;
  }
}

InstructionClass fixed_class(Opcode op) {
  using enum InstructionClass;
  switch (op) {
    case Opcode::unsupported:
      return UNKNOWN;
    case Opcode::mov:
    case Opcode::cvta:
    case Opcode::selp:
    case Opcode::slct:
    case Opcode::isspacep:
    case Opcode::is_canceled:
    case Opcode::first_ctaid:
    case Opcode::mapa:
    case Opcode::getctarank:
      return MOVE;
    case Opcode::cvt:
    case Opcode::cvt_pack:
      return CONVERSION;
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::lg2:
    case Opcode::ex2:
    case Opcode::tanh:
      return SPECIAL;
    case Opcode::ldmatrix:
    case Opcode::wmma_load_a:
    case Opcode::wmma_load_b:
    case Opcode::wmma_load_c:
      return LOAD_SHARED;
    case Opcode::stmatrix:
    case Opcode::wmma_store_d:
    case Opcode::st_bulk:
      return STORE_SHARED;
    case Opcode::mma:
    case Opcode::mma_sp:
    case Opcode::mma_sp_ordered:
    case Opcode::wmma_mma:
    case Opcode::wgmma_mma_async:
    case Opcode::wgmma_mma_async_sp:
      return MATRIX;
    case Opcode::movmatrix:
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::activemask:
    case Opcode::elect:
      return SHUFFLE;
    case Opcode::atom:
    case Opcode::red:
    case Opcode::red_async:
    case Opcode::multimem_red:
      return ATOMIC;
    case Opcode::multimem_ld_reduce:
      return LOAD_GLOBAL;
    case Opcode::multimem_st:
      return STORE_GLOBAL;
    case Opcode::cp_async:
    case Opcode::cp_async_commit_group:
    case Opcode::cp_async_wait_group:
    case Opcode::cp_async_wait_all:
    case Opcode::cp_async_bulk:
    case Opcode::cp_reduce_async_bulk:
    case Opcode::cp_async_bulk_prefetch:
    case Opcode::cp_async_bulk_tensor:
    case Opcode::cp_reduce_async_bulk_tensor:
    case Opcode::cp_async_bulk_prefetch_tensor:
    case Opcode::cp_async_bulk_commit_group:
    case Opcode::cp_async_bulk_wait_group:
    case Opcode::st_async:
    case Opcode::try_cancel:
      return COPY;
    case Opcode::tex:
    case Opcode::tex_base:
    case Opcode::tex_level:
    case Opcode::tex_grad:
    case Opcode::tld4:
    case Opcode::txq:
    case Opcode::txq_level:
    case Opcode::suq:
    case Opcode::istypep:
    case Opcode::suld_b:
    case Opcode::sust_b:
    case Opcode::sured_b:
    case Opcode::sust_p:
    case Opcode::sured_p:
      return TEXTURE;
    case Opcode::bra:
    case Opcode::brx_idx:
    case Opcode::call:
    case Opcode::ret:
    case Opcode::exit:
    case Opcode::trap:
      return BRANCH;
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::fence_proxy:
    case Opcode::fence_mbarrier_init:
    case Opcode::bar_sync:
    case Opcode::bar_arrive:
    case Opcode::bar_red:
    case Opcode::bar_warp_sync:
    case Opcode::barrier_cluster_arrive:
    case Opcode::barrier_cluster_wait:
    case Opcode::mbarrier_init:
    case Opcode::mbarrier_inval:
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_drop:
    case Opcode::mbarrier_arrive_expect_tx:
    case Opcode::mbarrier_arrive_drop_expect_tx:
    case Opcode::mbarrier_expect_tx:
    case Opcode::mbarrier_complete_tx:
    case Opcode::mbarrier_test_wait:
    case Opcode::mbarrier_test_wait_parity:
    case Opcode::mbarrier_try_wait:
    case Opcode::mbarrier_try_wait_parity:
    case Opcode::mbarrier_pending_count:
    case Opcode::cp_async_mbarrier_arrive:
    case Opcode::cp_async_mbarrier_arrive_noinc:
    case Opcode::wgmma_fence:
    case Opcode::wgmma_commit_group:
    case Opcode::wgmma_wait_group:
      return BARRIER;
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::discard:
    case Opcode::applypriority:
    case Opcode::createpolicy:
    case Opcode::tensormap_replace:
    case Opcode::tensormap_cp_fenceproxy:
    case Opcode::alloca_:
    case Opcode::stacksave:
    case Opcode::stackrestore:
    case Opcode::brkpt:
    case Opcode::nanosleep:
    case Opcode::pmevent:
    case Opcode::griddepcontrol_wait:
    case Opcode::griddepcontrol_launch_dependents:
    case Opcode::setmaxnreg_inc:
    case Opcode::setmaxnreg_dec:
      return OTHER;
    default:
      return ANY;  // by its type
  }
}

}  // namespace

InstructionClass class_of(const ptx::Form& form) {
  using enum InstructionClass;
  if (form.op == Opcode::ld || form.op == Opcode::ldu) return load(form.space);
  if (form.op == Opcode::st) return store(form.space);
  const InstructionClass fixed = fixed_class(form.op);
  if (fixed != ANY) return fixed;
  // Comparisons have the class of what they compare; logic of predicates has none.
  const Type type = form.op == Opcode::set ? form.types[1] : form.types[0];
  if (type == Type::pred) return MOVE;
  return arithmetic(type);
}

uint32_t width_of(const ptx::Form& form) {
  const bool access = form.op == Opcode::ld || form.op == Opcode::ldu || form.op == Opcode::st;
  return access ? form.vector * ptx::size_of(form.types[0]) : 0;
}

}  // namespace cucore::perf
