# SPDX-License-Identifier: Apache-2.0
"""Kernels of one PTX instruction each, with the class of machine instructions that they must have."""
TURING, AMPERE, HOPPER, BLACKWELL = ["sm_75"], ["sm_80", "sm_86", "sm_89"], ["sm_90a"], ["sm_100a", "sm_103a", "sm_120a"]
EVERY = TURING + AMPERE + HOPPER + BLACKWELL
FROM_80 = AMPERE + HOPPER + BLACKWELL
FROM_90 = HOPPER + BLACKWELL
REGISTERS = """
.reg .b16 h<9>; .reg .b32 r<9>; .reg .b64 l<9>; .reg .f32 f<9>; .reg .f64 d<9>; .reg .pred p<9>; .reg .b32 c<99>;
mov.u32 r8, %tid.x; mad.wide.u32 l8, r8, 64, %1; ld.global.v4.u32 {r0, r1, r2, r3}, [l8]; ld.global.v2.u64 {l0, l1}, [l8+16];
mov.b32 f0, r0; mov.b32 f1, r1; mov.b32 f2, r2; mov.b64 d0, l0; mov.b64 d1, l1; mov.b64 d2, {r2, r3}; cvt.u16.u32 h0, r0; cvt.u16.u32 h1, r1;
setp.gt.s32 p0, r0, r1; mov.u32 r4, r0; mov.f32 f4, f0; mov.f64 d4, d0; mov.b16 h4, h0; mov.b64 l4, l0;
"""
END = """
mov.b32 r5, f4; mov.b64 l5, d4; cvt.u32.u16 r6, h4; st.global.v4.u32 [l8+32], {r4, r5, r6, r3}; st.global.v2.u64 [l8+48], {l4, l5};
"""
# (PTX, class, architectures)
PROBES = [
    ("add.f32 f4, f0, f1;", "f32", EVERY), ("mul.f32 f4, f0, f1;", "f32", EVERY), ("fma.rn.f32 f4, f0, f1, f2;", "f32", EVERY),
    ("min.f32 f4, f0, f1;", "f32", EVERY), ("setp.lt.f32 p1, f0, f1; selp.b32 r4, r1, r2, p1;", "f32", EVERY),
    ("add.f64 d4, d0, d1;", "f64", EVERY), ("mul.f64 d4, d0, d1;", "f64", EVERY), ("fma.rn.f64 d4, d0, d1, d2;", "f64", EVERY),
    ("setp.lt.f64 p1, d0, d1; selp.b32 r4, r1, r2, p1;", "f64", EVERY),
    ("add.f16x2 r4, r0, r1;", "f16", EVERY), ("mul.f16x2 r4, r0, r1;", "f16", EVERY), ("fma.rn.f16x2 r4, r0, r1, r2;", "f16", EVERY),
    ("fma.rn.bf16x2 r4, r0, r1, r2;", "f16", FROM_80), ("min.f16x2 r4, r0, r1;", "f16", FROM_80),
    ("mul.lo.u32 r4, r0, r1;", "integer", EVERY), ("mul.wide.u32 l4, r0, r1; mul.wide.u32 l5, r1, r2; xor.b64 l4, l4, l5;", "integer", EVERY), ("popc.b32 r4, r0; popc.b32 r5, r1; mul.lo.u32 r4, r4, r5;", "integer", EVERY),
    ("clz.b32 r4, r0;", "integer", EVERY), ("brev.b32 r4, r0; brev.b32 r5, r1; mul.lo.u32 r4, r4, r5;", "integer", EVERY), ("prmt.b32 r4, r0, r1, r2;", "integer", EVERY),
    ("shf.l.wrap.b32 r4, r0, r1, r2;", "integer", EVERY), ("min.s32 r4, r0, r1;", "integer", EVERY), ("dp4a.u32.u32 r4, r0, r1, r2;", "integer", EVERY),
    ("bfe.u32 r4, r0, 3, 5;", "integer", EVERY), ("abs.s32 r4, r0; abs.s32 r5, r1; mul.lo.u32 r4, r4, r5;", "integer", EVERY), ("sad.u32 r4, r0, r1, r2;", "integer", EVERY),
    ("cvt.rzi.s32.f32 r4, f0;", "conversion", EVERY), ("cvt.rn.f32.s32 f4, r0;", "conversion", EVERY), ("cvt.f64.f32 d4, f0;", "conversion", EVERY),
    ("cvt.rn.f32.f64 f4, d0;", "conversion", EVERY), ("cvt.rn.f64.s64 d4, l0;", "conversion", EVERY), ("cvt.rzi.s64.f64 l4, d0;", "conversion", EVERY),
    ("cvt.rn.f16.f32 h4, f0;", "conversion", EVERY), ("cvt.rni.f32.f32 f4, f0;", "conversion", EVERY),
    ("cvt.rn.bf16x2.f32 r4, f0, f1;", "conversion", FROM_80), ("cvt.rn.satfinite.e4m3x2.f32 h4, f0, f1;", "conversion", ["sm_89"] + FROM_90),
    ("rsqrt.approx.ftz.f32 f4, f0;", "special", EVERY), ("ex2.approx.ftz.f32 f4, f0;", "special", EVERY), ("sin.approx.f32 f4, f0;", "special", EVERY),
    ("tanh.approx.f32 f4, f0;", "special", EVERY),
    ("ld.global.u32 r4, [l0];", "load_global", EVERY), ("st.global.u32 [l0], r1;", "store_global", EVERY),
    ("ld.shared.u32 r4, [r0];", "load_shared", EVERY), ("st.shared.u32 [r0], r1;", "store_shared", EVERY),
    ("ld.u32 r4, [l0];", "load_generic", EVERY), ("st.u32 [l0], r1;", "store_generic", EVERY),
    ("ld.global.nc.v4.u32 {r4, r5, r6, r7}, [l0];", "load_global", EVERY),
    ("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r4, r5, r6, r7}, [r0];", "load_shared", EVERY),
    ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [r0], {r1};", "store_shared", FROM_90),
    ("atom.global.add.u32 r4, [l0], r1;", "atomic", EVERY), ("red.global.add.u32 [l0], r1;", "atomic", EVERY),
    ("red.global.add.f32 [l0], f1;", "atomic", EVERY), ("atom.global.add.f32 f4, [l0], f1;", "atomic", EVERY),
    ("atom.global.add.noftz.f16x2 r4, [l0], r1;", "atomic", EVERY), ("atom.global.add.f64 d4, [l0], d1;", "atomic", EVERY),
    ("atom.shared.add.u32 r4, [r0], r1;", "atomic", EVERY), ("atom.global.cas.b32 r4, [l0], r1, r2;", "atomic", EVERY),
    ("atom.shared.cas.b32 r4, [r0], r1, r2;", "atomic", EVERY), ("atom.add.u32 r4, [l0], r1;", "atomic", EVERY),
    ("atom.global.cas.b64 l4, [l0], l1, l1;", "atomic", EVERY), ("red.global.add.v2.f32 [l0], {f0, f1};", "atomic", FROM_90),
    ("shfl.sync.idx.b32 r4, r0, r1, 31, -1;", "shuffle", EVERY), ("vote.sync.ballot.b32 r4, p0, -1;", "shuffle", EVERY),
    ("match.any.sync.b32 r4, r0, -1;", "shuffle", EVERY), ("redux.sync.add.u32 r4, r0, -1;", "shuffle", FROM_80),
    ("elect.sync r4|p1, -1;", "shuffle", FROM_90), ("movmatrix.sync.aligned.m8n8.trans.b16 r4, r0;", "shuffle", EVERY),
    ("bar.sync 0;", "barrier", EVERY), ("membar.gl;", "barrier", EVERY), ("bar.warp.sync r0;", "barrier", FROM_80),
    ("bar.red.popc.u32 r4, 0, p0;", "barrier", EVERY), ("fence.proxy.async;", "barrier", FROM_90),
    ("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;", "barrier", FROM_90),
    ("mbarrier.init.shared.b64 [r0], 1;", "barrier", FROM_90), ("mbarrier.arrive.shared.b64 l4, [r0];", "barrier", FROM_90),
    ("mbarrier.try_wait.parity.shared.b64 p1, [r0], r1; selp.b32 r4, r1, r2, p1;", "barrier", FROM_90),
    ("mbarrier.arrive.expect_tx.shared.b64 l4, [r0], r1;", "barrier", FROM_90),
    ("cp.async.ca.shared.global [r0], [l0], 16;", "copy", FROM_80), ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r0], [l0], 16, [r1];", "copy", FROM_90),
    ("cp.async.bulk.global.shared::cta.bulk_group [l0], [r0], 16;", "copy", FROM_90),
    ("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [r0], [l0, {r1, r2}], [r3];", "copy", FROM_90),
    ("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [l0, {r1, r2}], [r0];", "copy", FROM_90),
    ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f4, f5, f6, f7}, {r0, r1}, {r2}, {f0, f1, f2, f0};", "matrix", EVERY),
    ("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {r4, r5}, {r0}, {r1}, {r2, r3};", "matrix", EVERY),
    ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d4, d5}, {d0}, {d1}, {d0, d1};", "matrix", FROM_80),
    ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {f4, f5, f6, f7}, {r0, r1, r2, r3}, {r0, r1}, {f0, f1, f2, f0};", "matrix", FROM_80),
    ("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f4, f5, f6, f7}, l0, l1, 1, 1, 1, 0, 0;", "matrix", HOPPER),
    ("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {r4, r5, r6, r7}, l0, l1, 1;", "matrix", HOPPER),
    ("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {f4, f5, f6, f7}, l0, l1, 1, 1, 1;", "matrix", HOPPER),
    ("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {f4, f5, f6, f7}, {r0, r1, r2, r3}, {r0, r1}, {f0, f1, f2, f0};", "matrix",
     ["sm_89"] + FROM_90),
    ("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32 {f4, f5, f6, f7}, {r0, r1, r2, r3}, {r0, r1}, {f0, f1, f2, f0};", "matrix",
     ["sm_120a"]),
    ("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {f4, f5, f6, f7}, {r0, r1, r2, r3}, {r0, r1, r2, r3}, {f0, f1, f2, f0}, r0, 0;", "matrix",
     FROM_80),
    ("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {r4, r5}, {r0}, {r1}, {r2, r3};", "matrix", TURING + AMPERE),
    ("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", "barrier", HOPPER),
    ("griddepcontrol.wait;", "barrier", FROM_90), ("griddepcontrol.launch_dependents;", "other", FROM_90),
    ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [l0], [r0], 16;", "copy", FROM_90),
    ("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [l0, {r1, r2}], [r0];", "copy", FROM_90),
    ("cp.async.bulk.prefetch.L2.global [l0], 16;", "copy", FROM_90), ("cp.async.bulk.prefetch.tensor.2d.L2.global [l0, {r1, r2}];", "copy", FROM_90),
    ("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;", "barrier", FROM_90), ("cp.async.commit_group; cp.async.wait_group 0;", "barrier", FROM_80),
    ("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [r0], r1, [r2];", "copy", FROM_90),
    ("prefetch.global.L2 [l0];", "other", EVERY),
    ("fma.rn.f32x2 l4, l0, l1, l0;", "f32", ["sm_100a", "sm_103a"]), ("add.rn.f32x2 l4, l0, l1;", "f32", ["sm_100a", "sm_103a"]),
    ("mul.rn.f32x2 l4, l0, l1;", "f32", ["sm_100a", "sm_103a"]), ("redux.sync.min.f32 f4, f0, -1;", "shuffle", ["sm_100a", "sm_103a"]),
    ("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [r0], 128;", "other", ["sm_100a", "sm_103a"]),
    ("tcgen05.dealloc.cta_group::1.sync.aligned.b32 r0, 128;", "other", ["sm_100a", "sm_103a"]),
    ("tcgen05.mma.cta_group::1.kind::f16 [r0], l0, l1, r1, p0;", "matrix", ["sm_100a", "sm_103a"]),
    ("tcgen05.mma.cta_group::1.kind::i8 [r0], l0, l1, r1, p0;", "matrix", ["sm_100a"]),
    ("tcgen05.mma.cta_group::1.kind::f8f6f4 [r0], l0, l1, r1, p0;", "matrix", ["sm_100a", "sm_103a"]),
    ("tcgen05.ld.sync.aligned.32x32b.x1.b32 {r4}, [r0]; tcgen05.wait::ld.sync.aligned;", "copy", ["sm_100a", "sm_103a"]),
    ("tcgen05.st.sync.aligned.32x32b.x1.b32 [r0], {r1}; tcgen05.wait::st.sync.aligned;", "copy", ["sm_100a", "sm_103a"]),
    ("tcgen05.cp.cta_group::1.128x256b [r0], l0;", "copy", ["sm_100a", "sm_103a"]),
    ("tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [l0];", "barrier", ["sm_100a", "sm_103a"]),
    ("tcgen05.fence::before_thread_sync;", None, ["sm_100a", "sm_103a"]),
    ("mov.u32 r4, %smid;", "other", EVERY), ("nanosleep.u32 r0;", "other", EVERY), ("mov.u64 l4, %clock64;", "other", EVERY),
    ("@p0 bra AROUND; st.global.u32 [l0], r1; st.global.u32 [l1], r2; bar.warp.sync -1; AROUND:", "branch", EVERY),
]


def kernel(ptx, name="k"):
    text = (REGISTERS + ptx + END).replace("\n", " ")
    return f'extern "C" __global__ void {name}(void* data) {{ asm volatile("{{ {text} }}" :: "n"(0), "l"(data) : "memory"); }}\n'


def module(arch):
    """Returns a source with the kernels of all probes for an architecture."""
    return "".join(kernel(ptx, f"k{at}") for at, (ptx, _, archs) in enumerate(PROBES) if arch in archs)
