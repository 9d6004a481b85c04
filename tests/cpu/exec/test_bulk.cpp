// SPDX-License-Identifier: Apache-2.0
// mbarriers, bulk copies and reductions, and stores that report to an mbarrier of another block.
#include <gtest/gtest.h>

#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

const char* const BULK_MEMORY =
    ".shared .align 128 .b8 s[1024]; .shared .align 128 .b8 t[1024]; .shared .align 8 .b64 bar;\n";
// Makes the barrier `bar` for one arrival. %p1: the first thread.
const char* const INIT =
    "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 1;"
    "@%p1 fence.mbarrier_init.release.cluster; mov.u32 %r3, %cluster_ctarank;"
    "barrier.cluster.arrive; barrier.cluster.wait;\n";
const char* const WAIT =
    "\nwaits: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0; @!%p2 bra waits;\n";
const char* const BULK_SYNC = "barrier.cluster.arrive; barrier.cluster.wait;\n";

std::string bulk_text(std::initializer_list<const char*> parts) {
  std::string body;
  for (const char* part : parts) body += part;
  return kernel_text(body, BULK_MEMORY);
}

std::vector<unsigned> numbers(unsigned count, unsigned first) {
  std::vector<unsigned> values(count);
  for (unsigned i = 0; i < count; ++i) values[i] = first + i;
  return values;
}

// ---- mbarriers

TEST(Mbarriers, CountArrivalsAndDrops) {
  Array<unsigned> a(8);
  expect_success(run_text(
      bulk_text(
          {"mbarrier.init.shared.b64 [bar], 3;"
           "mbarrier.arrive.shared.b64 %rd2, [bar]; mbarrier.pending_count.b64 %r4, %rd2;"
           "st.global.u32 [%rd0], %r4;"
           "mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd3, [bar], 1;"
           "mbarrier.pending_count.b64 %r4, %rd3; st.global.u32 [%rd0+4], %r4;"
           "mbarrier.test_wait.shared.b64 %p1, [bar], %rd2; selp.u32 %r4, 1, 0, %p1;"
           "st.global.u32 [%rd0+8], %r4;"
           "mbarrier.arrive_drop.shared.b64 %rd4, [bar];"
           "mbarrier.test_wait.acquire.cta.shared.b64 %p1, [bar], %rd2; selp.u32 %r4, 1, 0, %p1;"
           "st.global.u32 [%rd0+12], %r4;"
           // the next phase waits for two arrivals
           "mbarrier.arrive.shared.b64 %rd2, [bar], 2; mbarrier.pending_count.b64 %r4, %rd2;"
           "st.global.u32 [%rd0+16], %r4;"
           "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1; selp.u32 %r4, 1, 0, %p1;"
           "st.global.u32 [%rd0+20], %r4; mbarrier.inval.shared.b64 [bar];"}),
      shape(1, 1), a.address()));
  EXPECT_EQ(a.values(), (std::vector<unsigned>{3, 2, 0, 1, 2, 1, 0, 0}));
}

TEST(Mbarriers, MistakesAreFaults) {
  const auto fault = [](const char* text, const char* part) {
    expect_fault(run_text(bulk_text({text}), shape(1, 1)), CUDA_ERROR_LAUNCH_FAILED,
                 {"invalid use of an mbarrier", part, "PTX line"});
  };
  fault("mbarrier.arrive.shared.b64 %rd2, [bar];", "not initialised");
  fault("mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;", "not initialised");
  fault(
      "mbarrier.init.shared.b64 [bar], 1; mbarrier.inval.shared.b64 [bar];"
      "mbarrier.arrive.shared.b64 %rd2, [bar];",
      "not initialised");
  fault("mbarrier.init.shared.b64 [bar], 0;", "a count that is 0 or too large");
  fault("mbarrier.init.shared.b64 [bar], 1048576;", "a count that is 0 or too large");
  fault("mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %rd2, [bar], 3;",
        "more arrivals than it waits for");
  fault("mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.noComplete.shared.b64 %rd2, [bar], 1;",
        ".noComplete completes the phase");
  fault(
      "mbarrier.init.shared.b64 [bar], 1; mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 1048575;"
      "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 1;",
      "too many bytes");
  Array<uint64_t> a(1);
  for (const char* elsewhere :
       {"mbarrier.init.b64 [%rd0], 1;", "mbarrier.init.global.b64 [%rd0], 1;",
        "mov.u64 %rd3, 1048576; mbarrier.init.local.b64 [%rd3], 1;"})
    expect_fault(run_text(bulk_text({elsewhere}), shape(1, 1), a.address()),
                 CUDA_ERROR_LAUNCH_FAILED, {"not in shared memory"});
  expect_fault(run_text(bulk_text({"mbarrier.init.shared.b64 [bar+4], 1;"}), shape(1, 1)),
               CUDA_ERROR_MISALIGNED_ADDRESS, {"mbarrier.init"});
}

// Blocks of a launch use the same memory one after another.
TEST(Mbarriers, EndWithTheirBlock) {
  expect_fault(
      run_text(bulk_text({"setp.eq.u32 %p1, %r2, 0; @%p1 mbarrier.init.shared.b64 [bar], 1;"
                          "mbarrier.arrive.shared.b64 %rd2, [bar];"}),
               shape(50, 1)),
      CUDA_ERROR_LAUNCH_FAILED, {"not initialised"});
}

TEST(Mbarriers, AreReachedFromOtherBlocks) {
  Array<unsigned> a(4);
  // Every thread of all blocks arrives at the barrier of block 2.
  expect_success(run_text(
      bulk_text({"setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 128;", BULK_SYNC,
                 "mov.u32 %r4, bar; mapa.shared::cluster.u32 %r5, %r4, 2;"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];"
                 "mov.u32 %r6, %cluster_ctarank; setp.ne.u32 %p3, %r6, 2; @%p3 bra done;",
                 WAIT, "@%p1 st.global.u32 [%rd0], 9;\ndone:", BULK_SYNC}),
      clusters(4, 32, 4), a.address()));
  EXPECT_EQ(a[0], 9u);
}

// ---- bulk copies

TEST(BulkCopies, ArriveAtTheirMbarrier) {
  Array<unsigned> a(numbers(256, 100)), b(256), c(256);
  // The first load is before the wait, and reads the old data.
  expect_success(run_text(
      bulk_text({"mov.u32 %r4, s; mad.lo.u32 %r4, %r1, 4, %r4; st.shared.u32 [%r4], 5;", INIT,
                 "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar], 1024;"
                 "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], "
                 "[%rd0], 1024,"
                 " [bar]; bar.sync 0; ld.shared.u32 %r5, [%r4]; bar.sync 0;",
                 WAIT,
                 "ld.shared.u32 %r6, [%r4]; add.u32 %r6, %r6, %r5; mul.wide.u32 %rd3, %r1, 4;"
                 "add.s64 %rd3, %rd3, %rd1; st.global.u32 [%rd3], %r6;"}),
      shape(1, 256), a.address(), b.address()));
  for (unsigned i = 0; i < 256; ++i) ASSERT_EQ(b[i], 105 + i) << i;
}

TEST(BulkCopies, ToGlobalMemoryBelongToGroups) {
  Array<unsigned> a(256), b(4);
  const char* const fill =
      "mov.u32 %r4, s; mad.lo.u32 %r4, %r1, 4, %r4; st.shared.u32 [%r4], %r1; bar.sync 0;"
      "setp.ne.u32 %p1, %r1, 0; @%p1 exit;"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [s], 512; cp.async.bulk.commit_group;"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd0+512], [s+512], 512;"
      "cp.async.bulk.commit_group;";
  // After .read, the source may change; the data is in global memory after the wait.
  expect_success(run_text(
      bulk_text(
          {fill,
           "cp.async.bulk.wait_group.read 0; st.shared.u32 [s], 77; st.shared.u32 [s+512], 77;"
           "ld.global.u32 %r5, [%rd0+4]; cp.async.bulk.wait_group 1;"
           "ld.global.u32 %r6, [%rd0+4]; ld.global.u32 %r7, [%rd0+516];"
           "st.global.v4.u32 [%rd1], {%r5,%r6,%r7,%r7};"}),
      shape(1, 256), a.address(), b.address()));
  EXPECT_EQ(a.values(), numbers(256, 0));
  EXPECT_EQ(b.values(), (std::vector<unsigned>{0, 1, 0, 0}));
  // Without .read, the copy reads its source in the wait.
  expect_success(run_text(bulk_text({fill, "st.shared.u32 [s], 77; cp.async.bulk.wait_group 0;"}),
                          shape(1, 256), a.address(), b.address()));
  EXPECT_EQ(a[0], 77u);
  // A thread that exits leaves its copies to the end of the block.
  expect_success(run_text(bulk_text({fill}), shape(1, 256), a.address(), b.address()));
  EXPECT_EQ(a.values(), numbers(256, 0));
}

TEST(BulkCopies, GoToOtherBlocks) {
  Array<unsigned> a(numbers(256, 100)), b(4 * 256);
  // Block 1 sends to all blocks: each receives the same bytes at the same place.
  expect_success(run_text(
      bulk_text(
          {INIT,
           "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar], 1024; mov.u16 %rs1, 13;"
           "setp.eq.and.u32 %p3, %r3, 1, %p1; setp.eq.and.u32 %p4, %r3, 0, %p1;"
           "@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
           ".multicast::cluster [s], [%rd0], 1024, [bar], %rs1;"
           // block 0 sends its copy to block 1
           "setp.eq.u32 %p5, %r3, 0; @!%p5 bra rest;",
           WAIT,
           "mov.u32 %r4, s; mapa.shared::cluster.u32 %r5, %r4, 1; mov.u32 %r4, bar;"
           "mapa.shared::cluster.u32 %r6, %r4, 1; fence.proxy.async;"
           "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
           " [%r5], [s], 1024, [%r6];\nrest: ",
           "waits2: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0, 1000; @!%p2 bra waits2;"
           "mov.u32 %r4, s; mad.lo.u32 %r4, %r1, 4, %r4; ld.shared.u32 %r7, [%r4];"
           "mad.lo.u32 %r8, %r3, 256, %r1; mul.wide.u32 %rd3, %r8, 4; add.s64 %rd3, %rd3, %rd1;"
           "st.global.u32 [%rd3], %r7;",
           BULK_SYNC}),
      clusters(4, 256, 4), a.address(), b.address()));
  for (unsigned i = 0; i < b.size(); ++i) ASSERT_EQ(b[i], 100 + i % 256) << i;
}

TEST(BulkCopies, CopySomeBytesOfEach16) {
  Array<unsigned> a(64, 0);
  expect_success(run_text(
      bulk_text({"mov.u32 %r4, s; mad.lo.u32 %r4, %r1, 4, %r4; st.shared.u32 [%r4], -1; bar.sync 0;"
                 "setp.ne.u32 %p1, %r1, 0; @%p1 exit; mov.u16 %rs1, 0x810F;"
                 "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd0], [s], 256, %rs1;"
                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"}),
      shape(1, 64), a.address()));
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned expected[] = {~0u, 0, 0xFF, 0xFF000000};
    ASSERT_EQ(a[i], expected[i % 4]) << i;
  }
}

TEST(BulkCopies, AreChecked) {
  Array<unsigned> a(256);
  const auto fault = [&](const char* text, CUresult code, const char* part) {
    expect_fault(run_text(bulk_text({INIT, text}), clusters(2, 1, 2), a.address()), code,
                 {part, "PTX line"});
  };
#define LOAD "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
  fault(LOAD "[s], [%rd0], 1040, [bar];", CUDA_ERROR_ILLEGAL_ADDRESS, "read 1040 bytes");
  fault(LOAD "[s+2048], [%rd0], 1024, [bar];", CUDA_ERROR_ILLEGAL_ADDRESS, "shared memory");
  fault(LOAD "[s], [%rd0+8], 16, [bar];", CUDA_ERROR_MISALIGNED_ADDRESS, "multiples of 16");
  fault(LOAD "[s], [%rd0], 24, [bar];", CUDA_ERROR_MISALIGNED_ADDRESS, "multiples of 16");
  fault(LOAD "[s], [%rd0], 16, [t];", CUDA_ERROR_LAUNCH_FAILED, "not initialised");
  fault(
      "mov.u16 %rs1, 4; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [s], [%rd0], 16, [bar], %rs1;",
      CUDA_ERROR_ILLEGAL_ADDRESS, "in a cluster of 2 blocks");
  fault(
      "mov.u32 %r4, s; mapa.shared::cluster.u32 %r5, %r4, 1; mov.u32 %r4, bar;"
      "mapa.shared::cluster.u32 %r6, %r4, 1; setp.eq.u32 %p3, %r3, 0;"
      "@%p3 " LOAD "[%r5], [%rd0], 16, [%r6];",
      CUDA_ERROR_ILLEGAL_ADDRESS, "of block rank 1, which has exited");
#undef LOAD
}

// The queue of a cluster is bounded: its oldest copies complete early.
TEST(BulkCopies, AreBoundedInNumber) {
  Array<unsigned> a(4 * 256);
  expect_success(run_text(
      bulk_text({"mul.wide.u32 %rd3, %r2, 1024; add.s64 %rd0, %rd0, %rd3; mov.u32 %r4, 0;\nagain: "
                 "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [s], 1024;"
                 "cp.async.bulk.commit_group; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 3000;"
                 "@%p1 bra again; cp.async.bulk.wait_group 0;"}),
      shape(4, 32), a.address()));
}

// ---- reductions

template <class T>
std::vector<T> reduced(const char* type_and_operation, T in_memory, T in_block) {
  constexpr unsigned COUNT = 64 / sizeof(T);
  Array<T> a(std::vector<T>(COUNT, in_memory)), b(std::vector<T>(COUNT, in_block));
  const std::string reduce =
      std::string("cp.reduce.async.bulk.global.shared::cta.bulk_group.") + type_and_operation +
      " [%rd0], [s], 64; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
  expect_success(run_text(
      bulk_text(
          {"ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd1]; st.shared.v4.u32 [s], {%r4,%r5,%r6,%r7};"
           "st.shared.v4.u32 [s+16], {%r4,%r5,%r6,%r7}; st.shared.v4.u32 [s+32], {%r4,%r5,%r6,%r7};"
           "st.shared.v4.u32 [s+48], {%r4,%r5,%r6,%r7};",
           reduce.c_str()}),
      shape(1, 1), a.address(), b.address()));
  return a.values();
}

template <class T>
void expect_reduced(const char* operation, T a, T b, T result) {
  EXPECT_EQ(reduced(operation, a, b), std::vector<T>(64 / sizeof(T), result)) << operation;
}

TEST(BulkReductions, CombineEveryType) {
  expect_reduced<unsigned>("add.u32", 7, 5, 12);
  expect_reduced<unsigned>("min.u32", 7, ~0u, 7);
  expect_reduced<unsigned>("max.u32", 7, ~0u, ~0u);
  expect_reduced<unsigned>("inc.u32", 7, 7, 0);
  expect_reduced<unsigned>("dec.u32", 7, 9, 6);
  expect_reduced<unsigned>("and.b32", 12, 10, 8);
  expect_reduced<unsigned>("or.b32", 12, 10, 14);
  expect_reduced<unsigned>("xor.b32", 12, 10, 6);
  expect_reduced<int>("add.s32", -7, 5, -2);
  expect_reduced<int>("min.s32", -7, 5, -7);
  expect_reduced<int>("max.s32", -7, 5, 5);
  expect_reduced<uint64_t>("add.u64", 1ull << 40, 5, (1ull << 40) + 5);
  expect_reduced<uint64_t>("min.u64", 1ull << 40, 5, 5);
  expect_reduced<int64_t>("max.s64", -1, 5, 5);
  expect_reduced<int64_t>("min.s64", -1, 5, -1);
  expect_reduced<uint64_t>("xor.b64", 3ull << 40, 1ull << 40, 2ull << 40);
  expect_reduced<float>("add.f32", 1.5f, 2.25f, 3.75f);
  expect_reduced<double>("add.f64", 1.5, 2.25, 3.75);
  expect_reduced<uint16_t>("add.noftz.f16", 0x3C00, 0x4000, 0x4200);
  expect_reduced<uint16_t>("min.f16", 0x3C00, 0xC000, 0xC000);
  expect_reduced<uint16_t>("max.f16", 0x7E00, 0xC000, 0xC000);
  expect_reduced<uint16_t>("max.f16", 0x8000, 0x0000, 0x0000);
  expect_reduced<uint16_t>("add.noftz.bf16", 0x3F80, 0x4000, 0x4040);
  expect_reduced<uint16_t>("max.bf16", 0x3F80, 0x4000, 0x4000);
}

TEST(BulkReductions, InOtherBlocksReportToTheirMbarrier) {
  Array<unsigned> a(64);
  expect_success(run_text(
      bulk_text(
          {"mov.u32 %r4, s; mad.lo.u32 %r4, %r1, 4, %r4; st.shared.u32 [%r4], %r1;"
           "st.shared.u32 [%r4+1024], 1000;",
           INIT,
           "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar], 256; fence.proxy.async;"
           "xor.b32 %r5, %r3, 1; mov.u32 %r6, t; mapa.shared::cluster.u32 %r6, %r6, %r5;"
           "mov.u32 %r7, bar; mapa.shared::cluster.u32 %r7, %r7, %r5;"
           "@%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
           ".add.u32 [%r6], [s], 256, [%r7];",
           WAIT,
           "ld.shared.u32 %r8, [%r4+1024]; mul.wide.u32 %rd3, %r1, 4;"
           "add.s64 %rd3, %rd3, %rd0; red.global.add.u32 [%rd3], %r8;",
           BULK_SYNC}),
      clusters(2, 64, 2), a.address()));
  for (unsigned i = 0; i < 64; ++i) ASSERT_EQ(a[i], 2 * (1000 + i)) << i;
}

// ---- st.async, red.async

TEST(AsyncStores, ReportTheirBytes) {
  Array<unsigned> a(2 * 32);
  expect_success(run_text(
      bulk_text(
          {"mov.u32 %r4, s; mad.lo.u32 %r4, %r1, 32, %r4; st.shared.v4.u32 [%r4], {1, 1, 1, 1};"
           "st.shared.u64 [%r4+16], 5;",
           INIT,
           "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar], 896;"
           "xor.b32 %r5, %r3, 1; mapa.shared::cluster.u32 %r6, %r4, %r5;"
           "mov.u32 %r7, bar; mapa.shared::cluster.u32 %r7, %r7, %r5;"
           "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%r6],"
           " {%r1, 20, 30, 40}, [%r7]; mov.u64 %rd3, 7;"
           "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64"
           " [%r6+16], %rd3, [%r7];"
           "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32"
           " [%r6], 8, [%r7]; ld.shared.u32 %r8, [%r4];",
           WAIT,
           "ld.shared.v4.u32 {%r9,%r10,%r11,%r12}, [%r4]; ld.shared.u32 %r13, [%r4+16];"
           "add.u32 %r9, %r9, %r10; add.u32 %r9, %r9, %r11; add.u32 %r9, %r9, %r12;"
           "mad.lo.u32 %r9, %r13, 1000, %r9; mad.lo.u32 %r9, %r8, 100000, %r9;"
           "mad.lo.u32 %r14, %r3, 32, %r1; mul.wide.u32 %rd4, %r14, 4;"
           "add.s64 %rd4, %rd4, %rd0; st.global.u32 [%rd4], %r9;",
           BULK_SYNC}),
      clusters(2, 32, 2), a.address()));
  for (unsigned i = 0; i < 64; ++i)
    ASSERT_EQ(a[i], 100000 + 12000 + 90 + std::max(8u, i % 32)) << i;
}

// Each block writes to the other one by generic addresses.
TEST(AsyncStores, TakeGenericAddresses) {
  Array<unsigned> a(2);
  expect_success(run_text(
      bulk_text({"mov.u32 %r4, s; st.shared.v2.u32 [%r4], {1, 2};", INIT,
                 "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar], 8;"
                 "xor.b32 %r5, %r3, 1; cvta.shared.u64 %rd3, s; mapa.u64 %rd3, %rd3, %r5;"
                 "cvta.shared.u64 %rd4, bar; mapa.u64 %rd4, %rd4, %r5; add.u32 %r6, %r3, 50;"
                 "@%p1 st.async.mbarrier::complete_tx::bytes.u32 [%rd3], %r6, [%rd4];"
                 "@%p1 red.async.relaxed.cluster.mbarrier::complete_tx::bytes.add.u32"
                 " [%rd3+4], 100, [%rd4];",
                 WAIT,
                 "ld.shared.v2.u32 {%r9,%r10}, [%r4]; mad.lo.u32 %r9, %r10, 1000, %r9;"
                 "mul.wide.u32 %rd5, %r3, 4; add.s64 %rd5, %rd5, %rd0;"
                 "@%p1 st.global.u32 [%rd5], %r9;",
                 BULK_SYNC}),
      clusters(2, 32, 2), a.address()));
  EXPECT_EQ(a.values(), (std::vector<unsigned>{102051, 102050}));
}

TEST(AsyncStores, ReachSharedMemoryAlone) {
  Array<unsigned> a(2);
  expect_fault(
      run_text(bulk_text({INIT,
                          "cvta.shared.u64 %rd4, bar;"
                          "@%p1 st.async.mbarrier::complete_tx::bytes.u32 [%rd0], 1, [%rd4];"}),
               clusters(1, 32, 1), a.address()),
      CUDA_ERROR_ILLEGAL_ADDRESS, {"is not in shared memory", "st.async"});
}

// Releases to global memory have no mbarrier.
TEST(AsyncStores, ReleaseToGlobalMemory) {
  Array<unsigned> a(8);
  expect_success(
      run_text(kernel_text("st.async.release.gpu.global.u32 [%rd0], 5; mov.u64 %rd2, 7;"
                           "st.async.mmio.release.sys.b64 [%rd0+8], %rd2; mov.u16 %rs1, 9;"
                           "st.async.release.gpu.b16 [%rd0+16], %rs1;"
                           "red.async.release.gpu.global.add.u32 [%rd0+20], 3;"
                           "red.async.mmio.release.sys.max.u32 [%rd0+24], 4;"
                           "red.async.release.gpu.xor.b32 [%rd0+28], 6;"),
               shape(1, 2), a.address()));
  EXPECT_EQ(a.values(), (std::vector<unsigned>{5, 0, 7, 0, 9, 6, 4, 0}));
}

}  // namespace
}  // namespace cucore::cpu::test
