// SPDX-License-Identifier: Apache-2.0
// Wrong uses of matrix instructions, which must be faults with a message.
#include <gtest/gtest.h>

#include <utility>

#include "expect.hpp"
#include "text.hpp"

namespace cucore::cpu::test {
namespace {

void expect_fault_of(const std::string& body, const Shape& shape, CUresult code,
                     std::initializer_list<const char*> parts, uint64_t a = 0) {
  const auto fault = run_text(kernel_text(body), shape, a);
  ASSERT_TRUE(fault) << body;
  EXPECT_EQ(fault->code, code) << fault->text;
  for (const char* part : parts)
    EXPECT_NE(fault->text.find(part), std::string::npos) << part << "\n" << fault->text;
}

const char* const LOAD = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3,%r4,%r5,%r6}, [%r7];";
const char* const PRODUCT =
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r3,%r4}, {%r5}, "
    "{%f1,%f2,%f3,%f4};";

std::string with_shared(const std::string& body) {
  return ".shared .align 16 .b8 sh[512]; mov.u32 %r7, sh; " + body;
}

TEST(Matrices, RowsOutsideOfSharedMemory) {
  expect_fault_of(with_shared("mad.lo.u32 %r7, %r1, 32, %r7; ") + LOAD, shape(1, 32),
                  CUDA_ERROR_ILLEGAL_ADDRESS, {"thread (16,0,0)", "read 16 bytes", "512 bytes"});
  expect_fault_of(with_shared("add.u32 %r7, %r7, -16; ") + LOAD, shape(1, 32),
                  CUDA_ERROR_ILLEGAL_ADDRESS, {"read 16 bytes"});
  expect_fault_of(with_shared("mad.lo.u32 %r7, %r1, 32, %r7; ") +
                      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r7], {%r3,%r4,%r5,%r6};",
                  shape(1, 32), CUDA_ERROR_ILLEGAL_ADDRESS, {"wrote 16 bytes"});
}

TEST(Matrices, MisalignedRows) {
  expect_fault_of(with_shared("add.u32 %r7, %r7, 8; ") + LOAD, shape(1, 32),
                  CUDA_ERROR_MISALIGNED_ADDRESS, {"misaligned address", "ldmatrix"});
}

TEST(Matrices, RowsInGlobalMemory) {
  Array<char> memory(512);
  expect_fault_of("ldmatrix.sync.aligned.m8n8.x1.b16 {%r3}, [%rd0];", shape(1, 32),
                  CUDA_ERROR_INVALID_ADDRESS_SPACE, {"not in shared memory"}, memory.address());
}

TEST(Matrices, WarpsWithoutAllLanes) {
  expect_fault_of(PRODUCT, shape(1, 31), CUDA_ERROR_ILLEGAL_INSTRUCTION,
                  {"incomplete warp", "0x7fffffff", "all 32 lanes"});
  expect_fault_of("setp.lt.u32 %p1, %r1, 5; @%p1 exit; " + std::string(PRODUCT), shape(1, 32),
                  CUDA_ERROR_ILLEGAL_INSTRUCTION, {"0xffffffe0"});
}

// Lanes that come from different branches execute the instruction together.
TEST(Matrices, DivergedLanesMeet) {
  const std::string body =
      "mov.f32 %f1, 0f3F800000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1; "
      "mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0; "
      "setp.lt.u32 %p1, %r1, 7; @%p1 bra A; mov.u32 %r3, 0; bra B; A: mov.u32 %r4, 0; B: " +
      std::string(PRODUCT) +
      " mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd0; "
      "st.global.f32 [%rd2], %f4;";
  Array<float> out(32);
  const auto fault = run_text(kernel_text(body), shape(1, 32), out.address());
  ASSERT_FALSE(fault) << fault->text;
  for (float value : out.values()) EXPECT_EQ(value, 1.0f);
}

const char* const LOAD_A =
    "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r3,%r4,%r5,%r6,%r7,%r8,%r9,%r10}, "
    "[%rd0], ";

// The sum of each element is 4 + 2^-60.
TEST(Matrices, ProductsOfDoublesRound) {
  for (const auto& [rounding, expected] : {std::pair{"", 4.0},
                                           {".rn", 4.0},
                                           {".rz", 4.0},
                                           {".rm", 4.0},
                                           {".rp", 0x1.0000000000001p2}}) {
    Array<double> sums(2);
    expect_success(
        run_text(kernel_text("mov.f64 %fd0, 0d3ff0000000000000; mov.f64 %fd1, 0d3c30000000000000;"
                             "mma.sync.aligned.m8n8k4.row.col" +
                             std::string(rounding) +
                             ".f64.f64.f64.f64 {%fd2, %fd3}, {%fd0}, {%fd0}, {%fd1, %fd1};"
                             "st.global.v2.f64 [%rd0], {%fd2, %fd3};"),
                 shape(1, 32), sums.address()));
    EXPECT_EQ(sums[0], expected) << rounding;
    EXPECT_EQ(sums[1], expected) << rounding;
  }
}

TEST(Matrices, FragmentsOutsideOfTheirMemory) {
  Array<char> memory(512);
  expect_fault_of(std::string(LOAD_A) + "24;", shape(1, 32), CUDA_ERROR_ILLEGAL_ADDRESS,
                  {"past the end"}, memory.address());
  expect_fault_of(std::string(LOAD_A) + "0x7fffffff;", shape(1, 32), CUDA_ERROR_MISALIGNED_ADDRESS,
                  {}, memory.address());
  expect_fault_of(std::string(LOAD_A) + "16;", shape(1, 32), CUDA_ERROR_MISALIGNED_ADDRESS, {},
                  memory.address() + 1);
  expect_fault_of(std::string(LOAD_A) + "16;", shape(1, 32), CUDA_ERROR_ILLEGAL_ADDRESS,
                  {"null pointer"});
}

const char* const ASYNC =
    "setp.eq.u32 %p1, 0, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, "
    "%rd2, %rd3, %p1, 1, 1, 0, 0;";

TEST(Matrices, WrongDescriptors) {
  const std::string shared = ".shared .align 1024 .b8 sh[16384]; ";
  expect_fault_of(shared + "mov.u64 %rd2, -1; mov.u64 %rd3, -1; " + ASYNC, shape(1, 128),
                  CUDA_ERROR_ILLEGAL_ADDRESS, {"wgmma", "shared memory"});
  expect_fault_of(shared + "mov.u64 %rd2, 0x3fff3fff3fff; mov.u64 %rd3, 0; " + ASYNC, shape(1, 128),
                  CUDA_ERROR_ILLEGAL_ADDRESS, {"shared memory"});
  expect_fault_of(shared + "cvt.u64.u32 %rd2, %r1; mov.u64 %rd3, 0; " + ASYNC, shape(1, 128),
                  CUDA_ERROR_ILLEGAL_INSTRUCTION, {"invalid matrix descriptor"});
  expect_fault_of(shared + "mov.u64 %rd2, 0; mov.u64 %rd3, 0; " + ASYNC, shape(1, 96),
                  CUDA_ERROR_ILLEGAL_INSTRUCTION, {"incomplete warpgroup", "3 warps"});
}

TEST(Matrices, WaitingForAWarpThatIsGone) {
  expect_fault_of("setp.lt.u32 %p1, %r1, 32; @%p1 exit; wgmma.wait_group.sync.aligned 0;",
                  shape(1, 128), CUDA_ERROR_LAUNCH_TIMEOUT, {"deadlock", "wgmma.wait_group"});
}

TEST(Matrices, WrongOperandsDoNotLoad) {
  const char* const texts[] = {
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3}, {%r3,%r4}, {%r5}, "
      "{%f1,%f2,%f3,%f4};",
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r3,%rd4}, {%r5}, "
      "{%f1,%f2,%f3,%f4};",
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 %r3, [%r7];",
      "stmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r7];",
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd2, %rd3, %p1, 2, 1, "
      "0, 0;"};
  for (const char* text : texts)
    EXPECT_THROW(load_text(kernel_text(text)), std::runtime_error) << text;
}

// The log of the load and the text of the fault contain the instruction and its line.
TEST(Matrices, MissingInstructionsAreNamed) {
  const std::string text =
      kernel_text("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], 32;");
  std::string log;
  CUresult code = CUDA_SUCCESS;
  const auto module = LoadedModule::load(text.data(), text.size(), 0, {}, log, code);
  ASSERT_TRUE(module) << log;
  EXPECT_NE(log.find("PTX line 10: 'tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], "
                     "32' is not implemented on the CPU device"),
            std::string::npos)
      << log;
  const auto fault = run_text(text, shape(1, 32));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(fault->text.find("tcgen05.alloc"), std::string::npos) << fault->text;
  EXPECT_NE(fault->text.find("PTX line 10"), std::string::npos) << fault->text;
}

}  // namespace
}  // namespace cucore::cpu::test
