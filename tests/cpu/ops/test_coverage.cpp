// SPDX-License-Identifier: Apache-2.0
// Compares the table with the front end's own list of instructions. Every opcode has rows, or is
// named here with the place of its tests. The front end must accept every name in the rows.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "case.hpp"
#include "kernel_text.hpp"
#include "ptx/parser.hpp"

namespace cucore::cpu::ops {
namespace {

using ptx::Opcode;

// Opcodes without a value per thread or warp: the executor's tests run them. tests/cpu/matrix has
// the rows of matrix instructions.
const std::set<Opcode> ELSEWHERE = {Opcode::bra,
                                    Opcode::brx_idx,
                                    Opcode::call,
                                    Opcode::ret,
                                    Opcode::exit,
                                    Opcode::trap,
                                    Opcode::brkpt,
                                    Opcode::nanosleep,
                                    Opcode::pmevent,
                                    Opcode::bar_arrive,
                                    Opcode::cvt_pack,
                                    Opcode::tex,
                                    Opcode::tex_base,
                                    Opcode::tex_level,
                                    Opcode::tex_grad,
                                    Opcode::tld4,
                                    Opcode::txq,
                                    Opcode::txq_level,
                                    Opcode::suq,
                                    Opcode::istypep,
                                    Opcode::suld_b,
                                    Opcode::sust_b,
                                    Opcode::sured_b,
                                    Opcode::sust_p,
                                    Opcode::sured_p,
                                    Opcode::st_bulk,
                                    Opcode::try_cancel,
                                    Opcode::is_canceled,
                                    Opcode::first_ctaid,
                                    Opcode::prefetch,
                                    Opcode::prefetchu,
                                    Opcode::discard,
                                    Opcode::applypriority,
                                    Opcode::createpolicy,
                                    Opcode::cp_async,
                                    Opcode::cp_async_commit_group,
                                    Opcode::cp_async_wait_group,
                                    Opcode::cp_async_wait_all,
                                    Opcode::cp_async_bulk,
                                    Opcode::cp_async_bulk_commit_group,
                                    Opcode::cp_async_bulk_wait_group,
                                    Opcode::cp_async_bulk_prefetch,
                                    Opcode::cp_reduce_async_bulk,
                                    Opcode::cp_async_bulk_tensor,
                                    Opcode::cp_reduce_async_bulk_tensor,
                                    Opcode::cp_async_bulk_prefetch_tensor,
                                    Opcode::tensormap_replace,
                                    Opcode::tensormap_cp_fenceproxy,
                                    Opcode::st_async,
                                    Opcode::alloca_,
                                    Opcode::stacksave,
                                    Opcode::stackrestore,
                                    Opcode::red_async,
                                    Opcode::cp_async_mbarrier_arrive,
                                    Opcode::cp_async_mbarrier_arrive_noinc,
                                    Opcode::mbarrier_init,
                                    Opcode::mbarrier_inval,
                                    Opcode::mbarrier_arrive,
                                    Opcode::mbarrier_arrive_drop,
                                    Opcode::mbarrier_arrive_expect_tx,
                                    Opcode::mbarrier_arrive_drop_expect_tx,
                                    Opcode::mbarrier_expect_tx,
                                    Opcode::mbarrier_complete_tx,
                                    Opcode::mbarrier_test_wait,
                                    Opcode::mbarrier_test_wait_parity,
                                    Opcode::mbarrier_try_wait,
                                    Opcode::mbarrier_try_wait_parity,
                                    Opcode::mbarrier_pending_count,
                                    Opcode::fence_proxy,
                                    Opcode::fence_mbarrier_init,
                                    Opcode::mapa,
                                    Opcode::getctarank,
                                    Opcode::barrier_cluster_arrive,
                                    Opcode::barrier_cluster_wait,
                                    Opcode::griddepcontrol_wait,
                                    Opcode::griddepcontrol_launch_dependents,
                                    Opcode::ldmatrix,
                                    Opcode::stmatrix,
                                    Opcode::movmatrix,
                                    Opcode::mma,
                                    Opcode::mma_sp,
                                    Opcode::mma_sp_ordered,
                                    Opcode::wmma_load_a,
                                    Opcode::wmma_load_b,
                                    Opcode::wmma_load_c,
                                    Opcode::wmma_store_d,
                                    Opcode::wmma_mma,
                                    Opcode::wgmma_mma_async,
                                    Opcode::wgmma_mma_async_sp,
                                    Opcode::wgmma_fence,
                                    Opcode::wgmma_commit_group,
                                    Opcode::wgmma_wait_group,
                                    Opcode::setmaxnreg_inc,
                                    Opcode::setmaxnreg_dec};

// Accepted by the parser but not supported by devices' tables: executing them is an error with a
// text.
const std::set<Opcode> NOT_EXECUTED = {Opcode::multimem_ld_reduce, Opcode::multimem_st,
                                       Opcode::multimem_red};

std::unique_ptr<ptx::Module> parsed_table() {
  Table table = make_table();
  ptx::Diagnostics log;
  auto module = ptx::parse(module_text(table.rows(), 0, 90), log);
  EXPECT_NE(module, nullptr) << log.to_string();
  return module;
}

TEST(TableCoverage, TheFrontEndKnowsEveryForm) {
  auto module = parsed_table();
  ASSERT_NE(module, nullptr);
  for (const ptx::Form& form : module->forms) EXPECT_NE(form.op, Opcode::unsupported) << form.text;
}

TEST(TableCoverage, EveryOpcodeHasRows) {
  auto module = parsed_table();
  ASSERT_NE(module, nullptr);
  std::set<Opcode> covered;
  for (const ptx::Form& form : module->forms) covered.insert(form.op);
  for (unsigned i = 1; i < static_cast<unsigned>(Opcode::count); ++i) {
    auto op = static_cast<Opcode>(i);
    bool excused = ELSEWHERE.contains(op) || NOT_EXECUTED.contains(op);
    EXPECT_TRUE(covered.contains(op) || excused)
        << ptx::name_of(op)
        << " has no rows; add them to the cases of its family, or name it above";
  }
}

TEST(TableCoverage, RowsAreManyAndToldApart) {
  Table table = make_table();
  std::set<std::string> names;
  size_t combinations = 0;
  for (const Case& row : table.rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.reference || row.warp_reference) << row.name;
    combinations += operands_of(row).size();
  }
  EXPECT_GE(table.rows().size(), 3000u);
  EXPECT_GE(combinations, 500000u);
}

}  // namespace
}  // namespace cucore::cpu::ops
