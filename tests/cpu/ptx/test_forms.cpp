// SPDX-License-Identifier: Apache-2.0
// Instruction names: the meaning of each part, and the refusal of unknown or contradictory parts.
#include <gtest/gtest.h>

#include "ptx/forms.hpp"

namespace cucore::ptx {
namespace {

TEST(Forms, ReadsTypesAndModifiers) {
  Form form = decode_form("fma.rm.ftz.sat.f32");
  EXPECT_EQ(form.op, Opcode::fma);
  EXPECT_EQ(form.rounding, Rounding::rm);
  EXPECT_TRUE(form.has(FLAG_FTZ));
  EXPECT_TRUE(form.has(FLAG_SAT));
  EXPECT_EQ(form.type_count, 1);
  EXPECT_EQ(form.types[0], Type::f32);
}

TEST(Forms, SpellingsWithTwoMeaningsFollowTheOpcode) {
  EXPECT_EQ(decode_form("mul.lo.s32").mul, MulMode::lo);
  EXPECT_EQ(decode_form("setp.lo.u32").compare, Compare::lo);
  EXPECT_EQ(decode_form("setp.hi.u64").compare, Compare::hi);
  EXPECT_EQ(decode_form("vote.sync.uni.pred").mode, Mode::uni);
  EXPECT_TRUE(decode_form("bra.uni").has(FLAG_UNI));
  EXPECT_EQ(decode_form("setp.nan.f32").compare, Compare::nan);
  EXPECT_TRUE(decode_form("min.NaN.f32").has(FLAG_NAN));
  EXPECT_TRUE(decode_form("min.xorsign.abs.f32").has(FLAG_XORSIGN_ABS));
  EXPECT_TRUE(decode_form("redux.sync.min.abs.f32").has(FLAG_ABS));
  EXPECT_EQ(decode_form("shfl.sync.idx.b32").mode, Mode::idx);
  EXPECT_EQ(decode_form("brx.idx").op, Opcode::brx_idx);
}

TEST(Forms, MemoryModifiers) {
  Form load = decode_form("ld.acquire.gpu.shared::cta.L1::evict_last.L2::128B.v4.u32");
  EXPECT_EQ(load.op, Opcode::ld);
  EXPECT_EQ(load.order, Order::acquire);
  EXPECT_EQ(load.scope, Scope::gpu);
  EXPECT_EQ(load.space, Space::shared);
  EXPECT_EQ(load.vector, 4);
  EXPECT_EQ(decode_form("ld.param::func.u64").space, Space::param);
  EXPECT_EQ(decode_form("st.volatile.global.f64").order, Order::volatile_);
  Form atom = decode_form("atom.acq_rel.sys.global.cas.b64");
  EXPECT_EQ(atom.operation, Operation::cas);
  EXPECT_EQ(atom.order, Order::acq_rel);
  EXPECT_EQ(atom.scope, Scope::sys);
  EXPECT_EQ(decode_form("membar.gl").scope, Scope::gpu);
  Form copy = decode_form("cp.async.cg.shared.global.L2::128B");
  EXPECT_EQ(copy.op, Opcode::cp_async);
  EXPECT_EQ(copy.space, Space::shared);
  EXPECT_EQ(copy.space2, Space::global);
}

TEST(Forms, LongestNameWins) {
  EXPECT_EQ(decode_form("cp.async.wait_all").op, Opcode::cp_async_wait_all);
  EXPECT_EQ(decode_form("bar.warp.sync").op, Opcode::bar_warp_sync);
  EXPECT_EQ(decode_form("barrier.sync").op, Opcode::bar_sync);
  EXPECT_EQ(decode_form("barrier.sync.aligned").op, Opcode::bar_sync);
  EXPECT_EQ(decode_form("barrier.cta.red.popc.aligned.u32").op, Opcode::bar_red);
  EXPECT_EQ(decode_form("barrier.cluster.arrive.release.aligned").op,
            Opcode::barrier_cluster_arrive);
  EXPECT_EQ(decode_form("fence.proxy.async.global").op, Opcode::fence_proxy);
  EXPECT_EQ(decode_form("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64").op,
            Opcode::mbarrier_arrive_expect_tx);
  EXPECT_EQ(decode_form("mbarrier.arrive.noComplete.shared.b64").op, Opcode::mbarrier_arrive);
  EXPECT_EQ(decode_form("mbarrier.try_wait.parity.shared::cta.b64").op,
            Opcode::mbarrier_try_wait_parity);
  EXPECT_EQ(decode_form("cp.async.bulk.wait_group.read").op, Opcode::cp_async_bulk_wait_group);
  Form bulk = decode_form("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes");
  EXPECT_EQ(bulk.op, Opcode::cp_async_bulk);
  EXPECT_EQ(bulk.space2, Space::global);
  EXPECT_EQ(decode_form("cp.async.bulk.global.shared::cta.bulk_group").op, Opcode::cp_async_bulk);
  EXPECT_EQ(decode_form("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16").op,
            Opcode::cp_reduce_async_bulk);
  EXPECT_EQ(decode_form("cp.async.bulk.prefetch.L2.global.L2::cache_hint").op,
            Opcode::cp_async_bulk_prefetch);
  Form tensor = decode_form(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
      ".multicast::cluster.L2::cache_hint");
  EXPECT_EQ(tensor.op, Opcode::cp_async_bulk_tensor);
  EXPECT_EQ(tensor.dimensions, 4);
  EXPECT_EQ(tensor.mode, Mode::im2col);
  EXPECT_EQ(decode_form("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group").op,
            Opcode::cp_reduce_async_bulk_tensor);
  EXPECT_EQ(decode_form("cp.async.bulk.prefetch.tensor.3d.L2.global.tile").op,
            Opcode::cp_async_bulk_prefetch_tensor);
  EXPECT_EQ(decode_form("tensormap.replace.tile.global_address.shared::cta.b1024.b64").op,
            Opcode::tensormap_replace);
  EXPECT_EQ(decode_form("fence.acq_rel.gpu").op, Opcode::fence);
}

TEST(Forms, TextureNames) {
  for (const char* name :
       {"tex.2d.v2.f16x2.f32", "tex.2d.v4.f16.s32", "tex.base.cube.v4.f32.f32",
        "tex.grad.acube.v4.f32.f32", "tex.level.2d.v4.s32.s32", "tex.a2dms.v4.f32.s32",
        "tld4.g.acube.v4.f32.f32", "sust.p.a2d.v4.b32.clamp", "sust.p.2d.cg.v2.b32.trap",
        "tex.base.2dms.v4.f32.s32", "sured.p.or.3d.b32.zero", "txq.channel_order.b32",
        "txq.addr_mode_2.b32", "txq.level.depth.b32", "suq.memory_layout.b32",
        "istypep.samplerref"})
    EXPECT_NE(decode_form(name).op, Opcode::unsupported) << name;
  EXPECT_EQ(decode_form("tex.2dms.v4.f32.s32").geometry(), Geometry::d2ms);
}

TEST(Forms, ModifiersOfProducts) {
  EXPECT_TRUE(decode_form("fma.rn.oob.relu.bf16x2").has(FLAG_OOB));
  EXPECT_EQ(decode_form("mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64").rounding,
            Rounding::rz);
  for (const char* name : {"fma.rn.oob.f32", "fma.rn.oob.ftz.f16", "fma.rn.oob.sat.f16",
                           "fma.rz.oob.f16", "fma.oob.f16", "mul.rn.oob.f16", "fma.rn.oob.f32.f16",
                           "mma.sync.aligned.m16n8k8.row.col.rz.f32.f16.f16.f32",
                           "wgmma.mma_async.sync.aligned.m64n8k16.rz.f32.f16.f16"})
    EXPECT_EQ(decode_form(name).op, Opcode::unsupported) << name;
}

TEST(Forms, VideoNames) {
  const Form product = decode_form("vmad.s32.u32.s32.po.sat.shr15");
  EXPECT_EQ(product.op, Opcode::vmad);
  EXPECT_EQ(product.mode, Mode::shr15);
  EXPECT_TRUE(product.has(FLAG_PLUS_ONE));
  EXPECT_EQ(decode_form("vshr.s32.u32.u32.sat.wrap.min").operation, Operation::min);
  EXPECT_EQ(decode_form("vset.s32.u32.ge.max").compare, Compare::ge);
  EXPECT_EQ(decode_form("cvt.pack.sat.s2.s32.b32").types[0], Type::s2);
}

TEST(Forms, NamesOfNewerTargets) {
  EXPECT_EQ(decode_form("add.rz.ftz.f32x2").types[0], Type::f32x2);
  EXPECT_EQ(decode_form("fma.rn.sat.f32.bf16").type_count, 2);
  EXPECT_EQ(decode_form("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::"
                        "complete_tx::bytes")
                .mode,
            Mode::gather4);
  EXPECT_EQ(decode_form("clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128").op,
            Opcode::first_ctaid);
  for (const char* name :
       {"mul.f32.f16", "add.f32.s32", "add.ftz.f32.f16", "add.f16.f32", "fma.rn.relu.f32.f16",
        "add.f32.f32",
        "cp.async.bulk.tensor.3d.shared::cta.global.tile::gather4.mbarrier::"
        "complete_tx::bytes",
        "cp.async.bulk.tensor.2d.global.shared::cta.tile::gather4.bulk_group",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::scatter4.mbarrier::complete_tx::bytes",
        "clusterlaunchcontrol.try_cancel.async.shared::cta.b128",
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b64",
        "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.v4.b32.b128",
        "clusterlaunchcontrol.query_cancel.get_first_ctaid.b32.b128"})
    EXPECT_EQ(decode_form(name).op, Opcode::unsupported) << name;
}

TEST(Forms, FencesOfTheCluster) {
  EXPECT_EQ(decode_form("fence.acquire.sync_restrict::shared::cluster.cluster").space,
            Space::shared_cluster);
  EXPECT_EQ(decode_form("fence.release.sync_restrict::shared::cta.cluster").order, Order::release);
  EXPECT_EQ(decode_form("prefetch.param.tensormap").op, Opcode::prefetch);
  EXPECT_EQ(decode_form("ld.mmio.relaxed.sys.global.u32").op, Opcode::ld);
}

TEST(Forms, ConversionsByRandomBits) {
  for (const char* name : {"cvt.rs.f16x2.f32", "cvt.rs.relu.satfinite.bf16x2.f32",
                           "cvt.rs.satfinite.e4m3x4.f32", "cvt.rs.relu.satfinite.e2m1x4.f32"})
    EXPECT_EQ(decode_form(name).rounding, Rounding::rs) << name;
  for (const char* name : {"cvt.rs.f16.f32", "cvt.rs.e4m3x4.f32", "cvt.rn.satfinite.e4m3x4.f32",
                           "cvt.rs.satfinite.e4m3x4.f16", "cvt.rs.sat.f16x2.f32",
                           "cvt.rn.f16x2.e4m3x4", "cvt.rs.ftz.bf16x2.f32"})
    EXPECT_EQ(decode_form(name).op, Opcode::unsupported) << name;
}

TEST(Forms, MatricesOfNarrowElements) {
  const Form load = decode_form("ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32");
  EXPECT_EQ(load.op, Opcode::ldmatrix);
  EXPECT_EQ(load.matrix.a, Element::b6x16_p32);
  EXPECT_EQ(registers_of(Opcode::ldmatrix, load.matrix, 'd'), 2u);
  const Form square = decode_form("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16.b4x16_p64");
  EXPECT_EQ(registers_of(Opcode::ldmatrix, square.matrix, 'd'), 2u);
  const Form store = decode_form("stmatrix.sync.aligned.m16n8.x4.trans.shared.b8");
  EXPECT_EQ(store.op, Opcode::stmatrix);
  EXPECT_EQ(registers_of(Opcode::stmatrix, store.matrix, 'd'), 4u);
  for (const char* name : {"ldmatrix.sync.aligned.m8n16.x1.trans.shared.b8x16.b6x16_p32",
                           "ldmatrix.sync.aligned.m8n16.x1.shared.b8",
                           "ldmatrix.sync.aligned.m8n8.x1.shared.b8x16.b4x16_p64",
                           "ldmatrix.sync.aligned.m16n16.x4.trans.shared.b8",
                           "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b16",
                           "stmatrix.sync.aligned.m16n8.x1.shared.b8",
                           "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8x16.b4x16_p64",
                           "movmatrix.sync.aligned.m16n8.trans.b8"})
    EXPECT_EQ(decode_form(name).op, Opcode::unsupported) << name;
}

TEST(Forms, AsynchronousReleases) {
  EXPECT_EQ(decode_form("st.async.mmio.release.sys.global.b8").order, Order::release);
  EXPECT_EQ(decode_form("red.async.release.gpu.add.u64").operation, Operation::add);
  EXPECT_EQ(decode_form("st.async.mbarrier::complete_tx::bytes.b32").op, Opcode::st_async);
  for (const char* name :
       {"st.async.b32", "st.async.release.cta.b32", "st.async.release.gpu.shared::cluster.b32",
        "st.async.release.gpu.v2.b32", "st.async.mmio.relaxed.gpu.b32", "red.async.release.gpu.u32",
        "st.async.release.gpu.shared::cluster.mbarrier::complete_tx::bytes.b32"})
    EXPECT_EQ(decode_form(name).op, Opcode::unsupported) << name;
}

TEST(Forms, OtherNames) {
  EXPECT_EQ(decode_form("pmevent.mask").op, Opcode::pmevent);
  EXPECT_EQ(decode_form("membar.proxy.alias").op, Opcode::fence_proxy);
  EXPECT_EQ(decode_form("tensormap.replace.tile.swizzle_atomicity.global.b1024.b32").mode,
            Mode::swizzle_atomicity);
}

class UnsupportedForm : public testing::TestWithParam<const char*> {};

// Each has a missing part, a contradiction, or is not PTX at all.
TEST_P(UnsupportedForm, IsRefused) {
  EXPECT_EQ(decode_form(GetParam()).op, Opcode::unsupported);
  EXPECT_EQ(decode_form(GetParam()).text, GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Names, UnsupportedForm,
    testing::Values(
        "", ".", "..", "add", "add.", "add..s32", "add.s32.s32", "add.q32", "add.b32", "add.pred",
        "add.rn.s32", "add.ftz.u32", "add.rn.rz.f32", "mul.s32", "mul.wide.u64", "mul.lo.f32",
        "fma.f32", "setp.s32", "setp.lo.s32", "setp.equ.s32", "setp.lt.b32", "setp.lt.u32.extra",
        "cvt.s32.f32", "cvt.f32.s32", "cvt.f32.f64", "cvt.rn.f64.f32", "cvt.rni.f32.s32",
        "cvt.rn.s32.f32", "cvt.rn.u32.u64", "cvt.rn.f16x2.f16", "cvta.u64", "isspacep",
        "shfl.sync.b32", "shfl.sync.all.b32", "vote.sync.b32", "vote.sync.ballot.pred",
        "match.any.b32", "shf.b32", "prmt.up.b32", "testp.f32", "div.f32", "rcp.f32",
        "rcp.rn.approx.f32", "atom.global.u32", "red.global.u32", "membar", "fence", "bar",
        "bar.sync.popc", "call.rn", "ld.global.global.u32", "ld.v2.v4.u32", "ld.u32.f32.",
        "popc.u32", "wmma.mma.aligned.row.col.m16n16k16.f32.f32",
        "wmma.mma.sync.aligned.row.col.m16n16k8.f32.f32",
        "wmma.load.a.sync.aligned.row.m16n16k8.f16", "wmma.store.d.sync.aligned.m16n16k16.f32",
        "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32",
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16",
        "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.popc",
        "mma.sync.aligned.m16n8k99999999999.row.col.f32.f16.f16.f32",
        "mma.sp.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32",
        "ldmatrix.sync.aligned.m8n8.x3.shared.b16", "ldmatrix.sync.aligned.m8n8.x1",
        "ldmatrix.sync.aligned.m8n8.x1.global.b16", "movmatrix.sync.aligned.m8n8.b16",
        "stmatrix.sync.aligned.m16n16.x1.trans.shared.b8",
        "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16",
        "wgmma.mma_async.sync.aligned.m64n264k16.f32.f16.f16",
        "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8",
        "wgmma.mma_async.sync.aligned.m64n8k16.row.col.f32.f16.f16", "tex.2d.v4.f16x2.f32",
        "tex.2d.v2.f16.f32", "tld4.r.2d.v4.f16.f32", "tld4.r.2d.v2.f16x2.f32", "tex.2d.f32.f32",
        "tex.cube.v4.f32.s32", "tex.grad.2d.v4.f32.s32", "tld4.2d.v4.f32.f32",
        "tex.2dms.v4.f32.f32", "tex.level.2dms.v4.f32.s32", "tex.base.r.2d.v4.f32.f32",
        "tld4.r.3d.v4.f32.f32", "cvt.pack.s8.s32.b32", "cvt.pack.sat.s8.s32", "cvt.pack.sat.u4.s32",
        "cvt.pack.sat.u1.s32.b32", "ld.global.u4", "mov.s2", "vshl.u32.u32.u32",
        "vshl.u32.u32.s32.clamp", "vshr.s32.s32.u32.clamp.wrap", "vset.u32.s32", "vset.u32.s32.lo",
        "vadd.u32.u32", "vmad.u32.u32.u32.shr8", "vadd4.u32.u32.u32.sat.add",
        "vadd2.u32.u32.u32.min", "vset4.u32.u32.eq.max", "vadd.s32.s32.s32.xor",
        "fence.acquire.sync_restrict::shared::cta.cluster",
        "fence.release.sync_restrict::shared::cta.gpu",
        "fence.acq_rel.sync_restrict::shared::cluster.cluster", "istypep", "istypep.u32",
        "suq.num_samples.b32", "suq.normalized_coords.b32", "txq.level.array_size.b32",
        "txq.level.b32", "sust.p.cube.b32.trap", "sust.p.2d.b64.trap", "sust.p.2d.b32",
        "sured.p.2d.b32.trap", "sured.p.add.2d.u64.trap", "sured.p.add.a2d.b32.trap",
        "st.bulk.global", "st.bulk.relaxed", "multimem.red.global.u32",
        "multimem.ld_reduce.global.u32", "cvt.pack.sat.s16.s32.b32", "cvt.pack.sat.s32.s32",
        "suld.b.2d.v4.b64.trap", "suld.b.2d.b32", "suld.b.1d.v8.b8.trap", "sured.b.1d.u32.trap",
        "txq.b32", "tcgen05.fence", "mbarrier.init.shared.b32",
        "cp.async.bulk.tensor.6d.shared::cluster.global.mbarrier::complete_tx::bytes",
        "cp.async.bulk.tensor.shared::cluster.global.mbarrier::complete_tx::bytes",
        "cp.async.bulk.tensor.2d.global.shared::cta.im2col.bulk_group",
        "cp.async.bulk.tensor.4d.global.shared::cta.im2col.bulk_group",
        "tensormap.replace.tile.box_dim.global.b1024.b64",
        "cp.async.bulk.global.shared::cta.bulk_group.multicast::cluster",
        "cp.async.bulk.shared::cta.shared::cta.mbarrier::complete_tx::bytes",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.u32",
        "mbarrier.try_wait.shared::cluster.b64", "st.async.shared::cluster.u32",
        "red.async.shared::cluster.mbarrier::complete_tx::bytes.u32", "nonsense.f32"));

TEST(Forms, MatrixNames) {
  const Form product = decode_form("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32");
  EXPECT_EQ(product.op, Opcode::mma);
  EXPECT_EQ(product.matrix.m, 16);
  EXPECT_EQ(product.matrix.n, 8);
  EXPECT_EQ(product.matrix.k, 32);
  EXPECT_EQ(product.matrix.a, Element::u8);
  EXPECT_EQ(product.matrix.b, Element::s8);
  EXPECT_TRUE(product.matrix.saturates);
  EXPECT_EQ(registers_of(product.op, product.matrix, 'a'), 4u);
  EXPECT_EQ(registers_of(product.op, product.matrix, 'b'), 2u);
  const Form sparse =
      decode_form("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16");
  EXPECT_EQ(sparse.op, Opcode::mma_sp_ordered);
  EXPECT_EQ(registers_of(sparse.op, sparse.matrix, 'a'), 4u);
  EXPECT_EQ(registers_of(sparse.op, sparse.matrix, 'b'), 4u);
  EXPECT_EQ(registers_of(sparse.op, sparse.matrix, 'd'), 2u);
  const Form wide = decode_form("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16");
  EXPECT_EQ(wide.op, Opcode::wgmma_mma_async);
  EXPECT_EQ(registers_of(wide.op, wide.matrix, 'd'), 128u);
  EXPECT_EQ(decode_form("ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16").matrix.count, 4);
  EXPECT_EQ(decode_form("wmma.load.b.sync.aligned.col.m8n32k16.shared.s8").space, Space::shared);
}

TEST(Forms, EveryOpcodeIsReachableByItsName) {
  for (unsigned op = 1; op < static_cast<unsigned>(Opcode::count); ++op) {
    std::string_view name = spec_of(static_cast<Opcode>(op)).name;
    ASSERT_FALSE(name.empty());
    EXPECT_EQ(name_of(static_cast<Opcode>(op)), name);
  }
}

TEST(Forms, TypesHaveNamesAndSizes) {
  EXPECT_EQ(find_type("f32"), Type::f32);
  EXPECT_EQ(find_type("bf16x2"), Type::bf16x2);
  EXPECT_EQ(find_type("f33"), Type::none);
  EXPECT_EQ(find_type(""), Type::none);
  EXPECT_EQ(size_of(Type::b128), 16u);
  EXPECT_EQ(size_of(Type::pred), 0u);
  EXPECT_TRUE(is_signed(Type::s8));
  EXPECT_FALSE(is_signed(Type::u64));
  EXPECT_TRUE(is_float(Type::bf16));
  EXPECT_FALSE(is_float(Type::b32));
}

}  // namespace
}  // namespace cucore::ptx
