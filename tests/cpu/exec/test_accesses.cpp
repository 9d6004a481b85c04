// SPDX-License-Identifier: Apache-2.0
// Accesses of 128 and 256 bits, st.bulk, fences of the cluster, and instructions that only
// multicast objects could execute.
#include <gtest/gtest.h>

#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

std::string wide_text(const std::string& body, const std::string& before = "") {
  return kernel_text(".reg .b128 %q<4>;\n" + body, before);
}

// Thread t moves 16 bytes at 16 * t.
TEST(WideAccesses, MoveWholeValuesBetweenSpaces) {
  Array<uint64_t> a(64), b(64);
  for (size_t k = 0; k < 64; ++k) a[k] = k * 0x0123456789abcdefu + 7;
  const std::string text = wide_text(
      "mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd1, %rd2;"
      "mov.u32 %r3, s; cvt.u32.u64 %r4, %rd2; add.u32 %r3, %r3, %r4; xor.b32 %r5, %r3, 16;"
      "ld.global.b128 %q0, [%rd3]; st.shared.b128 [%r3], %q0; bar.warp.sync -1;"
      "ld.shared.b128 %q1, [%r5]; st.local.b128 [l], %q1; ld.local.b128 %q2, [l];"
      "st.global.b128 [%rd4], %q2;",
      ".shared .align 16 .b8 s[512];\n");
  std::string with_local = text;
  with_local.insert(with_local.find(".reg .b128"), ".local .align 16 .b8 l[16];\n");
  expect_success(run_text(with_local, shape(1, 32), a.address(), b.address()));
  for (size_t k = 0; k < 64; ++k) EXPECT_EQ(b[k], a[k ^ 2]) << k;
}

TEST(WideAccesses, OfAPartOfTheWarpKeepOtherRegisters) {
  Array<uint64_t> a(64), b(64);
  for (size_t k = 0; k < 64; ++k) a[k] = k + 1000;
  expect_success(run_text(
      wide_text("mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd1, %rd2;"
                "mov.u64 %rd5, 5; mov.u64 %rd6, 6; mov.b128 %q0, {%rd5, %rd6};"
                "setp.lt.u32 %p1, %r1, 20; @%p1 ld.volatile.global.b128 %q0, [%rd3];"
                "st.relaxed.gpu.global.b128 [%rd4], %q0;"),
      shape(1, 32), a.address(), b.address()));
  for (size_t k = 0; k < 64; ++k) EXPECT_EQ(b[k], k < 40 ? k + 1000 : 5 + k % 2) << k;
}

TEST(WideAccesses, NeedTheirAlignment) {
  Array<uint64_t> a(8), b(8);
  expect_fault(run_text(wide_text("ld.global.b128 %q0, [%rd0+8];"), shape(1, 1), a.address()),
               CUDA_ERROR_MISALIGNED_ADDRESS, {"read 16 bytes", "PTX line"});
  expect_fault(run_text(wide_text("st.global.b128 [%rd0+64], %q0;"), shape(1, 1), a.address()),
               CUDA_ERROR_ILLEGAL_ADDRESS, {"wrote 16 bytes", "PTX line"});
}

// Two blocks write pairs of equal halves; a reader never sees a mixed pair.
TEST(WideAccesses, WithAnOrderAreNotDivided) {
  Array<uint64_t> a(2), b(1);
  const std::string text = wide_text(
      "mov.u32 %r3, 0; setp.eq.u32 %p3, %r2, 0; cvt.u64.u32 %rd5, %r2;\n"
      "again: @%p3 bra read; mov.b128 %q0, {%rd5, %rd5}; st.release.gpu.global.b128 [%rd0], %q0;"
      "bra next;\nread: ld.acquire.gpu.global.b128 %q1, [%rd0]; mov.b128 {%rd6, %rd7}, %q1;"
      "setp.ne.u64 %p4, %rd6, %rd7; @%p4 st.global.u64 [%rd1], %rd6;\n"
      "next: add.u32 %r3, %r3, 1; setp.lt.u32 %p5, %r3, 20000; @%p5 bra again;");
  expect_success(run_text(text, shape(3, 1), a.address(), b.address()));
  EXPECT_EQ(b[0], 0u);
}

// Eight words per thread, in reverse order.
TEST(WideAccesses, OfEightWords) {
  Array<uint32_t> a(256), b(256, 9);
  for (uint32_t k = 0; k < 256; ++k) a[k] = k * 3;
  const std::string text = kernel_text(
      "mul.wide.u32 %rd2, %r1, 32; add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd1, %rd2;"
      "ld.global.v8.b32 {%r3, %r4, _, %r6, %r7, %r8, %r9, %r10}, [%rd3];"
      "mov.u32 %r5, 1; setp.lt.u32 %p1, %r1, 31;"
      "@%p1 st.global.v8.b32 [%rd4], {%r10, %r9, %r8, %r7, %r6, %r5, %r4, %r3};");
  expect_success(
      run_text(text, shape(1, 32), (a.address() + 31) / 32 * 32, (b.address() + 31) / 32 * 32));
  ASSERT_EQ(a.address() % 32, 0u);
  for (uint32_t k = 0; k < 256; ++k)
    EXPECT_EQ(b[k], k / 8 == 31 ? 9 : k % 8 == 5 ? 1 : a[k / 8 * 8 + 7 - k % 8]) << k;
  expect_fault(run_text(text, shape(1, 1), a.address() + 16, b.address()),
               CUDA_ERROR_MISALIGNED_ADDRESS, {"read 32 bytes", "PTX line"});
}

TEST(WideAccesses, OfFourDoubles) {
  Array<double> a(16), b(16);
  for (size_t k = 0; k < 16; ++k) a[k] = double(k) / 3;
  expect_success(run_text(
      kernel_text("mul.wide.u32 %rd2, %r1, 32; add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd1, %rd2;"
                  "ld.global.v4.f64 {%fd0, %fd1, %fd2, %fd3}, [%rd3];"
                  "st.global.v4.f64 [%rd4], {%fd3, %fd2, %fd1, %fd0};"),
      shape(1, 4), a.address(), b.address()));
  for (size_t k = 0; k < 16; ++k) EXPECT_EQ(b[k], a[k / 4 * 4 + 3 - k % 4]);
}

TEST(Accesses, OfDevicesOutsideAreRelaxed) {
  Array<uint32_t> a(1, 41), b(1);
  expect_success(run_text(kernel_text("ld.mmio.relaxed.sys.global.u32 %r3, [%rd0]; add.u32 %r3, "
                                      "%r3, 1; st.mmio.relaxed.sys.global.u32 [%rd1], %r3;"),
                          shape(1, 1), a.address(), b.address()));
  EXPECT_EQ(b[0], 42u);
}

// ---- st.bulk

const char* const ZEROED = ".shared .align 16 .b8 s[256];\n";

std::string bulk_text(const std::string& store) {
  return kernel_text(
      "shl.b32 %r3, %r1, 2; mov.u32 %r4, s; add.u32 %r5, %r4, %r3; st.shared.u32 [%r5], 7;"
      "bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra done; cvt.u64.u32 %rd2, %r0;" +
          store +
          "\ndone: bar.sync 0; ld.shared.u32 %r6, [%r5]; cvt.u64.u32 %rd4, %r3;"
          "add.s64 %rd4, %rd4, %rd1; st.global.u32 [%rd4], %r6;",
      ZEROED);
}

TEST(BulkStores, SetBytesToZero) {
  Array<uint32_t> b(64);
  const std::string generic =
      bulk_text("cvta.shared.u64 %rd3, s; add.s64 %rd3, %rd3, 8; st.bulk [%rd3], %rd2, 0;");
  std::string converted = generic;
  converted.replace(converted.find("cvta.shared.u64 %rd3, s;"), 24,
                    "mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3;");
  for (const std::string& text :
       {bulk_text("st.bulk.weak.shared::cta [%r4+8], %rd2, 0;"), converted})
    for (const int size : {0, 8, 40, 248}) {
      expect_success(run_text(text, shape(1, 64), 0, b.address(), size));
      for (int k = 0; k < 64; ++k)
        EXPECT_EQ(b[size_t(k)], k >= 2 && k < 2 + size / 4 ? 0u : 7u) << k << " " << size;
    }
}

TEST(BulkStores, RefuseWrongPlacesAndSizes) {
  Array<uint32_t> b(64);
  const auto fault = [&](const char* store, int size, CUresult code, const char* part) {
    expect_fault(run_text(bulk_text(store), shape(1, 64), 0, b.address(), size), code,
                 {part, "PTX line"});
  };
  fault("st.bulk.shared::cta [%r4], %rd2, 0;", 12, CUDA_ERROR_MISALIGNED_ADDRESS, "multiples of 8");
  fault("st.bulk.shared::cta [%r4+4], %rd2, 0;", 8, CUDA_ERROR_MISALIGNED_ADDRESS,
        "multiples of 8");
  fault("st.bulk.shared::cta [%r4], %rd2, 0;", 264, CUDA_ERROR_ILLEGAL_ADDRESS, "wrote 264 bytes");
  fault("st.bulk.shared::cta [%r4], -8, 0;", 0, CUDA_ERROR_ILLEGAL_ADDRESS, "wrote");
  fault("st.bulk [%rd1], %rd2, 0;", 8, CUDA_ERROR_ILLEGAL_ADDRESS, "an address in shared memory");
  fault("st.bulk.shared::cta [%r4], %rd2, 1;", 8, CUDA_ERROR_NOT_SUPPORTED, "st.bulk.shared::cta");
}

// ---- without an effect, and without an object

TEST(Accesses, FencesAndPrefetchesHaveNoEffect) {
  Array<uint64_t> a(16);
  expect_success(run_text(
      kernel_text("fence.acquire.sync_restrict::shared::cluster.cluster;"
                  "fence.release.sync_restrict::shared::cta.cluster;"
                  "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;"
                  "prefetch.tensormap [%rd0]; prefetch.param.tensormap [a];"
                  "prefetch.const.tensormap [%rd0];"),
      shape(1, 32), a.address()));
}

TEST(Accesses, MulticastNeedsAnObject) {
  Array<uint32_t> a(4);
  for (const char* text :
       {"multimem.ld_reduce.global.add.u32 %r3, [%rd0];", "multimem.st.global.u32 [%rd0], %r1;",
        "multimem.red.release.gpu.global.max.s32 [%rd0], %r1;",
        "multimem.ld_reduce.relaxed.gpu.global.add.acc::f32.v2.f16x2 {%r3, %r4}, [%rd0];"})
    expect_fault(run_text(kernel_text(text), shape(1, 1), a.address()), CUDA_ERROR_ILLEGAL_ADDRESS,
                 {"multicast object", "this device has none", "PTX line"});
}

}  // namespace
}  // namespace cucore::cpu::test
