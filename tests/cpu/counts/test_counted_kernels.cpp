// SPDX-License-Identifier: Apache-2.0
// Kernels of different kinds. The comments derive every figure by hand.
//
// Each kernel begins with the same five instructions, three loads of parameters and two moves, and
// ends with ret. The comments state the rest as "body". W is the number of warps.
#include "counted.hpp"

namespace cucore::cpu::test {
namespace {

constexpr uint64_t FRAME = 6;  // instructions around a body

Counted count_text(const std::string& body, const Shape& shape, const Array<float>& a,
                   const Array<float>& b, const std::string& before = "") {
  auto module = load_text(kernel_text(body, before));
  return count_launch(*module->find_kernel("k"), shape, a.address(), b.address(), 7);
}

void expect_traffic(const cucore_cpu_traffic& t, uint64_t requests, uint64_t bytes,
                    uint64_t sectors) {
  EXPECT_EQ(t.requests, requests);
  EXPECT_EQ(t.bytes, bytes);
  EXPECT_EQ(t.sectors, sectors);
  EXPECT_EQ(t.wavefronts, 0u);
  EXPECT_EQ(t.bank_conflicts, 0u);
}

void expect_shared(const cucore_cpu_traffic& t, uint64_t requests, uint64_t bytes,
                   uint64_t wavefronts, uint64_t bank_conflicts) {
  EXPECT_EQ(t.requests, requests);
  EXPECT_EQ(t.bytes, bytes);
  EXPECT_EQ(t.sectors, 0u);
  EXPECT_EQ(t.wavefronts, wavefronts);
  EXPECT_EQ(t.bank_conflicts, bank_conflicts);
}

void expect_nothing(const cucore_cpu_traffic& t) { expect_traffic(t, 0, 0, 0); }

// Converged code: each of the threads executes each instruction.
void expect_instructions(const Counted& counted, uint64_t warps, uint64_t body) {
  EXPECT_EQ(counted.totals().warp_instructions, warps * (FRAME + body));
  EXPECT_EQ(counted.totals().thread_instructions, warps * 32 * (FRAME + body));
  EXPECT_EQ(counted.totals().executed_threads, counted.totals().thread_instructions);
  EXPECT_EQ(counted.totals().divergent_branches, 0u);
}

// 2 blocks of 256 threads are W = 16 warps. Body: 6 instructions.
TEST(CountedKernels, Copy) {
  const Array<float> a(512, 1), b(512);
  const Counted counted = count_text(
      "mad.lo.u32 %r3, %r2, 256, %r1;\nmul.wide.u32 %rd2, %r3, 4;\nadd.u64 %rd3, %rd0, %rd2;\n"
      "ld.global.f32 %f0, [%rd3];\nadd.u64 %rd4, %rd1, %rd2;\nst.global.f32 [%rd4], %f0;\n",
      shape(2, 256), a, b);
  EXPECT_EQ(b[511], 1.0f);
  const cucore_cpu_counts& t = counted.totals();
  expect_instructions(counted, 16, 6);
  // 32 threads x 4 bytes in a row are 4 sectors: 16 requests x 4 = 64 sectors, 512 x 4 bytes.
  expect_traffic(t.global_load, 16, 2048, 64);
  expect_traffic(t.global_store, 16, 2048, 64);
  expect_nothing(t.global_atomic);
  expect_nothing(t.shared_load);
  expect_nothing(t.local_load);
  // mad 2, mul 1, two adds 1 each: 5 per thread, 512 threads.
  EXPECT_EQ(t.operations[CUCORE_CPU_OPERATION_INTEGER], 2560u);
  EXPECT_EQ(t.operations[CUCORE_CPU_OPERATION_F32], 0u);
  // Per warp: 3 parameters and 1 load, 1 store, 4 integer, 2 moves, 1 ret.
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_LOAD), 64u);
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_STORE), 16u);
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_INTEGER), 64u);
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_OTHER), 32u);
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_BRANCH), 16u);
  EXPECT_EQ(counted.of(CUCORE_CPU_CLASS_STORE).thread_instructions, 512u);
  // Two parameters of 8 bytes and one of 4; 4 bytes of global memory.
  const auto& launch = counted.launch();
  EXPECT_EQ(launch.loads[CUCORE_CPU_SPACE_PARAM][3], 32u);
  EXPECT_EQ(launch.loads[CUCORE_CPU_SPACE_PARAM][2], 16u);
  EXPECT_EQ(launch.loads[CUCORE_CPU_SPACE_GLOBAL][2], 16u);
  EXPECT_EQ(launch.stores[CUCORE_CPU_SPACE_GLOBAL][2], 16u);
  // 2048 bytes of each array are 64 sectors.
  EXPECT_EQ(launch.footprint_read, 64u);
  EXPECT_EQ(launch.footprint_written, 64u);
  EXPECT_EQ(launch.footprint_any, 128u);
  EXPECT_EQ(launch.blocks_run, 2u);
  EXPECT_STREQ(launch.kernel, "k");
  EXPECT_EQ(launch.grid[0], 2u);
  EXPECT_EQ(launch.block[0], 256u);
}

// W = 4. Each thread reads a float 128 bytes behind that of its neighbour. Body: 5 instructions.
TEST(CountedKernels, StridedLoad) {
  const Array<float> a(128 * 32, 1), b(128);
  const Counted counted = count_text(
      "mul.wide.u32 %rd2, %r1, 128;\nadd.u64 %rd3, %rd0, %rd2;\nld.global.f32 %f0, [%rd3];\n"
      "mad.wide.u32 %rd4, %r1, 4, %rd1;\nst.global.f32 [%rd4], %f0;\n",
      shape(1, 128), a, b);
  expect_instructions(counted, 4, 5);
  // One sector per thread: 128. The stores are as those of a copy: 4 x 4 sectors.
  expect_traffic(counted.totals().global_load, 4, 512, 128);
  expect_traffic(counted.totals().global_store, 4, 512, 16);
  EXPECT_EQ(counted.launch().footprint_read, 128u);
  EXPECT_EQ(counted.launch().footprint_written, 16u);
}

// A tile of 32 x 32 floats; a row has `row` bytes in shared memory. W = 32. Body: 13 instructions.
Counted transpose(unsigned row) {
  Array<float> a(1024), b(1024);
  for (int i = 0; i < 1024; ++i) a[i] = float(i);
  Shape tile = shape(1, 32, 32 * row);
  tile.block[1] = 32;
  const std::string pitch = std::to_string(row);
  Counted counted = count_text(
      "mov.u32 %r3, %tid.y;\nmad.lo.u32 %r4, %r3, 32, %r1;\nmul.wide.u32 %rd2, %r4, 4;\n"
      "add.u64 %rd3, %rd0, %rd2;\nld.global.f32 %f0, [%rd3];\n"
      "shl.b32 %r5, %r1, 2;\nmad.lo.u32 %r6, %r3, " +
          pitch +
          ", %r5;\nst.shared.f32 [%r6], %f0;\n"
          "bar.sync 0;\n"
          "shl.b32 %r7, %r3, 2;\nmad.lo.u32 %r8, %r1, " +
          pitch +
          ", %r7;\nld.shared.f32 %f1, [%r8];\n"
          "add.u64 %rd4, %rd1, %rd2;\nst.global.f32 [%rd4], %f1;\n",
      tile, a, b, ".extern .shared .align 16 .b8 dynamic[];\n");
  EXPECT_EQ(b[1], 32.0f);
  expect_instructions(counted, 32, 14);
  // Rows of 128 bytes: 4 sectors per warp, in both directions.
  expect_traffic(counted.totals().global_load, 32, 4096, 128);
  expect_traffic(counted.totals().global_store, 32, 4096, 128);
  // Every warp arrives once, after as many instructions as the others.
  EXPECT_EQ(counted.totals().barriers, 32u);
  EXPECT_EQ(counted.totals().barrier_imbalance, 0u);
  return counted;
}

// Rows of 128 bytes: a warp stores a row in one wavefront. It loads a column, whose 32 words are in
// one bank: 32 wavefronts per request, of which 31 are conflicts.
TEST(CountedKernels, TransposeWithoutPadding) {
  const Counted counted = transpose(128);
  expect_shared(counted.totals().shared_store, 32, 4096, 32, 0);
  expect_shared(counted.totals().shared_load, 32, 4096, 1024, 992);
}

// Rows of 132 bytes: the words of a column are in 32 banks.
TEST(CountedKernels, TransposeWithPadding) {
  const Counted counted = transpose(132);
  expect_shared(counted.totals().shared_store, 32, 4096, 32, 0);
  expect_shared(counted.totals().shared_load, 32, 4096, 32, 0);
}

// 64 threads add 64 values in 6 steps: s[t] += s[t + d] for t < d and d = 32, 16, 8, 4, 2, 1. W
// = 2.
TEST(CountedKernels, SharedReduction) {
  Array<float> a(64), b(1);
  for (int i = 0; i < 64; ++i) a[i] = float(i);
  const Counted counted = count_text(
      ".shared .align 4 .b8 s[256];\n"
      "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd0, %rd2;\nld.global.f32 %f0, [%rd3];\n"
      "shl.b32 %r3, %r1, 2;\nst.shared.f32 [%r3], %f0;\nbar.sync 0;\nmov.u32 %r4, 32;\n"  // 7
      "LOOP:\nsetp.ge.u32 %p0, %r1, %r4;\n@%p0 bra SKIP;\n"                               // 2
      "shl.b32 %r5, %r4, 2;\nadd.u32 %r6, %r3, %r5;\nld.shared.f32 %f1, [%r6];\n"
      "ld.shared.f32 %f2, [%r3];\nadd.f32 %f3, %f1, %f2;\nst.shared.f32 [%r3], %f3;\n"        // 6
      "SKIP:\nbar.sync 0;\nshr.u32 %r4, %r4, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra LOOP;\n"  // 4
      "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra END;\nld.shared.f32 %f4, [%r3];\n"
      "st.global.f32 [%rd1], %f4;\nEND:\n",  // 2, and 2 for thread 0
      shape(1, 64), a, b);
  EXPECT_EQ(b[0], 2016.0f);
  const cucore_cpu_counts& t = counted.totals();
  // Both warps: 6 + 7 + 6 x (2 + 4) + 2 = 51. Warp 0 also: 6 x 6 + 2 = 38. Together 140.
  EXPECT_EQ(t.warp_instructions, 140u);
  // 64 x 51 = 3264. The part under the branch: 6 x (32 + 16 + 8 + 4 + 2 + 1) = 378, and 2.
  EXPECT_EQ(t.thread_instructions, 3644u);
  // The branch over the addition has guard %p0: it executes in the threads that skip. There are
  // 6 x 64 - 63 = 321 of 384. The branch back executes in 5 x 64 of 384, that to END in 63 of 64.
  EXPECT_EQ(t.executed_threads, 3644u - 63 - 64 - 1);
  // Warp 0 parts for d = 16, 8, 4, 2, 1, and at the end, where thread 0 goes on alone.
  EXPECT_EQ(t.divergent_branches, 6u);
  // 2 warps x 7 barriers. At each of the last 6, warp 1 has executed 6 instructions less.
  EXPECT_EQ(t.barriers, 14u);
  EXPECT_EQ(t.barrier_imbalance, 36u);
  // 2 loads per step of warp 0 and the last one, words in a row or one: 1 wavefront each.
  expect_shared(t.shared_load, 13, (2 * 63 + 1) * 4, 13, 0);
  // One store per warp, and one per step of warp 0.
  expect_shared(t.shared_store, 8, (64 + 63) * 4, 8, 0);
  expect_traffic(t.global_load, 2, 256, 8);
  expect_traffic(t.global_store, 1, 4, 1);
  EXPECT_EQ(t.operations[CUCORE_CPU_OPERATION_F32], 63u);
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_F32), 6u);
}

// The product of two tiles of 16 x 16 floats in shared memory by a block of as many threads: W = 8.
// A warp has two rows of the result.
TEST(CountedKernels, TiledProduct) {
  Array<float> a(512), b(256);
  for (int i = 0; i < 512; ++i) a[i] = 1;
  Shape tile = shape(1, 16);
  tile.block[1] = 16;
  const Counted counted = count_text(
      ".shared .align 16 .b8 s[2048];\n"
      "mov.u32 %r3, %tid.y;\nmad.lo.u32 %r4, %r3, 16, %r1;\nmul.wide.u32 %rd2, %r4, 4;\n"
      "add.u64 %rd3, %rd0, %rd2;\nld.global.f32 %f0, [%rd3];\nld.global.f32 %f1, [%rd3+1024];\n"
      "shl.b32 %r5, %r4, 2;\nst.shared.f32 [%r5], %f0;\nst.shared.f32 [%r5+1024], %f1;\n"
      "bar.sync 0;\n"                                 // 10
      "shl.b32 %r6, %r3, 6;\nshl.b32 %r7, %r1, 2;\n"  // row of A, column of B
      "mov.u32 %r8, 0;\nmov.f32 %f2, 0f00000000;\n"   // 4
      "LOOP:\nld.shared.f32 %f3, [%r6];\nld.shared.f32 %f4, [%r7+1024];\n"
      "fma.rn.f32 %f2, %f3, %f4, %f2;\nadd.u32 %r6, %r6, 4;\nadd.u32 %r7, %r7, 64;\n"
      "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p0, %r8, 16;\n@%p0 bra LOOP;\n"  // 8, 16 times
      "add.u64 %rd4, %rd1, %rd2;\nst.global.f32 [%rd4], %f2;\n",           // 2
      tile, a, b);
  EXPECT_EQ(b[255], 16.0f);
  const cucore_cpu_counts& t = counted.totals();
  // Per warp: 6 + 10 + 4 + 16 x 8 + 2 = 150.
  EXPECT_EQ(t.warp_instructions, 1200u);
  EXPECT_EQ(t.thread_instructions, 38400u);
  EXPECT_EQ(t.executed_threads, 38400u - 256);  // each thread leaves the loop once
  EXPECT_EQ(t.divergent_branches, 0u);
  // 16 x 2 loads per warp. A: two words, 16 banks apart. B: a row of 16 words. 1 wavefront each.
  expect_shared(t.shared_load, 256, 256 * 32 * 4, 256, 0);
  expect_shared(t.shared_store, 16, 2048, 16, 0);
  expect_traffic(t.global_load, 16, 2048, 64);
  expect_traffic(t.global_store, 8, 1024, 32);
  EXPECT_EQ(t.operations[CUCORE_CPU_OPERATION_F32], 256u * 16 * 2);
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_F32), 8u * 16);
  // mad 2, mul 1, two adds of 64 bits outside of the loop; 3 adds in it: 5 + 48 per thread.
  EXPECT_EQ(t.operations[CUCORE_CPU_OPERATION_INTEGER], 256u * 53);
  EXPECT_EQ(t.barriers, 8u);
  EXPECT_EQ(counted.row("fma").counts.warp_instructions, 128u);
}

// Thread i counts in bin i % 4, so each of 4 banks has 8 lanes. W = 2.
TEST(CountedKernels, Histogram) {
  const Array<float> a(4), b(8);
  const Counted counted = count_text(
      ".shared .align 4 .b8 s[16];\n"
      "and.b32 %r3, %r1, 3;\nshl.b32 %r4, %r3, 2;\nmov.u32 %r5, 0;\nsetp.lt.u32 %p0, %r1, 4;\n"
      "@%p0 st.shared.u32 [%r4], %r5;\nbar.sync 0;\natom.shared.add.u32 %r6, [%r4], 1;\n"
      "bar.sync 0;\ncvt.u64.u32 %rd2, %r4;\nadd.u64 %rd3, %rd1, %rd2;\n@%p0 ld.shared.u32 %r7, "
      "[%r4];\n"
      "@%p0 red.global.add.u32 [%rd3], %r7;\nred.global.add.u32 [%rd1+16], 1;\n",  // 13
      shape(1, 64), a, b);
  EXPECT_EQ(reinterpret_cast<const uint32_t*>(b.data())[3], 16u);
  EXPECT_EQ(reinterpret_cast<const uint32_t*>(b.data())[4], 64u);
  const cucore_cpu_counts& t = counted.totals();
  EXPECT_EQ(t.warp_instructions, 2u * 19);
  EXPECT_EQ(t.thread_instructions, 64u * 19);
  // Three instructions execute in 4 of 64 threads.
  EXPECT_EQ(t.executed_threads, 64u * 19 - 3 * 60);
  EXPECT_EQ(t.divergent_branches, 0u);
  // 8 lanes in each bank: 8 wavefronts per request.
  expect_shared(t.shared_atomic, 2, 256, 16, 14);
  // In warp 1 no thread stores or loads.
  expect_shared(t.shared_store, 1, 16, 1, 0);
  expect_shared(t.shared_load, 1, 16, 1, 0);
  // 4 neighbours are one sector. 32 threads at one address take 32 turns of one sector, twice.
  expect_traffic(t.global_atomic, 3, 16 + 2 * 128, 1 + 64);
  EXPECT_EQ(counted.row("@%p0 red").counts.executed_threads, 4u);
  EXPECT_EQ(counted.row("@%p0 red").counts.global_atomic.sectors, 1u);
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_ATOMIC), 6u);
  EXPECT_EQ(t.barriers, 4u);
}

// Thread i has the doubleword i, so two threads of a warp are in each bank. The addition is a loop
// in machine code: in its only round, each half loads in 1 wavefront and swaps in 2.
TEST(CountedKernels, AtomicsOfDoublewords) {
  const Array<float> a(4), b(4);
  const Counted counted = count_text(
      ".shared .align 8 .b8 s[256];\n"
      "shl.b32 %r4, %r1, 3;\nmov.u64 %rd2, 1;\n"
      "red.shared.add.u64 [%r4], %rd2;\natom.shared.exch.b64 %rd3, [%r4], %rd2;\n"
      "atom.shared.cas.b64 %rd4, [%r4], %rd2, %rd2;\n",
      shape(1, 32), a, b);
  expect_shared(counted.row("red.shared.add").counts.shared_atomic, 1, 256, 4, 0);
  expect_shared(counted.row("red.shared.add").counts.shared_load, 0, 0, 2, 0);
  for (const char* single : {"atom.shared.exch", "atom.shared.cas"}) {
    expect_shared(counted.row(single).counts.shared_atomic, 1, 256, 2, 1);
    expect_shared(counted.row(single).counts.shared_load, 0, 0, 0, 0);
  }
}

// Odd threads take one path, even threads the other. W = 1.
TEST(CountedKernels, DivergentBranch) {
  const Array<float> a(32), b(32);
  const Counted counted = count_text(
      "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p0, %r3, 0;\n@%p0 bra EVEN;\n"
      "add.u32 %r4, %r1, 1;\nadd.u32 %r4, %r4, 1;\nadd.u32 %r4, %r4, 1;\nbra JOIN;\n"
      "EVEN:\nmul.lo.u32 %r4, %r1, 3;\nmul.lo.u32 %r4, %r4, 3;\n"
      "JOIN:\nmad.wide.u32 %rd2, %r1, 4, %rd1;\nst.global.u32 [%rd2], %r4;\n",
      shape(1, 32), a, b);
  const cucore_cpu_counts& t = counted.totals();
  // 6 + 3 by all, 4 by the odd threads, 2 by the even ones, 2 by all.
  EXPECT_EQ(t.warp_instructions, 17u);
  EXPECT_EQ(t.thread_instructions, 32u * 11 + 16 * 4 + 16 * 2);
  EXPECT_EQ(t.executed_threads, t.thread_instructions - 16);  // the branch, in the odd threads
  EXPECT_EQ(t.divergent_branches, 1u);
  EXPECT_EQ(counted.row("@%p0 bra").counts.divergent_branches, 1u);
  EXPECT_EQ(counted.row("@%p0 bra").counts.executed_threads, 16u);
  EXPECT_EQ(counted.row("mul.lo").counts.thread_instructions, 16u);
  // The lanes meet before the store.
  expect_traffic(t.global_store, 1, 128, 4);
  // The odd threads add 3 times, the even ones multiply twice, and all execute mad.
  EXPECT_EQ(t.operations[CUCORE_CPU_OPERATION_INTEGER], 16u * 3 + 16 * 2 + 32 * 2);
}

// An inclusive scan of a warp in 5 steps: the lanes from 1, 2, 4, 8, 16 on add. W = 1.
TEST(CountedKernels, ShuffleScan) {
  const Array<float> a(32), b(32);
  std::string steps;
  for (int d = 1; d < 32; d *= 2)
    steps += "shfl.sync.up.b32 %r4|%p0, %r3, " + std::to_string(d) +
             ", 0, -1;\n@%p0 add.u32 %r3, %r3, %r4;\n";
  const Counted counted =
      count_text("mov.u32 %r3, 1;\n" + steps +
                     "mad.wide.u32 %rd2, %r1, 4, %rd1;\nst.global.u32 [%rd2], %r3;\n",
                 shape(1, 32), a, b);
  EXPECT_EQ(reinterpret_cast<const uint32_t*>(b.data())[31], 32u);
  const cucore_cpu_counts& t = counted.totals();
  EXPECT_EQ(t.warp_instructions, 6u + 1 + 10 + 2);
  EXPECT_EQ(t.thread_instructions, 32u * 19);
  EXPECT_EQ(t.executed_threads, 32u * 19 - 31);  // 1 + 2 + 4 + 8 + 16 lanes do not add
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_EXCHANGE), 5u);
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_INTEGER), 6u);
  EXPECT_EQ(t.operations[CUCORE_CPU_OPERATION_INTEGER], 5u * 32 - 31 + 64);
  EXPECT_EQ(t.divergent_branches, 0u);
}

// x * 2.0 instead of x * 2.0f: two conversions and a product of f64. W = 4.
TEST(CountedKernels, DoubleByAccident) {
  const Array<float> a(128, 3), b(128);
  const Counted counted = count_text(
      "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd0, %rd2;\nld.global.f32 %f0, [%rd3];\n"
      ".loc 1 12 9\ncvt.f64.f32 %fd0, %f0;\nmul.f64 %fd1, %fd0, 0d4000000000000000;\n"
      "cvt.rn.f32.f64 %f1, %fd1;\n.loc 1 13 1\nadd.u64 %rd4, %rd1, %rd2;\n"
      "st.global.f32 [%rd4], %f1;\n",
      shape(1, 128), a, b, ".file 1 \"scale.cu\"\n");
  EXPECT_EQ(b[5], 6.0f);
  expect_instructions(counted, 4, 8);
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_F64), 4u);
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_CONVERSION), 8u);
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_F32), 0u);
  EXPECT_EQ(counted.totals().operations[CUCORE_CPU_OPERATION_F64], 128u);
  const cucore_cpu_trace_row& row = counted.row("mul.f64");
  EXPECT_STREQ(row.file, "scale.cu");
  EXPECT_EQ(row.line, 12u);
  // The body begins on line 11, behind 4 lines with .file, the head of 4 and the frame of 2.
  EXPECT_EQ(row.ptx_line, 16u);
  EXPECT_STREQ(row.text, "mul.f64 %fd1, %fd0, 0d4000000000000000");
  EXPECT_STREQ(row.function, "k");
  EXPECT_EQ(counted.row("st.global").line, 13u);
  EXPECT_EQ(counted.row("ld.global").line, 0u);
  EXPECT_STREQ(counted.row("ld.global").file, "");
}

// A thread stores 16 words of its own array and loads the one with its number. W = 1.
TEST(CountedKernels, LocalArray) {
  const Array<float> a(32), b(32);
  std::string stores;
  for (int i = 0; i < 16; ++i) stores += "st.local.u32 [l+" + std::to_string(4 * i) + "], %r1;\n";
  const Counted counted = count_text(
      ".local .align 4 .b8 l[64];\n" + stores +
          "and.b32 %r3, %r1, 15;\nshl.b32 %r4, %r3, 2;\nmov.u32 %r5, l;\nadd.u32 %r6, %r5, %r4;\n"
          "ld.local.u32 %r7, [%r6];\nld.local.v2.u32 {%r8, %r9}, [l];\n"
          "mad.wide.u32 %rd2, %r1, 4, %rd1;\nst.global.u32 [%rd2], %r7;\n",
      shape(1, 32), a, b);
  expect_instructions(counted, 1, 24);
  // A word of all lanes is 128 bytes in a row: 4 sectors, 16 times.
  expect_traffic(counted.totals().local_store, 16, 16 * 128, 64);
  // Lane l loads word l % 16: 8 neighbours, which share a sector for one word, load 8 words. So
  // each lane has a sector of its own: 32. The vector is two words of all lanes: 8.
  expect_traffic(counted.totals().local_load, 2, 128 + 256, 32 + 8);
  EXPECT_EQ(counted.launch().loads[CUCORE_CPU_SPACE_LOCAL][2], 1u);
  EXPECT_EQ(counted.launch().loads[CUCORE_CPU_SPACE_LOCAL][3], 1u);
  expect_traffic(counted.totals().global_store, 1, 128, 4);
}

// 32 threads copy 16 bytes each, in a row, into shared memory. W = 1.
TEST(CountedKernels, AsynchronousCopy) {
  const Array<float> a(128, 2), b(128);
  const Counted counted = count_text(
      ".shared .align 16 .b8 s[512];\nmov.u32 %r3, s;\nmad.lo.u32 %r4, %r1, 16, %r3;\n"
      "mul.wide.u32 %rd2, %r1, 16;\nadd.u64 %rd3, %rd0, %rd2;\n"
      "cp.async.cg.shared.global [%r4], [%rd3], 16;\ncp.async.wait_all;\n"
      "ld.shared.f32 %f0, [%r4];\nst.global.f32 [%rd1], %f0;\n",
      shape(1, 32), a, b);
  EXPECT_EQ(b[0], 2.0f);
  // 512 bytes are 16 sectors, and 4 wavefronts of 128 bytes.
  expect_traffic(counted.totals().global_load, 1, 512, 16);
  expect_shared(counted.totals().shared_store, 1, 512, 4, 0);
  EXPECT_EQ(counted.launch().footprint_read, 16u);
  EXPECT_EQ(counted.totals().other_accesses, 0u);
}

// The lower 8 threads copy 4 bytes, the others write zeros. All write to one bank. W = 1.
TEST(CountedKernels, AsynchronousCopyOfAPart) {
  const Array<float> a(32, 2), b(32);
  const Counted counted = count_text(
      ".shared .align 16 .b8 s[4096];\nmov.u32 %r3, s;\nmad.lo.u32 %r4, %r1, 128, %r3;\n"
      "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd0, %rd2;\n"
      "setp.lt.u32 %p0, %r1, 8;\nselp.u32 %r5, 4, 0, %p0;\n"
      "cp.async.ca.shared.global [%r4], [%rd3], 4, %r5;\ncp.async.wait_all;\n",
      shape(1, 32), a, b);
  expect_traffic(counted.totals().global_load, 1, 32, 1);
  expect_shared(counted.totals().shared_store, 1, 128, 32, 31);
}

// One thread copies 512 bytes into shared memory, and one copies 256 of them back. W = 1.
TEST(CountedKernels, BulkCopies) {
  const Array<float> a(128, 2), b(128);
  const Counted counted = count_text(
      ".shared .align 128 .b8 s[512]; .shared .align 8 .b64 bar;\n"
      "setp.eq.u32 %p0, %r1, 0;\n@%p0 mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n"
      "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512;\n"
      "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd0], 512, "
      "[bar];\nagain:\nmbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;\n@!%p1 bra again;\n"
      "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256;\n"
      "@%p0 cp.async.bulk.commit_group;\n@%p0 cp.async.bulk.wait_group 0;\n",
      shape(1, 32), a, b);
  EXPECT_EQ(b[63], 2.0f);
  EXPECT_EQ(b[64], 0.0f);
  expect_traffic(counted.totals().global_load, 1, 512, 16);
  expect_traffic(counted.totals().global_store, 1, 256, 8);
  expect_shared(counted.totals().shared_store, 1, 512, 4, 0);
  expect_shared(counted.totals().shared_load, 1, 256, 2, 0);
  EXPECT_EQ(counted.launch().footprint_read, 16u);
  EXPECT_EQ(counted.launch().footprint_written, 8u);
  EXPECT_EQ(counted.totals().other_accesses, 0u);
}

// The rows of a matrix have 16 bytes. W = 1.
TEST(CountedKernels, LoadsOfMatrices) {
  const Array<float> a(32), b(32);
  const std::string head =
      ".shared .align 16 .b8 s[4096];\nmov.u32 %r3, s;\nmad.lo.u32 %r4, %r1, 16, %r3;\n"
      "mad.lo.u32 %r5, %r1, 128, %r3;\n";
  // In a row, each matrix is one wavefront.
  const Counted rows =
      count_text(head + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6, %r7, %r8, %r9}, [%r4];\n",
                 shape(1, 32), a, b);
  expect_shared(rows.totals().shared_load, 1, 512, 4, 0);
  // 128 bytes apart, the rows of a matrix are in the same banks: 8 wavefronts in place of 1.
  const Counted conflicts =
      count_text(head + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6, %r7, %r8, %r9}, [%r5];\n",
                 shape(1, 32), a, b);
  expect_shared(conflicts.totals().shared_load, 1, 512, 32, 28);
  // One matrix has the addresses of 8 lanes.
  const Counted one =
      count_text(head +
                     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [%r5];\n"
                     "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r4], {%r6, %r6};\n",
                 shape(1, 32), a, b);
  expect_shared(one.totals().shared_load, 1, 128, 8, 7);
  expect_shared(one.totals().shared_store, 1, 256, 2, 0);
  EXPECT_EQ(one.totals().other_accesses, 0u);
}

// A matrix of 16 x 16 halves has 16 lines of 32 bytes, one of floats 16 lines of 64. W = 1.
TEST(CountedKernels, FragmentsOfMatrices) {
  const Array<float> a(1024), b(1024);
  const Counted global = count_text(
      "mov.u32 %r3, 32;\n"
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
      "{%r4,%r5,%r6,%r7,%r8,%r9,%r10,%r11}, [%rd0], %r3;\n"
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], "
      "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, %r3;\n",
      shape(1, 32), a, b);
  expect_traffic(global.totals().global_load, 1, 512, 16);
  expect_traffic(global.totals().global_store, 1, 1024, 32);
  EXPECT_EQ(global.launch().footprint_read, 16u);
  EXPECT_EQ(global.launch().footprint_written, 32u);
  const Counted shared = count_text(
      ".shared .align 16 .b8 s[512];\n"
      "mov.u32 %r12, s;\nwmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
      "{%r4,%r5,%r6,%r7,%r8,%r9,%r10,%r11}, [%r12];\n",
      shape(1, 32), a, b);
  expect_shared(shared.totals().shared_load, 1, 512, 4, 0);
  EXPECT_EQ(shared.totals().other_accesses, 0u);
}

// Instructions whose class or traffic is not that of their first type. W = 1.
TEST(CountedKernels, WideAccessesAndPairs) {
  const Array<float> a(512), b(512);
  const Counted counted = count_text(
      ".reg .b128 %q;\n.shared .align 16 .b8 s[512];\nmul.wide.u32 %rd2, %r1, 32;\n"
      "add.u64 %rd3, %rd0, %rd2;\nadd.u64 %rd4, %rd1, %rd2;\nld.global.b128 %q, [%rd3];\n"
      "ld.global.v8.b32 {%r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10}, [%rd3];\n"
      "st.global.b128 [%rd4], %q;\nmov.u64 %rd5, 5;\nfma.rn.f32x2 %rd6, %rd5, %rd5, %rd5;\n"
      "cvt.u16.u32 %rs1, %r3;\nadd.f32.f16 %f0, %rs1, %f1;\nvmad.s32.s32.s32 %r3, %r4, %r5, %r6;\n"
      "vset.u32.u32.lt %r3, %r4, %r5;\nmov.u32 %r11, s;\n"
      "st.bulk.weak.shared::cta [%r11], 512, 0;\n"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q;\n"
      "fence.acquire.sync_restrict::shared::cluster.cluster;\n",
      shape(1, 32), a, b);
  // Each thread has its own sector, of which it loads a half.
  expect_traffic(counted.totals().global_load, 1, 32 * 16, 32);
  expect_traffic(counted.totals().global_store, 1, 32 * 16, 32);
  EXPECT_EQ(counted.row("ld.global.b128").width, 16u);
  EXPECT_EQ(counted.row("ld.global.v8").counts.other_accesses, 1u);
  EXPECT_EQ(counted.row("st.bulk").counts.other_accesses, 1u);
  EXPECT_EQ(counted.totals().other_accesses, 2u);
  EXPECT_EQ(counted.totals().operations[CUCORE_CPU_OPERATION_F32], 32u * 4 + 32);
  EXPECT_EQ(counted.warps_of(CUCORE_CPU_CLASS_F32), 2u);
  EXPECT_EQ(counted.row("vmad").instruction_class, uint32_t{CUCORE_CPU_CLASS_INTEGER});
  EXPECT_EQ(counted.row("vset").instruction_class, uint32_t{CUCORE_CPU_CLASS_INTEGER});
  EXPECT_EQ(counted.row("clusterlaunch").instruction_class, uint32_t{CUCORE_CPU_CLASS_OTHER});
  EXPECT_EQ(counted.row("fence").instruction_class, uint32_t{CUCORE_CPU_CLASS_BARRIER});
}

}  // namespace
}  // namespace cucore::cpu::test
