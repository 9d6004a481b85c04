// SPDX-License-Identifier: Apache-2.0
// Threads that wait for each other make progress: lanes, warps and blocks, through locks and flags.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "cpu/checks/check_set.hpp"
#include "text.hpp"

namespace cucore::cpu::test {
namespace {

// Every thread takes the lock at b, increments the counter at a without an atomic, and releases the
// lock.
const char* const LOCK =
    "TAKE: atom.acquire.gpu.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra "
    "TAKE;\n"
    "ld.global.u32 %r4, [%rd0]; add.s32 %r4, %r4, 1; st.global.u32 [%rd0], %r4;\n"
    "st.release.gpu.global.u32 [%rd1], 0;";

TEST(Progress, LockBetweenLanes) {
  Array<int> a(1), b(1);
  const auto fault = run_text(kernel_text(LOCK), shape(1, 32), a.address(), b.address());
  ASSERT_FALSE(fault) << fault->text;
  EXPECT_EQ(a[0], 32);
}

TEST(Progress, LockBetweenWarps) {
  Array<int> a(1), b(1);
  ASSERT_FALSE(run_text(kernel_text(LOCK), shape(1, 256), a.address(), b.address()));
  EXPECT_EQ(a[0], 256);
}

TEST(Progress, LockBetweenBlocks) {
  Array<int> a(1), b(1);
  ASSERT_FALSE(run_text(kernel_text(LOCK), shape(20, 64), a.address(), b.address()));
  EXPECT_EQ(a[0], 1280);
}

// The first block waits for a value of the last one.
TEST(Progress, EarlierBlockWaitsForLater) {
  const std::string text =
      "setp.eq.u32 %p1, %r2, 9; @%p1 bra LAST;\n"
      "WAIT: ld.volatile.global.u32 %r3, [%rd0]; setp.eq.u32 %p2, %r3, 0; @%p2 bra WAIT; bra "
      "DONE;\n"
      "LAST: st.volatile.global.u32 [%rd0], 1; DONE:";
  Array<int> a(1);
  ASSERT_FALSE(run_text(kernel_text(text), shape(10, 32), a.address()));
  EXPECT_EQ(a[0], 1);
}

// Each block waits for the next one. Waiting blocks must not take time from the awaited ones. A
// million warp instructions per turn would be ten times as many in all.
TEST(Progress, ChainOfBlocksInReverse) {
  constexpr unsigned BLOCKS = 50;
  const std::string text =
      "mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd0, %rd2; setp.eq.u32 %p1, %r2, 49; @%p1 bra "
      "DONE;\n"
      "WAIT: ld.volatile.global.u32 %r3, [%rd3+4]; setp.eq.u32 %p2, %r3, 0; @%p2 bra WAIT;\n"
      "DONE: st.volatile.global.u32 [%rd3], 1;";
  Array<int> a(BLOCKS);
  auto module = load_text(kernel_text(text));
  LaunchStatistics statistics;
  ASSERT_FALSE(launch(*module->find_kernel("k"), shape(BLOCKS, 32), &statistics, a.address(),
                      uint64_t{0}, 0));
  EXPECT_EQ(a[0], 1);
  EXPECT_LT(statistics.warp_instructions, 40'000'000u);
}

// One lane produces for another of its warp, in the order that lowest-address-first would block.
TEST(Progress, LaneWaitsForLane) {
  const std::string text =
      "setp.eq.u32 %p1, %r1, 31; @%p1 bra LAST;\n"
      "WAIT: ld.volatile.global.u32 %r3, [%rd0]; setp.eq.u32 %p2, %r3, 0; @%p2 bra WAIT; bra "
      "DONE;\n"
      "LAST: st.volatile.global.u32 [%rd0], 1; DONE: atom.global.add.u32 %r4, [%rd1], 1;";
  Array<int> a(1), b(1);
  ASSERT_FALSE(run_text(kernel_text(text), shape(1, 32), a.address(), b.address()));
  EXPECT_EQ(b[0], 32);
}

TEST(Progress, SpinWithPlainInstructionsAndNanosleep) {
  const std::string text =
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra SET;\n"
      "WAIT: nanosleep.u32 100; ld.relaxed.gpu.global.u32 %r3, [%rd0]; setp.ne.u32 %p2, %r3, 63; "
      "@%p2 bra WAIT; bra DONE;\n"
      "SET: atom.global.add.u32 %r4, [%rd0], 1; DONE:";
  Array<int> a(1);
  ASSERT_FALSE(run_text(kernel_text(text), shape(1, 64), a.address()));
}

// Five sleeps of a millisecond take at least their time; PTX permits no longer single ones.
TEST(Progress, NanosleepTakesItsTime) {
  const std::string text =
      "mov.u64 %rd4, %clock64; mov.u32 %r3, 0;\n"
      "AGAIN: nanosleep.u32 4000000; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra "
      "AGAIN;\n"
      "mov.u64 %rd5, %clock64; sub.u64 %rd5, %rd5, %rd4; st.global.u64 [%rd0], %rd5;";
  Array<int64_t> a(1);
  ASSERT_FALSE(run_text(kernel_text(text), shape(1, 64), a.address()));
  EXPECT_GE(a[0], 5'000'000);
}

// Returns the shortest of the times that a sleep takes. Other processes can make single sleeps
// longer, so the search ends at one within the bound, and only a device that never is takes long.
int64_t shortest_sleep(unsigned nanoseconds, int64_t bound) {
  const auto module = load_text(kernel_text(
      "mov.u64 %rd4, %clock64; nanosleep.u32 " + std::to_string(nanoseconds) +
      "; mov.u64 %rd5, %clock64; sub.u64 %rd5, %rd5, %rd4; st.global.u64 [%rd0], %rd5;"));
  Array<int64_t> a(1);
  int64_t shortest = INT64_MAX;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (shortest > bound && std::chrono::steady_clock::now() < end) {
    EXPECT_FALSE(
        launch(*module->find_kernel("k"), shape(1, 1), nullptr, a.address(), uint64_t{0}, 0));
    shortest = std::min(shortest, a[0]);
  }
  return shortest;
}

// PTX permits twice the time, and no more than that of a millisecond.
TEST(Progress, NanosleepTakesAtMostTwiceItsTime) {
  for (const auto& [sleep, bound] : {std::pair{200'000u, 400'000},
                                     {1'000'000u, 2'000'000},
                                     {4'000'000u, 2'000'000},
                                     {4'000'000'000u, 2'000'000}}) {
    const int64_t shortest = shortest_sleep(sleep, bound);
    EXPECT_LE(shortest, bound) << sleep;
    EXPECT_GE(shortest, std::min(sleep, 1'000'000u)) << sleep;
  }
}

// The order of a schedule that can be repeated does not depend on the time: 20 seconds are over
// at once.
TEST(Progress, NanosleepTakesNoTimeInAFixedOrder) {
  const std::string text =
      "mov.u64 %rd4, %clock64; mov.u32 %r3, 0;\n"
      "AGAIN: nanosleep.u32 1000000; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 20000; @%p1 bra "
      "AGAIN;\n"
      "mov.u64 %rd5, %clock64; sub.u64 %rd5, %rd5, %rd4; st.global.u64 [%rd0], %rd5;";
  Array<int64_t> a(1);
  set_schedule({WarpOrder::SEQUENTIAL, 0});
  const auto fault = run_text(kernel_text(text), shape(1, 1), a.address());
  set_schedule({});
  ASSERT_FALSE(fault);
  EXPECT_LT(a[0], 20'000'000'000);
}

// The host and a running kernel exchange values through managed memory.
TEST(Progress, HostAndKernelTalk) {
  Array<int> a(2, 0, MemoryKind::MANAGED);
  const std::string text =
      "st.release.sys.global.u32 [%rd0+4], 1;\nWAIT: ld.acquire.sys.global.u32 %r3, [%rd0]; "
      "setp.eq.u32 %p2, %r3, 0; @%p2 bra WAIT;";
  std::thread host([&] {
    while (!std::atomic_ref<int>(a[1]).load()) std::this_thread::yield();
    std::atomic_ref<int>(a[0]).store(1);
  });
  ASSERT_FALSE(run_text(kernel_text(text), shape(1, 1), a.address()));
  host.join();
}

// A barrier with lanes that arrive apart, a warp that has ended, and threads that ended early.
TEST(Progress, BarrierAfterDivergence) {
  const std::string text =
      "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; setp.ge.u32 %p2, %r1, 64; @%p2 ret; @%p1 bra "
      "EVEN;\n"
      "bar.sync 0; bra JOIN; EVEN: atom.global.add.u32 %r4, [%rd0], 1; bar.sync 0;\n"
      "JOIN: ld.volatile.global.u32 %r5, [%rd0]; setp.eq.u32 %p3, %r5, 32; @!%p3 trap;";
  Array<int> a(1);
  const auto fault = run_text(kernel_text(text), shape(1, 96), a.address());
  ASSERT_FALSE(fault) << fault->text;
}

// Half a warp ends before or after the others arrive at a barrier of 64 threads.
TEST(Progress, BarrierWithACountCompletesInEachOrderOfExits) {
  const std::string half =
      "setp.ge.u32 %p1, %r1, 16; setp.lt.u32 %p2, %r1, 32; and.pred %p1, %p1, %p2;\n";
  const std::string arrival =
      "atom.global.add.u32 %r3, [%rd0], 1; barrier.sync 1, 64; atom.global.add.u32 %r3, [%rd0], 1;"
      "barrier.sync 1, 64; ld.global.u32 %r4, [%rd0]; setp.ne.u32 %p3, %r4, 96; @%p3 trap;\n";
  for (const std::string& text :
       {half + "@%p1 ret;\n" + arrival,
        half + "@%p1 bra LEAVE;\n" + arrival + "bra DONE;\nLEAVE: ret;\nDONE:"}) {
    Array<int> a(1);
    const auto fault = run_text(kernel_text(text), shape(1, 64), a.address());
    ASSERT_FALSE(fault) << fault->text;
    EXPECT_EQ(a[0], 96);
  }
}

TEST(Progress, WarpBarrierAtTwoPlaces) {
  const std::string text =
      "setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW; bar.warp.sync -1; bra DONE; LOW: bar.warp.sync -1; "
      "DONE: atom.global.add.u32 %r4, [%rd0], 1;";
  Array<int> a(1);
  ASSERT_FALSE(run_text(kernel_text(text), shape(1, 32), a.address()));
  EXPECT_EQ(a[0], 32);
}

// The first lanes wait for all lanes of the warp, and the others end without arriving.
std::string wait_and_exit(const std::string& wait) {
  return "setp.ge.u32 %p1, %r1, 8; @%p1 bra LAST; mov.u32 %r3, %r1;\n" + wait +
         "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd0, %rd2; add.u32 %r3, %r3, 5;\n"
         "st.global.u32 [%rd3], %r3; bra DONE;\n"
         "LAST: exit; DONE:";
}

TEST(Progress, WaitsEndWithOtherLanes) {
  for (const char* wait :
       {"bar.warp.sync 0xffffffff;", "shfl.sync.idx.b32 %r3, %r1, %r1, 31, 0xffffffff;"}) {
    Array<int> a(32);
    const auto fault = run_text(kernel_text(wait_and_exit(wait)), shape(1, 32), a.address());
    ASSERT_FALSE(fault) << fault->text;
    for (int l = 0; l < 32; ++l) EXPECT_EQ(a[l], l < 8 ? l + 5 : 0) << wait << l;
  }
}

TEST(Progress, ShuffleWaitsForItsMembers) {
  const std::string text =
      "mov.u32 %r6, %r1; setp.lt.u32 %p1, %r1, 16; @!%p1 bra MEET; mov.u32 %r7, 0;\n"
      "LOOP: add.s32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, %r1; @%p2 bra LOOP; add.s32 %r6, %r6, "
      "100;\n"
      "MEET: shfl.sync.bfly.b32 %r5, %r6, 31, 31, -1; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, "
      "%rd2, %rd0; st.global.u32 [%rd2], %r5;";
  Array<int> a(32);
  ASSERT_FALSE(run_text(kernel_text(text), shape(1, 32), a.address()));
  for (int l = 0; l < 32; ++l) EXPECT_EQ(a[size_t(l)], (l ^ 31) + ((l ^ 31) < 16 ? 100 : 0)) << l;
}

// Lanes call different functions through a pointer, at different depths.
TEST(Progress, IndirectCalls) {
  const std::string before =
      ".func (.param .b32 r) twice(.param .b32 x)\n{ .reg .b32 %r<4>; ld.param.b32 %r1, [x]; "
      "add.s32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret; }\n"
      ".func (.param .b32 r) thrice(.param .b32 x)\n{ .reg .b32 %r<4>; .reg .b64 %rd<4>; .local "
      ".align 4 .b8 l[8]; ld.param.b32 %r1, [x];\n"
      "mov.u64 %rd1, l; st.local.u32 [%rd1+4], %r1; mul.lo.s32 %r1, %r1, 3; ld.local.u32 %r2, "
      "[%rd1+4]; sub.s32 %r3, %r1, %r2; add.s32 %r1, %r3, %r2;\n"
      "st.param.b32 [r], %r1; ret; }\n.global .align 8 .u64 table[2] = {twice, thrice};\n";
  const std::string body =
      "and.b32 %r3, %r1, 1; mul.wide.u32 %rd2, %r3, 8; mov.u64 %rd3, table; add.s64 %rd3, %rd3, "
      "%rd2; ld.global.u64 %rd4, [%rd3];\n"
      "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; P: .callprototype (.param .b32 _) _ "
      "(.param .b32 _);\n"
      "call (r), %rd4, (x), P; ld.param.b32 %r5, [r]; }\n"
      "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd0; st.global.u32 [%rd2], %r5;";
  Array<int> a(64);
  const auto fault = run_text(kernel_text(body, before), shape(1, 64), a.address());
  ASSERT_FALSE(fault) << fault->text;
  for (int t = 0; t < 64; ++t) EXPECT_EQ(a[size_t(t)], t & 1 ? 3 * t : 2 * t) << t;
}

TEST(Progress, HeapIsSharedAndBounded) {
  const std::string before = ".extern .func (.param .b64 r) malloc(.param .b64 s);\n";
  const std::string body =
      "{ .param .b64 s; .param .b64 r; st.param.b64 [s], 1000; call.uni (r), malloc, (s); "
      "ld.param.b64 %rd2, [r]; }\n"
      "setp.eq.s64 %p1, %rd2, 0; @%p1 bra NONE; st.u32 [%rd2+996], %r1; atom.global.add.u32 %r3, "
      "[%rd0], 1; NONE:";
  auto module = load_text(kernel_text(body, before));
  Array<int> a(1);
  Shape s = shape(2, 32);
  s.limits.heap_bytes = 10000;
  ASSERT_FALSE(launch(*module->find_kernel("k"), s, nullptr, a, uint64_t{0}, 0));
  EXPECT_EQ(a[0], 10);
  EXPECT_EQ(AddressSpace::instance().use(0, MemoryKind::HEAP).bytes, 10000u);
  release_heap(0);
  EXPECT_EQ(AddressSpace::instance().use(0, MemoryKind::HEAP).bytes, 0u);
}

TEST(Progress, LaunchesFromSeveralThreads) {
  auto module = load_text(kernel_text("atom.global.add.u32 %r3, [%rd0], 1;"));
  Array<int> a(1);
  std::vector<std::thread> streams;
  for (int i = 0; i < 4; ++i)
    streams.emplace_back([&] {
      for (int k = 0; k < 20; ++k)
        launch(*module->find_kernel("k"), shape(3, 64), nullptr, a, uint64_t{0}, 0);
    });
  for (auto& t : streams) t.join();
  EXPECT_EQ(a[0], 4 * 20 * 3 * 64);
}

TEST(Progress, BranchTable) {
  const std::string body =
      "and.b32 %r3, %r1, 3; T: .branchtargets L0, L1, L2, L3; brx.idx %r3, T;\n"
      "L0: mov.u32 %r5, 10; bra DONE; L1: mov.u32 %r5, 11; bra DONE; L2: mov.u32 %r5, 12; bra "
      "DONE; L3: mov.u32 %r5, 13;\n"
      "DONE: mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd0; st.global.u32 [%rd2], %r5;";
  Array<int> a(32);
  const auto fault = run_text(kernel_text(body), shape(1, 32), a.address());
  ASSERT_FALSE(fault) << fault->text;
  for (size_t t = 0; t < 32; ++t) EXPECT_EQ(a[t], int(10 + t % 4));
}

}  // namespace
}  // namespace cucore::cpu::test
