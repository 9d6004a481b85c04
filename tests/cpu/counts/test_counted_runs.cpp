// SPDX-License-Identifier: Apache-2.0
// Counting changes no result, and does not depend on how the executor runs a kernel.
#include <vector>

#include "../exec/configured.hpp"
#include "../exec/kernel_file.hpp"
#include "counted.hpp"
#include "cpu/checks/check_set.hpp"
#include "cpu/checks/reports.hpp"

namespace cucore::cpu::test {
namespace {

struct Outcome {
  std::vector<float> result;
  cucore_cpu_counts totals = {};
};

bool same_counts(const cucore_cpu_counts& a, const cucore_cpu_counts& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

constexpr int SIDE = 64;

// A product with loads of shared memory that machine code executes.
Outcome product(bool counted) {
  auto module = load_kernel_file("11_matmul_tiled", 90);
  Array<float> a(SIDE * SIDE), b(SIDE * SIDE), c(SIDE * SIDE);
  for (int i = 0; i < SIDE * SIDE; ++i) {
    a[i] = float(i % 7);
    b[i] = float(i % 5);
  }
  Shape s;
  s.grid[0] = s.grid[1] = SIDE / 16;
  s.block[0] = s.block[1] = 16;
  const Kernel& kernel = *module->find_kernel("mm");
  Outcome outcome;
  if (counted)
    outcome.totals = count_launch(kernel, s, a, b, c, SIDE).totals();
  else
    EXPECT_FALSE(launch(kernel, s, nullptr, a, b, c, SIDE));
  outcome.result = c.values();
  return outcome;
}

TEST(CountedRuns, HaveTheSameResults) { EXPECT_EQ(product(true).result, product(false).result); }

TEST(CountedRuns, CountTheSameWithAndWithoutMachineCode) {
  const Outcome compiled = product(true);
  Configured without(false);
  EXPECT_TRUE(same_counts(product(true).totals, compiled.totals));
}

class UnderChecks {
 public:
  explicit UnderChecks(const char* order) : before_(schedule()) {
    enable_checks(parse_checks("all").value());
    set_schedule(parse_schedule(order).value());
  }
  ~UnderChecks() {
    enable_checks(0);
    set_schedule(before_);
  }

 private:
  const Schedule before_;
};

TEST(CountedRuns, CountTheSameUnderChecksAndSchedules) {
  const Outcome alone = product(true);
  for (const char* order : {"parallel", "sequential", "random:3"}) {
    UnderChecks checks(order);
    const Outcome checked = product(true);
    EXPECT_TRUE(same_counts(checked.totals, alone.totals)) << order;
    EXPECT_EQ(checked.result, alone.result) << order;
  }
  EXPECT_EQ(Reports::instance().size(), 0u);
}

// 4 x 4 blocks of 8 warps have 4 tiles each. A tile has two stores and 16 products.
TEST(CountedRuns, CountTheAccessesOfMachineCode) {
  const cucore_cpu_counts t = product(true).totals;
  constexpr uint64_t TILES = 16 * 8 * 4;
  EXPECT_EQ(t.shared_store.requests, TILES * 2);
  EXPECT_EQ(t.shared_load.bytes, TILES * 16 * 2 * 128);
  EXPECT_EQ(t.shared_load.wavefronts, t.shared_load.requests);
  EXPECT_EQ(t.operations[CUCORE_CPU_OPERATION_F32], TILES * 16 * 32 * 2);
  EXPECT_EQ(t.barriers, TILES * 2);
}

TEST(CountedRuns, NumberOfInstructionsIsThatOfTheStatistics) {
  auto module = load_kernel_file("42_softmax", 90);
  Array<float> x(8 * 256, 1), y(8 * 256);
  const Kernel& kernel = *module->find_kernel("sm");
  LaunchStatistics statistics;
  ASSERT_FALSE(launch(kernel, shape(8, 256), &statistics, x, y, 256));
  const Counted counted = count_launch(kernel, shape(8, 256), x, y, 256);
  EXPECT_EQ(counted.totals().warp_instructions, statistics.warp_instructions);
  EXPECT_EQ(counted.totals().thread_instructions, statistics.thread_instructions);
}

// Threads that leave an instruction and return to it execute it once.
TEST(CountedRuns, CountThreadsThatComeBackOnce) {
  Array<float> a(32), b(32);
  auto module = load_text(kernel_text(
      // Lanes reach the exchange at different times, and part at a guarded return.
      "setp.lt.u32 %p0, %r1, 8;\n@%p0 bra WAIT;\nadd.u32 %r3, %r1, 1;\nbra WAIT;\n"
      "WAIT:\nshfl.sync.idx.b32 %r4, %r1, 0, 31, -1;\nsetp.gt.u32 %p1, %r1, 15;\n@%p1 ret;\n"
      // Four targets by lane.
      "and.b32 %r5, %r1, 3;\nT: .branchtargets A, B, C, D;\nbrx.idx %r5, T;\n"
      "A: bra END;\nB: bra END;\nC: bra END;\nD: bra END;\nEND:\n"));
  const Counted counted =
      count_launch(*module->find_kernel("k"), shape(1, 32), a.address(), b.address(), 1);
  EXPECT_EQ(counted.row("shfl").counts.thread_instructions, 32u);
  EXPECT_EQ(counted.row("@%p1 ret").counts.thread_instructions, 32u);
  EXPECT_EQ(counted.row("@%p1 ret").counts.executed_threads, 16u);
  EXPECT_EQ(counted.row("@%p1 ret").counts.warp_instructions, 1u);
  EXPECT_EQ(counted.row("brx.idx").counts.thread_instructions, 16u);
  EXPECT_EQ(counted.row("brx.idx").counts.warp_instructions, 1u);
  // All threads execute the 5 instructions of the frame, setp and bra, then shfl, setp and ret. 24
  // execute add and bra. 16 execute and, brx, one bra and the last ret.
  EXPECT_EQ(counted.totals().thread_instructions, 32u * 7 + 24 * 2 + 32 * 3 + 16 * 4);
}

// Lanes 8 to 31 reach the exchange first and wait there for the others, which jump back to it.
TEST(CountedRuns, CountThreadsThatWaitInAnExchangeOnce) {
  Array<float> a(32), b(32);
  auto module =
      load_text(kernel_text("setp.lt.u32 %p0, %r1, 8;\n@%p0 bra LATER;\n"
                            "MEET:\nshfl.sync.idx.b32 %r4, %r1, 0, 31, -1;\nbra END;\n"
                            "LATER:\nadd.u32 %r3, %r1, 1;\nbra MEET;\nEND:\n"));
  const Counted counted =
      count_launch(*module->find_kernel("k"), shape(1, 32), a.address(), b.address(), 1);
  EXPECT_EQ(counted.row("shfl").counts.thread_instructions, 32u);
  EXPECT_EQ(counted.row("shfl").counts.warp_instructions, 1u);
  EXPECT_EQ(counted.totals().thread_instructions, 32u * (6 + 4) + 8 * 2);
}

// The same in a function, which both groups of lanes call by themselves.
TEST(CountedRuns, CountThreadsThatMeetInAFunctionOnce) {
  Array<float> a(32), b(32);
  auto module = load_text(
      kernel_text("setp.lt.u32 %p0, %r1, 8;\n@%p0 bra LATER;\nMEET:\ncall meet;\nbra END;\n"
                  "LATER:\nadd.u32 %r3, %r1, 1;\nbra MEET;\nEND:\n",
                  ".func meet() { .reg .b32 %r<3>;\nmov.u32 %r1, 0;\n"
                  "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\nret; }\n"));
  const Counted counted =
      count_launch(*module->find_kernel("k"), shape(1, 32), a.address(), b.address(), 1);
  EXPECT_EQ(counted.row("mov.u32 %r1, 0").counts.warp_instructions, 2u);
  EXPECT_EQ(counted.row("shfl").counts.thread_instructions, 32u);
  EXPECT_EQ(counted.row("shfl").counts.warp_instructions, 1u);
  EXPECT_EQ(counted.totals().thread_instructions, 32u * (6 + 4 + 3) + 8 * 2);
}

TEST(CountedRuns, CountIndirectCallsOnce) {
  Array<float> a(32), b(32);
  const std::string body = "{ .reg .b32 %r<2>;\nmov.u32 %r1, 1;\nst.param.b32 [o], %r1;\nret; }\n";
  auto module = load_text(kernel_text(
      "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p0, %r3, 0;\nmov.u64 %rd2, f;\nmov.u64 %rd3, g;\n"
      "selp.b64 %rd4, %rd2, %rd3, %p0;\n{ .param .b32 o;\n"
      "proto: .callprototype (.param .b32 _) _ ();\ncall (o), %rd4, (), proto;\n"
      "ld.param.b32 %r4, [o]; }\n",
      ".func (.param .b32 o) f() " + body + ".func (.param .b32 o) g() " + body));
  const Counted counted =
      count_launch(*module->find_kernel("k"), shape(1, 32), a.address(), b.address(), 1);
  EXPECT_EQ(counted.row("call").counts.thread_instructions, 32u);
  // Every thread: the frame, 5 instructions, the call, 3 of one function, and the load.
  EXPECT_EQ(counted.totals().thread_instructions, 32u * (6 + 5 + 1 + 3 + 1));
}

TEST(CountedRuns, CountGenericAddressesInTheirSpace) {
  Array<float> a(64, 1), b(32);
  auto module = load_text(kernel_text(
      ".shared .align 4 .b8 s[128];\n.local .align 4 .b8 l[4];\n"
      "mov.u64 %rd2, s;\ncvta.shared.u64 %rd3, %rd2;\nmov.u64 %rd4, l;\ncvta.local.u64 %rd5, "
      "%rd4;\n"
      "mul.wide.u32 %rd6, %r1, 4;\nadd.u64 %rd7, %rd3, %rd6;\nadd.u64 %rd8, %rd0, %rd6;\n"
      "st.u32 [%rd7], %r1;\nst.u32 [%rd5], %r1;\nld.u32 %r3, [%rd8];\n"
      // Even lanes read shared memory, odd ones global memory.
      "and.b32 %r4, %r1, 1;\nsetp.eq.u32 %p0, %r4, 0;\nselp.u64 %rd9, %rd7, %rd8, %p0;\n"
      "ld.u32 %r5, [%rd9];\n"));
  const Counted counted =
      count_launch(*module->find_kernel("k"), shape(1, 32), a.address(), b.address(), 1);
  const cucore_cpu_counts& t = counted.totals();
  EXPECT_EQ(t.shared_store.requests, 1u);
  EXPECT_EQ(t.local_store.sectors, 4u);
  EXPECT_EQ(t.global_load.requests, 2u);
  EXPECT_EQ(t.global_load.sectors, 8u);
  EXPECT_EQ(t.global_load.bytes, 128u + 64);
  EXPECT_EQ(t.shared_load.requests, 1u);
  EXPECT_EQ(t.shared_load.wavefronts, 1u);
  EXPECT_EQ(t.shared_load.bytes, 64u);
}

// A later access to shared memory has the traffic of an earlier one under two conditions. Its
// address register is unchanged, and its words have the same distances.
TEST(CountedRuns, CountLaterAccessesOfABatchByThemselves) {
  Array<float> a(32), b(32);
  auto module = load_text(kernel_text(
      ".shared .align 16 .b8 s[8192];\nshl.b32 %r3, %r1, 2;\nshl.b32 %r4, %r1, 7;\n"
      "ld.shared.u32 %r5, [%r3];\nld.shared.u32 %r6, [%r3+256];\nmov.u32 %r3, %r4;\n"
      "ld.shared.u32 %r7, [%r3];\nld.shared.u8 %r8, [%r1];\nld.shared.u8 %r9, [%r1+3];\n"));
  const Counted counted =
      count_launch(*module->find_kernel("k"), shape(1, 32), a.address(), b.address(), 1);
  EXPECT_EQ(counted.row("ld.shared.u32 %r5").counts.shared_load.wavefronts, 1u);
  EXPECT_EQ(counted.row("ld.shared.u32 %r6").counts.shared_load.wavefronts, 1u);
  EXPECT_EQ(counted.row("ld.shared.u32 %r7").counts.shared_load.wavefronts, 32u);
  EXPECT_EQ(counted.row("ld.shared.u8 %r9").counts.shared_load.requests, 1u);
  EXPECT_EQ(counted.totals().shared_load.wavefronts, 1u + 1 + 32 + 1 + 1);
}

TEST(CountedRuns, CountAccessesOfOtherWidthsByThemselves) {
  Array<float> a(32), b(32);
  auto module = load_text(
      kernel_text(".shared .align 16 .b8 s[8192];\nshl.b32 %r3, %r1, 4;\nshl.b32 %r4, %r1, 7;\n"
                  "and.b32 %r5, %r1, 1;\nadd.u32 %r6, %r4, %r5;\nld.shared.u32 %r7, [%r3];\n"
                  "ld.shared.v4.u32 {%r8,%r9,%r10,%r11}, [%r3];\nld.shared.u8 %r12, [%r6];\n"
                  "ld.shared.u8 %r13, [%r6+3];\n"));
  const Counted counted =
      count_launch(*module->find_kernel("k"), shape(1, 32), a.address(), b.address(), 1);
  const auto conflicts = [&](const char* text) {
    return counted.row(text).counts.shared_load.bank_conflicts;
  };
  // Every fourth word: 8 banks have 4 words each. As vectors, 8 lanes have all banks once.
  EXPECT_EQ(conflicts("ld.shared.u32"), 3u);
  EXPECT_EQ(conflicts("ld.shared.v4"), 0u);
  // One bank has 32 words. Behind 3 bytes, the odd lanes read the words of the next bank.
  EXPECT_EQ(conflicts("ld.shared.u8 %r12"), 31u);
  EXPECT_EQ(conflicts("ld.shared.u8 %r13"), 15u);
}

TEST(CountedRuns, CountMatrixProducts) {
  Array<float> a(64), b(64);
  auto module = load_text(kernel_text(
      ".shared .align 16 .b8 s[512];\nshl.b32 %r3, %r1, 4;\nmov.u32 %r4, s;\nadd.u32 %r5, %r4, "
      "%r3;\n"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [%r4];\n"
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r6,%r6}, {%r6}, "
      "{%f0,%f1,%f2,%f3};\n"));
  const Counted counted =
      count_launch(*module->find_kernel("k"), shape(1, 64), a.address(), b.address(), 1);
  EXPECT_EQ(counted.totals().operations[CUCORE_CPU_OPERATION_MATRIX], 2u * 2 * 16 * 8 * 8);
  EXPECT_EQ(counted.totals().shared_load.requests, 2u);
  EXPECT_EQ(counted.totals().other_accesses, 0u);
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_MATRIX), 2u);
}

TEST(CountedRuns, CountCalledFunctionsInRowsOfTheirOwn) {
  Array<float> a(32), b(32);
  auto module = load_text(kernel_text(
      "{ .param .b32 i; .param .b32 o;\nst.param.b32 [i], %r1;\ncall (o), twice, (i);\n"
      "ld.param.b32 %r3, [o]; }\n",
      ".func (.param .b32 o) twice(.param .b32 i) { .reg .b32 %r<4>;\nld.param.b32 %r1, [i];\n"
      "add.u32 %r2, %r1, %r1;\nst.param.b32 [o], %r2;\nret; }\n"));
  const Counted counted =
      count_launch(*module->find_kernel("k"), shape(2, 32), a.address(), b.address(), 1);
  EXPECT_STREQ(counted.row("add.u32").function, "twice");
  EXPECT_EQ(counted.row("add.u32").counts.warp_instructions, 2u);
  EXPECT_EQ(counted.row("call").counts.warp_instructions, 2u);
  EXPECT_EQ(counted.totals().warp_instructions, 2u * (6 + 3 + 4));
  EXPECT_EQ(counted.totals().global_load.requests + counted.totals().local_load.requests, 0u);
}

TEST(CountedRuns, CountBarriersOfWarpsThatWorkUnequally) {
  Array<float> a(32), b(32);
  auto module = load_text(kernel_text(
      // Warp 1 adds three times before the barrier; warp 0 arrives without waiting.
      "setp.lt.u32 %p0, %r1, 32;\n@%p0 bra FIRST;\nadd.u32 %r3, %r1, 1;\nadd.u32 %r3, %r3, 1;\n"
      "add.u32 %r3, %r3, 1;\nbar.sync 1, 64;\nbra END;\nFIRST:\nbar.arrive 1, 64;\nEND:\n"));
  const Counted counted =
      count_launch(*module->find_kernel("k"), shape(1, 64), a.address(), b.address(), 1);
  EXPECT_EQ(counted.totals().barriers, 2u);
  EXPECT_EQ(counted.totals().barrier_imbalance, 3u);
  EXPECT_EQ(counted.row("bar.arrive").counts.barrier_imbalance, 3u);
}

// The first block ends with an arrival at a barrier that the second one completes.
TEST(CountedRuns, ForgetTheArrivalsOfEarlierBlocks) {
  Array<float> a(32), b(32);
  auto module = load_text(
      kernel_text("setp.ne.u32 %p0, %r2, 0;\nsetp.ge.u32 %p1, %r1, 32;\n@%p0 bra SECOND;\n"
                  "@%p1 bra END;\nbar.arrive 1, 64;\nbra END;\nSECOND:\nbar.sync 1, 64;\nEND:\n"));
  const Schedule before = schedule();
  set_schedule(parse_schedule("sequential").value());  // one worker runs both
  const Counted counted =
      count_launch(*module->find_kernel("k"), shape(2, 64), a.address(), b.address(), 1);
  set_schedule(before);
  EXPECT_EQ(counted.totals().barriers, 3u);
  EXPECT_EQ(counted.totals().barrier_imbalance, 0u);
}

TEST(CountedRuns, NameTheCallOfInlinedCode) {
  auto module = load_text(kernel_text(
      ".loc 1 7 3\nmov.u32 %r3, 0;\n"
      ".loc 2 4 3, function_name $L__info_string0, inlined_at 1 8 5\nadd.u32 %r3, %r3, 1;\n"
      ".loc 3 4 3, function_name $L__info_string0, inlined_at 1 8 5\nsub.u32 %r3, %r3, 1;\n",
      ".file 1 \"a.cu\"\n.file 2 \"/.cucore/b.cuh\"\n"));
  const Counted counted =
      count_launch(*module->find_kernel("k"), shape(1, 32), uint64_t{0}, uint64_t{0}, 1);
  EXPECT_STREQ(counted.row("mov.u32 %r3").file, "a.cu");
  EXPECT_EQ(counted.row("mov.u32 %r3").inlined_line, 0u);
  EXPECT_STREQ(counted.row("mov.u32 %r3").inlined_file, "");
  EXPECT_STREQ(counted.row("add.u32").file, "b.cuh");
  EXPECT_EQ(counted.row("add.u32").line, 4u);
  EXPECT_STREQ(counted.row("add.u32").inlined_file, "a.cu");
  EXPECT_EQ(counted.row("add.u32").inlined_line, 8u);
  EXPECT_EQ(counted.row("sub.u32").line, 0u);  // the text has no file 3
}

TEST(CountedRuns, KeepAtMostTheLaunchesOfTheOption) {
  auto collector = std::make_shared<TraceCollector>(TraceOptions{false, true, 2});
  ASSERT_TRUE(start_trace(collector));
  EXPECT_FALSE(start_trace(collector));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(run_text(kernel_text(""), shape(1, 32)));
  const auto trace = stop_trace()->take();
  EXPECT_EQ(stop_trace(), nullptr);
  EXPECT_EQ(trace->launch_count, 2u);
  EXPECT_EQ(trace->dropped, 3u);
  EXPECT_FALSE(run_text(kernel_text(""), shape(1, 32)));  // not counted
}

TEST(CountedRuns, ReportTheFaultOfALaunch) {
  Tracing tracing;
  EXPECT_TRUE(run_text(kernel_text("st.global.u32 [%rd0], %r1;\n"), shape(1, 32), 8));
  const auto trace = tracing.end();
  ASSERT_EQ(trace->launch_count, 1u);
  EXPECT_EQ(trace->launches[0].result, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(std::string(trace->launches[0].fault).find("illegal address"), std::string::npos);
}

}  // namespace
}  // namespace cucore::cpu::test
