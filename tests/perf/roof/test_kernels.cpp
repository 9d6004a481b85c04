// SPDX-License-Identifier: Apache-2.0
// The kernels of roofs: PTX that the parser accepts, and loops that do the work they are credited.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "perf/measure/roof_kernels.hpp"
#include "ptx/parser.hpp"

namespace {

using namespace cucore;
using namespace cucore::perf;

const uint32_t CAPABILITIES[] = {52, 70, 75, 80, 86, 89, 90, 100, 120};

void expect_valid(const std::string& text, const std::string& entry) {
  ptx::Diagnostics log;
  const auto module = ptx::parse(text, log);
  ASSERT_TRUE(module) << log.to_string();
  EXPECT_NE(text.find(".entry " + entry + "("), text.npos);
}

// The text of the loop.
std::string loop_of(const std::string& text) {
  const size_t begin = text.find("again:\n");
  const size_t end = text.find("bra again;");
  EXPECT_NE(begin, text.npos);
  EXPECT_NE(end, text.npos);
  return text.substr(begin, end - begin);
}

size_t count_of(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  return static_cast<size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), wanted), {}));
}

ArithmeticCode code_of(RoofKind kind, uint32_t capability) {
  const auto code = arithmetic_roof_code(kind, capability);
  EXPECT_TRUE(code) << roof_name(kind);
  return code ? *code : ArithmeticCode{};
}

TEST(RoofKernels, AreValidPtx) {
  expect_valid(empty_kernel_ptx(), EMPTY_ENTRY);
  expect_valid(memory_roof_ptx(), L2_ENTRY);
  for (const RoofKind kind : {RoofKind::COPY, RoofKind::READ, RoofKind::WRITE})
    for (const AccessShape& shape : ACCESS_SHAPES)
      expect_valid(memory_roof_ptx(), shape.entry(kind));
  for (const uint32_t capability : CAPABILITIES)
    for (size_t kind = 1; kind <= ROOF_KINDS; ++kind) {
      SCOPED_TRACE(testing::Message() << roof_name(RoofKind(kind)) << " of " << capability);
      if (const auto code = arithmetic_roof_code(RoofKind(kind), capability))
        expect_valid(code->ptx, code->entry);
    }
}

TEST(RoofKernels, ADeviceHasTheOperationsOfItsCapability) {
  const auto has = [](RoofKind kind, uint32_t capability) {
    return arithmetic_roof_code(kind, capability).has_value();
  };
  EXPECT_FALSE(has(RoofKind::F16, 52));
  EXPECT_TRUE(has(RoofKind::F16, 53));
  EXPECT_FALSE(has(RoofKind::MATRIX_F16, 70));
  EXPECT_TRUE(has(RoofKind::MATRIX_F16, 75));
  EXPECT_TRUE(has(RoofKind::MATRIX_INT8, 75));
  EXPECT_FALSE(has(RoofKind::MATRIX_BF16, 75));
  EXPECT_TRUE(has(RoofKind::MATRIX_BF16, 80));
  EXPECT_TRUE(has(RoofKind::MATRIX_TF32, 80));
  EXPECT_TRUE(has(RoofKind::MATRIX_F64, 80));
  EXPECT_FALSE(has(RoofKind::MATRIX_FP8, 86));
  EXPECT_TRUE(has(RoofKind::MATRIX_FP8, 89));
  EXPECT_FALSE(has(RoofKind::COPY, 90));
  EXPECT_FALSE(has(RoofKind::LAUNCH, 90));
}

TEST(RoofKernels, LoopsDoTheWorkThatCounts) {
  const struct {
    RoofKind kind;
    const char* instruction;
    double operations;  // of one thread
  } rows[] = {
      {RoofKind::F32, "fma\\.rn\\.f32", 2},
      {RoofKind::F64, "fma\\.rn\\.f64", 2},
      {RoofKind::F16, "fma\\.rn\\.f16x2", 4},
      {RoofKind::INTEGER, "mad\\.lo\\.u32", 2},
      {RoofKind::SPECIAL, "ex2\\.approx", 1},
      {RoofKind::SHARED, "ld\\.volatile\\.shared\\.v4", 16},
      {RoofKind::MATRIX_F16, "wgmma\\.mma_async.*m64n256k16\\.f32\\.f16",
       2.0 * 64 * 256 * 16 / 128},
      {RoofKind::MATRIX_BF16, "wgmma\\.mma_async.*m64n256k16\\.f32\\.bf16",
       2.0 * 64 * 256 * 16 / 128},
      {RoofKind::MATRIX_TF32, "wgmma\\.mma_async.*m64n256k8", 2.0 * 64 * 256 * 8 / 128},
      {RoofKind::MATRIX_INT8, "wgmma\\.mma_async.*m64n256k32\\.s32", 2.0 * 64 * 256 * 32 / 128},
      {RoofKind::MATRIX_FP8, "wgmma\\.mma_async.*m64n256k32\\.f32", 2.0 * 64 * 256 * 32 / 128},
      {RoofKind::MATRIX_F64, "mma\\.sync.*m16n8k16", 2.0 * 16 * 8 * 16 / 32}};
  for (const auto& row : rows) {
    SCOPED_TRACE(roof_name(row.kind));
    const ArithmeticCode code = code_of(row.kind, 90);
    const size_t count = count_of(loop_of(code.ptx), row.instruction);
    EXPECT_GT(count, 0U);
    EXPECT_EQ(code.amount, row.operations * static_cast<double>(count));
  }
  // The product of a warp, in the shape that its name states.
  const std::regex shape("mma\\.sync\\.aligned\\.m(\\d+)n(\\d+)k(\\d+)");
  for (const uint32_t capability : {75U, 80U, 89U, 100U, 120U})
    for (int kind = int(RoofKind::MATRIX_F16); kind <= int(RoofKind::MATRIX_FP8); ++kind) {
      const auto code = arithmetic_roof_code(RoofKind(kind), capability);
      if (!code) continue;
      SCOPED_TRACE(testing::Message() << code->entry << " of " << capability);
      const std::string loop = loop_of(code->ptx);
      std::smatch found;
      ASSERT_TRUE(std::regex_search(loop, found, shape));
      const double product = 2.0 * std::stoi(found[1]) * std::stoi(found[2]) * std::stoi(found[3]);
      const auto count = static_cast<double>(count_of(loop, "mma\\.sync"));
      EXPECT_EQ(code->amount, product * count / 32);
    }
}

// The driver takes most of a second to compile one unrolled loop of these.
TEST(RoofKernels, LoopsOfWarpgroupsAreNotUnrolled) {
  size_t kernels = 0;
  for (size_t kind = 1; kind <= ROOF_KINDS; ++kind) {
    const auto code = arithmetic_roof_code(RoofKind(kind), 90);
    if (!code || count_of(code->ptx, "wgmma") == 0) continue;
    ++kernels;
    EXPECT_EQ(count_of(loop_of(code->ptx), "\\.pragma \"nounroll\";"), 1U) << code->entry;
  }
  EXPECT_EQ(kernels, 5U);
}

TEST(RoofKernels, ChunksAreWhatABlockAccesses) {
  for (const AccessShape& shape : ACCESS_SHAPES) {
    EXPECT_EQ(shape.chunk(), 256 * shape.width * shape.unroll);
    const std::string text = memory_roof_ptx();
    const size_t begin = text.find(shape.entry(RoofKind::COPY) + "(");
    ASSERT_NE(begin, text.npos);
    const std::string kernel = text.substr(begin, text.find(".visible", begin) - begin);
    const std::string width = shape.width == 16 ? "\\.v4\\.u32" : "\\.u32";
    EXPECT_EQ(count_of(kernel, "ld\\.global" + width), shape.unroll);
    EXPECT_EQ(count_of(kernel, "  st\\.global" + width), shape.unroll);
  }
}

}  // namespace
