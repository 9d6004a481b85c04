// SPDX-License-Identifier: Apache-2.0
// Generic addresses of shared memory, in every pattern of a warp, next to those of global memory.
#include <gtest/gtest.h>

#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

constexpr unsigned GENERIC_BLOCKS = 3, GENERIC_THREADS = 64;

// Thread t of a block stores a number to word t of s. It then loads the word whose byte offset the
// pattern leaves in %r4.
std::string pattern_text(const std::string& pattern) {
  return kernel_text(
      "mov.u32 %r3, %ctaid.x; mad.lo.u32 %r5, %r3, 1000, %r1; mul.wide.u32 %rd2, %r1, 4;"
      "mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; add.s64 %rd4, %rd3, %rd2; st.u32 [%rd4], %r5;"
      "bar.sync 0;\n" +
          pattern +
          "cvt.u64.u32 %rd5, %r4; add.s64 %rd5, %rd5, %rd3; ld.u32 %r6, [%rd5];"
          "mad.lo.u32 %r7, %r3, 64, %r1; mul.wide.u32 %rd6, %r7, 4; add.s64 %rd6, %rd6, %rd1;"
          "st.global.u32 [%rd6], %r6;",
      ".shared .align 4 .b8 gap[32];\n.shared .align 4 .b8 s[256];\n");
}

struct SharedPattern {
  const char* text;
  unsigned (*word)(unsigned thread);
};
constexpr SharedPattern GENERIC_PATTERNS[] = {
    {"shl.b32 %r4, %r1, 2;\n", [](unsigned t) { return t; }},
    {"mov.u32 %r4, 20;\n", [](unsigned) { return 5u; }},
    {"sub.u32 %r4, 63, %r1; shl.b32 %r4, %r4, 2;\n", [](unsigned t) { return 63 - t; }},
    {"mul.lo.u32 %r4, %r1, 28; and.b32 %r4, %r4, 252;\n", [](unsigned t) { return t * 7 % 64; }},
    {"and.b32 %r4, %r1, 15; shl.b32 %r4, %r4, 2;\n", [](unsigned t) { return t & 15; }},
    {"shr.u32 %r4, %r1, 4; shl.b32 %r4, %r4, 2;\n", [](unsigned t) { return t >> 4; }},
};

TEST(GenericShared, HasEveryPattern) {
  for (const SharedPattern& pattern : GENERIC_PATTERNS) {
    Array<uint32_t> a(1), b(GENERIC_BLOCKS * GENERIC_THREADS);
    expect_success(run_text(pattern_text(pattern.text), shape(GENERIC_BLOCKS, GENERIC_THREADS),
                            a.address(), b.address()));
    for (unsigned i = 0; i < GENERIC_BLOCKS * GENERIC_THREADS; ++i)
      ASSERT_EQ(b[i], i / GENERIC_THREADS * 1000 + pattern.word(i % GENERIC_THREADS))
          << pattern.text << i;
  }
}

// Even lanes have a cell in shared memory, odd ones in global memory, which flushes subnormals.
TEST(GenericShared, SumsKeepSubnormals) {
  for (const char* sum : {"atom.add.f32 %f1, [%rd5], 0f00000001;",
                          "red.add.f32 [%rd5], "
                          "0f00000001;"}) {
    Array<uint32_t> a(32), b(32);
    expect_success(run_text(
        kernel_text("mul.wide.u32 %rd2, %r1, 4; mov.u64 %rd3, s; add.s64 %rd3, %rd3, %rd2;"
                    "st.shared.u32 [%rd3], 0; cvta.shared.u64 %rd5, %rd3; add.s64 %rd4, %rd1, %rd2;"
                    "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 1; @%p1 mov.u64 %rd5, %rd4;\n" +
                        std::string(sum) +
                        "ld.shared.u32 %r4, [%rd3]; add.s64 %rd2, %rd2, %rd0;"
                        "st.global.u32 [%rd2], %r4;",
                    ".shared .align 4 .b8 s[128];\n"),
        shape(1, 32), a.address(), b.address()));
    for (unsigned l = 0; l < 32; ++l) {
      EXPECT_EQ(a[l], l % 2 ? 0u : 1u) << sum << l;
      EXPECT_EQ(b[l], 0u) << sum << l;
    }
  }
}

TEST(GenericShared, IsMixedWithGlobalMemory) {
  Array<uint32_t> a(GENERIC_THREADS), b(GENERIC_BLOCKS * GENERIC_THREADS);
  for (unsigned i = 0; i < GENERIC_THREADS; ++i) a[i] = 70000 + i;
  const std::string odd_in_global =
      "shl.b32 %r4, %r1, 2; and.b32 %r8, %r1, 1; setp.eq.u32 %p1, %r8, 1; @%p1 mov.u64 %rd3, %rd0;";
  expect_success(run_text(pattern_text(odd_in_global), shape(GENERIC_BLOCKS, GENERIC_THREADS),
                          a.address(), b.address()));
  for (unsigned i = 0; i < GENERIC_BLOCKS * GENERIC_THREADS; ++i) {
    const unsigned t = i % GENERIC_THREADS;
    ASSERT_EQ(b[i], t % 2 ? 70000 + t : i / GENERIC_THREADS * 1000 + t) << i;
  }
}

TEST(GenericShared, EndsWithTheMemoryOfTheBlock) {
  Array<uint32_t> a(1), b(GENERIC_BLOCKS * GENERIC_THREADS);
  const auto fault = [&](const char* pattern, CUresult code, const char* part) {
    expect_fault(run_text(pattern_text(pattern), shape(GENERIC_BLOCKS, GENERIC_THREADS),
                          a.address(), b.address()),
                 code, {part, "PTX line"});
  };
  fault("add.u32 %r4, %r1, 1; shl.b32 %r4, %r4, 2;", CUDA_ERROR_ILLEGAL_ADDRESS, "thread (63,0,0)");
  fault("mov.u32 %r4, 256;", CUDA_ERROR_ILLEGAL_ADDRESS, "shared memory");
  fault("mov.u32 %r4, 254;", CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned");
  fault("mov.u32 %r4, 2;", CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned");
}

}  // namespace
}  // namespace cucore::cpu::test
