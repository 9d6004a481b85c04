// SPDX-License-Identifier: Apache-2.0
// Clusters: places of blocks, the barrier, and the shared memory of other blocks.
#include <gtest/gtest.h>

#include "corpus.hpp"
#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

const char* const CLUSTER_MEMORY = ".shared .align 16 .b8 s[64];\n";
const char* const OWN_WORD =  // %rd2 is the thread's word of a, %r3 is %ctaid.x * %ntid.x + %tid.x
    "mov.u32 %r9, %ntid.x; mad.lo.s32 %r3, %r2, %r9, %r1; mul.wide.u32 %rd2, %r3, 4;"
    "add.s64 %rd2, %rd2, %rd0;\n";
const char* const SYNC = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";

std::string cluster_text(std::initializer_list<const char*> parts) {
  std::string body;
  for (const char* part : parts) body += part;
  return kernel_text(body, CLUSTER_MEMORY);
}

TEST(ClusterKernels, ReadTheSharedMemoryOfTheirNeighbour) {
  Array<float> o(128);
  const auto module = load_kernel_file("53_cluster", 90);
  expect_success(launch(*module->find_kernel("k"), clusters(4, 32, 2), nullptr, o));
  for (size_t i = 0; i < 128; ++i) EXPECT_EQ(o[i], float((i / 32 & 1) ^ 1)) << i;
}

TEST(ClusterKernels, KnowTheirPlace) {
  const std::string text = kernel_text(
      "mov.u32 %r4, %ctaid.y; mov.u32 %r5, %nctaid.x; mad.lo.s32 %r3, %r4, %r5, %r2;"
      "mul.wide.u32 %rd2, %r3, 64; add.s64 %rd2, %rd2, %rd0;"
      "mov.u32 %r4, %cluster_ctaid.x; st.global.u32 [%rd2], %r4;"
      "mov.u32 %r4, %cluster_ctaid.y; st.global.u32 [%rd2+4], %r4;"
      "mov.u32 %r4, %cluster_nctaid.x; st.global.u32 [%rd2+8], %r4;"
      "mov.u32 %r4, %cluster_nctaid.y; st.global.u32 [%rd2+12], %r4;"
      "mov.u32 %r4, %cluster_ctarank; st.global.u32 [%rd2+16], %r4;"
      "mov.u32 %r4, %cluster_nctarank; st.global.u32 [%rd2+20], %r4;"
      "mov.u32 %r4, %clusterid.x; st.global.u32 [%rd2+24], %r4;"
      "mov.u32 %r4, %clusterid.y; st.global.u32 [%rd2+28], %r4;"
      "mov.u32 %r4, %nclusterid.x; st.global.u32 [%rd2+32], %r4;"
      "mov.u32 %r4, %nclusterid.y; st.global.u32 [%rd2+36], %r4;"
      "mov.pred %p1, %is_explicit_cluster; selp.u32 %r4, 1, 0, %p1; st.global.u32 [%rd2+40], %r4;");
  Shape s = clusters(6, 1, 3);
  s.grid[1] = 4;
  s.cluster[1] = 2;
  Array<unsigned> a(24 * 16, 99);
  expect_success(run_text(text, s, a.address()));
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 6; ++x) {
      const unsigned* o = &a[(y * 6 + x) * 16];
      const std::vector<unsigned> got(o, o + 11);
      EXPECT_EQ(got, (std::vector<unsigned>{x % 3, y % 2, 3, 2, x % 3 + y % 2 * 3, 6, x / 3, y / 2,
                                            2, 2, 1}))
          << x << "," << y;
    }
  expect_success(run_text(text, shape(6, 1), a.address()));
  EXPECT_EQ(a[5 * 16 + 6], 5u);  // without clusters, each block is one
  EXPECT_EQ(a[5 * 16 + 5], 1u);
  EXPECT_EQ(a[5 * 16 + 10], 0u);
}

// Each thread adds to a counter of block 0, by all kinds of addresses.
TEST(ClusterKernels, UpdateTheSharedMemoryOfABlock) {
  const std::string text = cluster_text(
      {"setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.v4.u32 [s], {0, 0, 0, 0};", SYNC,
       "mov.u32 %r4, s; mapa.shared::cluster.u32 %r5, %r4, 0;"
       "atom.shared::cluster.add.u32 %r6, [%r5], 1;"
       "red.shared::cluster.add.u32 [%r5+4], 2;"
       "mapa.shared::cluster.u64 %rd3, s, 0; red.shared::cluster.add.u32 [%rd3+8], 3;"
       "cvta.shared.u64 %rd4, s; mapa.u64 %rd5, %rd4, 0; red.add.u32 [%rd5+12], 4;"
       "getctarank.shared::cluster.u32 %r7, %r5; getctarank.u64 %r8, %rd4;"
       "isspacep.shared::cluster %p2, %rd5; isspacep.shared::cta %p3, %rd5;"
       "isspacep.shared::cta %p4, %rd4; isspacep.global %p5, %rd5;"
       "selp.u32 %r10, 1, 0, %p2; @%p3 add.u32 %r10, %r10, 2; @%p4 add.u32 %r10, %r10, 4;"
       "@%p5 add.u32 %r10, %r10, 8; mad.lo.u32 %r10, %r7, 16, %r10; mad.lo.u32 %r10, %r8, 32, "
       "%r10;",
       SYNC, OWN_WORD, "st.global.u32 [%rd2], %r10;",
       "setp.eq.and.u32 %p1, %r3, 0, %p1; ld.shared.v4.u32 {%r11,%r12,%r13,%r14}, [s];"
       "@%p1 st.global.v4.u32 [%rd1], {%r11,%r12,%r13,%r14};"});
  Array<unsigned> a(4 * 40), b(4);
  expect_success(run_text(text, clusters(4, 40, 4), a.address(), b.address()));
  EXPECT_EQ(b.values(), (std::vector<unsigned>{160, 320, 480, 640}));
  for (unsigned i = 0; i < 160; ++i) {
    const unsigned rank = i / 40;
    EXPECT_EQ(a[i], 1u + (rank == 0 ? 2 : 0) + 4 + 32 * rank) << i;
  }
}

// Block 1 reads a word of block 0 behind the start of dynamic shared memory.
TEST(ClusterKernels, MapOffsetsOfDynamicMemory) {
  const std::string text = kernel_text(
      "mov.u32 %r3, %cluster_ctarank; mov.u32 %r4, words+8; add.u32 %r5, %r3, 70;"
      "st.shared.u32 [%r4], %r5; barrier.cluster.arrive; barrier.cluster.wait;"
      "mapa.shared::cluster.u32 %r6, words+8, 0; ld.shared::cluster.u32 %r7, [%r6];"
      "mapa.u64 %rd2, words+4, 0; ld.u32 %r8, [%rd2+4];"
      "getctarank.shared::cluster.u32 %r9, words+4; mov.u64 %rd4, words+8;"
      "cvt.u32.u64 %r10, %rd4; ld.shared.u32 %r10, [%r10];"
      "mul.wide.u32 %rd3, %r3, 16; add.s64 %rd3, %rd3, %rd0;"
      "st.global.v4.u32 [%rd3], {%r7, %r8, %r9, %r10};"
      "barrier.cluster.arrive; barrier.cluster.wait;",
      ".extern .shared .align 16 .b8 words[];\n");
  Array<unsigned> a(8);
  Shape two = clusters(2, 1, 2);
  two.shared = 64;
  expect_success(run_text(text, two, a.address()));
  EXPECT_EQ(a.values(), (std::vector<unsigned>{70, 70, 0, 70, 70, 70, 1, 71}));
}

TEST(ClusterKernels, AddressesOfOtherBlocksAreChecked) {
  const auto reads = [](const char* rank, const char* load) {
    return cluster_text(
        {"mov.u32 %r4, s; mapa.shared::cluster.u32 %r5, %r4, ", rank, ";", load, SYNC});
  };
  const CUresult illegal = CUDA_ERROR_ILLEGAL_ADDRESS;
  const char* const load = "ld.shared::cluster.u32 %r6, [%r5];";
  expect_success(run_text(reads("1", load), clusters(2, 1, 2)));
  expect_fault(run_text(reads("2", load), clusters(2, 1, 2)), illegal,
               {"read 4 bytes", "in a cluster of 2 blocks", "ld.shared::cluster"});
  expect_fault(run_text(reads("1", "ld.shared::cluster.u32 %r6, [%r5+64];"), clusters(2, 1, 2)),
               illegal, {"past the end of the 64 bytes of shared memory of block rank 1"});
  expect_fault(run_text(reads("1", "ld.shared.u32 %r6, [%r5];"), clusters(2, 1, 2)), illegal,
               {"shared memory of block rank 1, without .shared::cluster"});
  expect_fault(run_text(reads("1", load), shape(2, 1)), illegal, {"shared memory"});
}

TEST(ClusterKernels, TheMemoryOfAnExitedBlockIsGone) {
  const std::string text = cluster_text(
      {"setp.eq.u32 %p1, %r2, 1; @%p1 exit; mov.u32 %r4, s;"
       "mapa.shared::cluster.u32 %r5, %r4, 1; mov.u32 %r6, 0;"
       "again: ld.shared::cluster.u32 %r7, [%r5]; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, "
       "100000;"
       "@%p2 bra again;"});
  expect_fault(run_text(text, clusters(2, 32, 2)), CUDA_ERROR_ILLEGAL_ADDRESS,
               {"block (0,0,0)", "shared memory of block rank 1, which has exited"});
}

// A thread that arrives early can work before it waits, and phases do not mix.
TEST(ClusterBarriers, SplitIntoArriveAndWait) {
  const std::string text = cluster_text(
      {OWN_WORD,
       "setp.eq.u32 %p1, %r1, 0; mov.u32 %r4, %cluster_ctarank; xor.b32 %r5, %r4, 1; mov.u32 "
       "%r6, s;"
       "mapa.shared::cluster.u32 %r7, %r6, %r5; mov.u32 %r10, 0; mov.u32 %r8, 0;\n"
       "more: @%p1 st.shared::cluster.u32 [%r7], %r10;"
       "barrier.cluster.arrive.release; add.u32 %r8, %r8, 1; barrier.cluster.wait.acquire;"
       "ld.shared.u32 %r11, [s]; setp.ne.u32 %p2, %r11, %r10; @%p2 st.global.u32 [%rd2], 7;"
       "barrier.cluster.arrive.relaxed; barrier.cluster.wait;"
       "add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 50; @%p3 bra more;"});
  Array<unsigned> a(4 * 70);
  expect_success(run_text(text, clusters(4, 70, 2), a.address()));
  for (unsigned i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], 0u) << i;
}

TEST(ClusterBarriers, ExitedThreadsAreNotAwaited) {
  const std::string text =
      cluster_text({"setp.gt.u32 %p1, %r1, 40; @%p1 exit; setp.eq.u32 %p2, %r2, 1;"
                    "@%p2 exit;",
                    SYNC, "st.global.u32 [%rd0], 5;"});
  Array<unsigned> a(1);
  expect_success(run_text(text, clusters(2, 64, 2), a.address()));
  EXPECT_EQ(a[0], 5u);
  // A thread that exits after its arrival counts for the phase in which it arrived.
  const std::string early =
      cluster_text({"setp.eq.u32 %p2, %r2, 1; barrier.cluster.arrive; @%p2 exit;"
                    "barrier.cluster.wait;",
                    SYNC, "st.global.u32 [%rd0], 6;"});
  expect_success(run_text(early, clusters(2, 64, 2), a.address()));
  EXPECT_EQ(a[0], 6u);
}

TEST(ClusterBarriers, DivergedLanesWaitSeparately) {
  const std::string text =
      cluster_text({"and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 1; @%p1 bra odd;"
                    "barrier.cluster.arrive; barrier.cluster.wait; bra.uni done;\n"
                    "odd: barrier.cluster.arrive; barrier.cluster.wait;\ndone:",
                    OWN_WORD, "st.global.u32 [%rd2], %r3;"});
  Array<unsigned> a(4 * 40);
  expect_success(run_text(text, clusters(4, 40, 4), a.address()));
  for (unsigned i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], i);
}

TEST(ClusterBarriers, MistakesAreFaults) {
  expect_fault(run_text(cluster_text({"barrier.cluster.wait;"}), clusters(2, 32, 2)),
               CUDA_ERROR_LAUNCH_FAILED, {"a thread waits that has not arrived", "PTX line"});
  expect_fault(run_text(cluster_text({"barrier.cluster.arrive; barrier.cluster.arrive;"}),
                        clusters(2, 32, 2)),
               CUDA_ERROR_LAUNCH_FAILED, {"arrives twice"});
  // Block 1 waits for the cluster, block 0 for a barrier with too few threads.
  expect_fault(
      run_text(cluster_text({"setp.eq.u32 %p1, %r2, 0; @%p1 bar.sync 1, 64;", SYNC}),
               clusters(2, 32, 2)),
      CUDA_ERROR_LAUNCH_TIMEOUT,
      {"deadlock: no thread of the cluster can go on", "bar.sync", "barrier.cluster.wait"});
}

TEST(ClusterLaunches, NeedAGridOfWholeClusters) {
  expect_fault(run_text(cluster_text({""}), clusters(5, 32, 2)), CUDA_ERROR_INVALID_CLUSTER_SIZE,
               {"not a multiple"});
  expect_fault(run_text(cluster_text({""}), clusters(32, 32, 32)), CUDA_ERROR_INVALID_CLUSTER_SIZE,
               {"more than 16 blocks"});
  expect_success(run_text(cluster_text({SYNC}), clusters(160, 32, 16)));
}

// The blocks of a cluster need their memory at the same time.
TEST(ClusterLaunches, FitIntoTheMemoryOfALaunch) {
  const LaunchMemory memory(200 << 10);
  Shape s = clusters(8, 32, 2);
  s.shared = 48 << 10;
  expect_success(run_text(cluster_text({SYNC}), s));
  s.cluster[0] = 4;
  expect_fault(run_text(cluster_text({SYNC}), s), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
               {"4 blocks of a cluster run at the same time", "CUCORE_CPU_LAUNCH_MEMORY"});
}

// A cooperative launch of clusters: all blocks run at the same time.
TEST(ClusterLaunches, CanBeCooperative) {
  const std::string text = cluster_text(
      {SYNC,
       "setp.eq.u32 %p1, %r1, 0; @%p1 red.global.add.u32 [%rd0], 1;"
       "again: ld.acquire.gpu.global.u32 %r4, [%rd0]; setp.lt.u32 %p2, %r4, 64; @%p2 bra again;"});
  Array<unsigned> a(1);
  Shape s = clusters(64, 32, 4);
  s.cooperative = true;
  expect_success(run_text(text, s, a.address()));
  EXPECT_EQ(a[0], 64u);
}

}  // namespace
}  // namespace cucore::cpu::test
