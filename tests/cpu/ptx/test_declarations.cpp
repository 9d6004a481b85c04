// SPDX-License-Identifier: Apache-2.0
// Variables, initial values, constants, parameters and frames.
#include <chrono>
#include <cstring>

#include "ptx_test.hpp"

namespace cucore::ptx::test {
namespace {

template <typename T>
T value_at(const Variable& variable, size_t index) {
  T value{};
  if ((index + 1) * sizeof value <= variable.bytes.size())
    std::memcpy(&value, variable.bytes.data() + index * sizeof value, sizeof value);
  return value;
}

Parsed module(const std::string& text) { return Parsed(HEADER + text); }

struct ConstantCase {
  const char* text;
  uint64_t value;
};

class Constants : public testing::TestWithParam<ConstantCase> {};

TEST_P(Constants, HaveCsValue) {
  Parsed parsed = module(std::string(".global .u64 x = ") + GetParam().text + ";");
  EXPECT_PARSES(parsed);
  EXPECT_EQ(value_at<uint64_t>(parsed.module->variables[0], 0), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Expressions, Constants,
    testing::Values(ConstantCase{"0", 0}, ConstantCase{"0x1F", 31}, ConstantCase{"0XffU", 255},
                    ConstantCase{"017", 15}, ConstantCase{"0b1011", 11}, ConstantCase{"42U", 42},
                    ConstantCase{"18446744073709551615", UINT64_MAX},
                    ConstantCase{"-1", UINT64_MAX}, ConstantCase{"~0", UINT64_MAX},
                    ConstantCase{"!0", 1}, ConstantCase{"!7", 0}, ConstantCase{"- -3", 3},
                    ConstantCase{"1+2*3", 7}, ConstantCase{"(1+2)*3", 9}, ConstantCase{"10-4-3", 3},
                    ConstantCase{"1<<4|1", 17}, ConstantCase{"7/2", 3},
                    ConstantCase{"-7/2", uint64_t(-3)}, ConstantCase{"-7%4", uint64_t(-3)},
                    ConstantCase{"-1>>1", UINT64_MAX}, ConstantCase{"(.u64)-1>>63", 1},
                    ConstantCase{"1<<64", 0}, ConstantCase{"3>2", 1}, ConstantCase{"-1<0", 1},
                    ConstantCase{"-1<0U", 0}, ConstantCase{"1==1&&2!=2", 0},
                    ConstantCase{"0||5", 1}, ConstantCase{"6&3^1", 3}, ConstantCase{"1?2:3", 2},
                    ConstantCase{"0?2:1?4:5", 4}, ConstantCase{"WARP_SZ*2", 64},
                    ConstantCase{"(-9223372036854775807-1)/-1", uint64_t(1) << 63},
                    ConstantCase{"(-9223372036854775807-1)%-1", 0}));

class BadConstants : public testing::TestWithParam<const char*> {};

TEST_P(BadConstants, AreErrors) {
  Parsed parsed = module(std::string(".global .u64 x = ") + GetParam() + ";");
  EXPECT_EQ(parsed.module, nullptr);
  ASSERT_FALSE(parsed.log.errors.empty());
  EXPECT_EQ(parsed.log.errors[0].line, 4u);
}

INSTANTIATE_TEST_SUITE_P(Expressions, BadConstants,
                         testing::Values("", "08", "0x", "0xg", "0b2", "12abc", "1/0", "1%0", "(1",
                                         "1+", "18446744073709551616", "1?2", "0f3F80000",
                                         "0f3F8000000", "0d0", "1e", "1.5", "0f3F800000", "1..2",
                                         "{1", "{{1}}", "{1,2}", "generic(", "0xFF(", "unknown",
                                         "x y", "+", "1 2"));

TEST(Variables, FloatsOfEverySpelling) {
  Parsed parsed = module(
      ".global .f32 a[6] = {0f3F800000, 2.5, 0d4008000000000000, -1, 1e2, -0f40000000};\n"
      ".global .f64 b[3] = {0d3FF0000000000000, 0f3F000000, 3};\n");
  EXPECT_PARSES(parsed);
  const Variable& a = parsed.module->variables[0];
  float expected[] = {1.0f, 2.5f, 3.0f, -1.0f, 100.0f, -2.0f};
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(value_at<float>(a, i), expected[i]);
  const Variable& b = parsed.module->variables[1];
  EXPECT_EQ(value_at<double>(b, 0), 1.0);
  EXPECT_EQ(value_at<double>(b, 1), 0.5);
  EXPECT_EQ(value_at<double>(b, 2), 3.0);
}

TEST(Variables, NestedListsFillTheirRows) {
  Parsed parsed = module(".global .s32 m[3][2] = {{1}, {2, 3}};\n");
  EXPECT_PARSES(parsed);
  const Variable& m = parsed.module->variables[0];
  EXPECT_EQ(m.size, 24u);
  EXPECT_EQ(value_at<int32_t>(m, 0), 1);
  EXPECT_EQ(value_at<int32_t>(m, 1), 0);
  EXPECT_EQ(value_at<int32_t>(m, 2), 2);
  EXPECT_EQ(value_at<int32_t>(m, 3), 3);
  EXPECT_LE(m.bytes.size(), m.size);
}

TEST(Variables, AnUnsizedArrayTakesItsSizeFromTheValues) {
  Parsed parsed = module(
      ".global .u16 a[] = {1, 2, 3};\n.global .u8 b[][4] = {{1}, {2}, {3}};\n"
      ".extern .shared .align 16 .b8 dynamic[];\n");
  EXPECT_PARSES(parsed);
  EXPECT_EQ(parsed.module->variables[0].size, 6u);
  EXPECT_FALSE(parsed.module->variables[0].is_unsized);
  EXPECT_EQ(parsed.module->variables[1].size, 12u);
  EXPECT_TRUE(parsed.module->variables[2].is_unsized);
  EXPECT_EQ(parsed.module->variables[2].align, 16u);
  EXPECT_EQ(parsed.module->variables[2].linkage, Linkage::EXTERNAL);
}

TEST(Variables, AddressesBecomeRelocations) {
  Parsed parsed = module(
      ".func f() { ret; }\n.global .u32 target[8];\n"
      ".global .u64 a[4] = {7, target+8, generic(target)+4, f};\n"
      ".global .u8 b[3] = {0xFF(target), 0xFF00(generic(target)+2), 0xFF(0x1234)};\n"
      ".global .u64 later = generic(below);\n.global .u32 below;\n");
  EXPECT_PARSES(parsed);
  const auto& variables = parsed.module->variables;
  ASSERT_EQ(variables[1].relocations.size(), 3u);
  const Relocation& plain = variables[1].relocations[0];
  EXPECT_EQ(plain.offset, 8u);
  EXPECT_EQ(plain.addend, 8);
  EXPECT_FALSE(plain.is_generic);
  EXPECT_EQ(plain.index, 0u);
  EXPECT_TRUE(variables[1].relocations[1].is_generic);
  EXPECT_EQ(variables[1].relocations[1].addend, 4);
  EXPECT_TRUE(variables[1].relocations[2].is_function);
  ASSERT_EQ(variables[2].relocations.size(), 2u);
  const Relocation& second_byte = variables[2].relocations[1];
  EXPECT_EQ(second_byte.mask, 0xFF00u);
  EXPECT_EQ(second_byte.shift, 8);
  EXPECT_EQ(second_byte.size, 1);
  EXPECT_EQ(second_byte.addend, 2);
  EXPECT_EQ(variables[2].bytes[2], 0x34);
  EXPECT_EQ(variables[3].relocations[0].index, 4u);
}

TEST(Variables, AttributesAndLinkage) {
  Parsed parsed = module(
      ".visible .global .attribute(.managed) .align 8 .u32 m = 5, n;\n"
      ".weak .const .f32 c = 1.0;\n.common .global .u32 z;\n"
      ".extern .global .u32 defined;\n.visible .global .u32 defined = 9;\n");
  EXPECT_PARSES(parsed);
  const auto& variables = parsed.module->variables;
  ASSERT_EQ(variables.size(), 5u);
  EXPECT_TRUE(variables[0].is_managed);
  EXPECT_EQ(variables[0].align, 8u);
  EXPECT_EQ(variables[1].name, "n");
  EXPECT_EQ(variables[2].space, Space::constant);
  EXPECT_EQ(variables[2].linkage, Linkage::WEAK);
  EXPECT_EQ(variables[3].linkage, Linkage::COMMON);
  EXPECT_EQ(variables[4].linkage, Linkage::VISIBLE);
  EXPECT_EQ(variables[4].bytes[0], 9);
}

TEST(Variables, KeepTheirRelocationsIfTheyAreDeclaredBefore) {
  Parsed parsed = module(
      ".global .u64 first = first;\n.extern .global .u64 x[2], y;\n"
      ".visible .global .u64 y = first+1, x[2] = {y, first+2};\n.global .u64 last = x;\n");
  EXPECT_PARSES(parsed);
  const auto& variables = parsed.module->variables;
  ASSERT_EQ(variables.size(), 4u);
  EXPECT_EQ(variables[0].relocations[0].index, 0u);
  ASSERT_EQ(variables[1].relocations.size(), 2u);
  EXPECT_EQ(variables[1].relocations[0].index, 2u);
  EXPECT_EQ(variables[1].relocations[1].addend, 2);
  EXPECT_EQ(variables[2].relocations[0].addend, 1);
  EXPECT_EQ(variables[3].relocations[0].index, 1u);
}

// The time of a definition does not depend on the relocations before it.
TEST(Variables, ManyAreDefinedInAShortTime) {
  std::string text = ".global .u64 x;\n.global .u64 table[] = {x";
  for (int i = 0; i < 400000; ++i) text += ",x";
  text += "};\n";
  for (const char* linkage : {".extern", ".visible"})
    for (int i = 0; i < 40000; ++i)
      text += std::string(linkage) + " .global .u64 v" + std::to_string(i) + ";\n";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_PARSES(module(text));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

// As many empty lists as let the place of the last value exceed 64 bits.
TEST(Variables, HaveNoValuesBehindTheirLargestSize) {
  std::string text = ".global .u8 x[][7465128891793] = {";
  for (int i = 0; i < 2471055; ++i) text += "{},";
  EXPECT_EQ(module(text + "1};").module, nullptr);
  EXPECT_EQ(module(".global .u8 x[][17592186044416] = {{},{},1};").module, nullptr);
  EXPECT_EQ(module(".global .u8 x[][0][35184372088832] = {{{},1}};").module, nullptr);
  EXPECT_PARSES(module(".global .u8 x[][1000] = {{},{},1};"));
}

class BadDeclarations : public testing::TestWithParam<const char*> {};

TEST_P(BadDeclarations, AreErrors) {
  Parsed parsed = module(GetParam());
  EXPECT_EQ(parsed.module, nullptr);
  EXPECT_FALSE(parsed.log.errors.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Texts, BadDeclarations,
    testing::Values(".global .u32 x; .global .u32 x;", ".global .u32;", ".global x;",
                    ".global .pred p;", ".global .align 3 .u32 x;", ".global .align 131072 .u32 x;",
                    ".global .u32 x[99999999999999999];", ".global .u32 x[4294967296][4294967296];",
                    ".global .u32 x[2][];", ".shared .u32 x = 1;", ".global .u32 x[2] = {1,2,3};",
                    ".global .u32 x[2] = {{1},{2}};", ".global .u32 x = {1, 2};",
                    ".global .b128 x = 1;", ".extern .global .u32 x; .global .u64 x;",
                    ".extern .global .u64 x; .extern .global .u64 x = x;",
                    ".extern .global .u64 x = x; .visible .global .u64 x;",
                    ".extern .global .u32 x = 1;", ".extern .global .u32 f; .func f();",
                    ".global .u64 p = nowhere;", ".visible .u32 x;", ".global .u32 x",
                    ".alias a, b;", ".bogus 1;", ".func f() { .reg .b32 %r<2147483647>; ret; }",
                    ".func f() { .local .b8 x[16777217]; ret; }",
                    ".entry k(.param .b8 p[33554432]) { ret; }", ".entry k(.reg .u32 r) { ret; }",
                    ".entry (.param .u32 r) k() { ret; }", ".address_size 32"));

TEST(Functions, ParametersAreLaidOutForALaunch) {
  Parsed parsed = module(
      ".visible .entry k(.param .u8 a, .param .align 8 .b8 s[12], .param .u16 b,\n"
      "  .param .u64 .ptr .global .align 16 p) .maxntid 128, 2 .minnctapersm 3 .maxnreg 40\n"
      "  .reqnctapercluster 2, 1, 1 .explicitcluster .reqntid 64\n{ ret; }");
  EXPECT_PARSES(parsed);
  const Function& k = parsed.function();
  ASSERT_EQ(k.inputs().size(), 4u);
  EXPECT_EQ(k.inputs()[1].offset, 8u);
  EXPECT_EQ(k.inputs()[2].offset, 20u);
  EXPECT_EQ(k.inputs()[3].offset, 24u);
  EXPECT_EQ(k.param_bytes, 32u);
  EXPECT_EQ(k.max_threads, (std::array<uint32_t, 3>{128, 2, 1}));
  EXPECT_EQ(k.required_threads, (std::array<uint32_t, 3>{64, 1, 1}));
  EXPECT_EQ(k.required_cluster, (std::array<uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(k.min_blocks, 3u);
  EXPECT_EQ(k.max_registers, 40u);
  EXPECT_TRUE(k.is_explicit_cluster);
  EXPECT_TRUE(k.is_entry);
}

TEST(Functions, FramesHoldVariablesAndReuseScopes) {
  Parsed parsed = module(
      ".func (.param .b32 r) f(.param .b64 a) {\n"
      ".local .align 8 .b8 depot[20]; .local .align 16 .b8 other[4];\n"
      "{ .param .b64 x; .param .b32 y; }\n{ .param .b64 z; }\nret; }");
  EXPECT_PARSES(parsed);
  const Function& f = parsed.function();
  EXPECT_EQ(f.returns()[0].offset, 0u);
  EXPECT_EQ(f.inputs()[0].offset, 8u);
  EXPECT_EQ(f.variables[3].offset, 32u);
  EXPECT_EQ(f.local_bytes, 36u);
  EXPECT_EQ(f.local_align, 16u);
  EXPECT_EQ(f.variables[4].offset, 16u);
  EXPECT_EQ(f.variables[5].offset, 24u);
  EXPECT_EQ(f.variables[6].offset, 16u);
  EXPECT_EQ(f.param_frame_bytes, 28u);
}

TEST(Functions, DeclarationsMeetDefinitionsAndAliases) {
  Parsed parsed = module(
      ".extern .func (.param .b32 a) vprintf (.param .b64 b, .param .b64 c);\n"
      ".func (.param .b32 x) f(.param .b32 y);\n"
      ".visible .func (.param .b32 r) f(.param .b32 n) .noreturn { ret; }\n"
      ".func (.param .b32 r) g(.param .b32 n);\n.alias g, f;\n");
  EXPECT_PARSES(parsed);
  ASSERT_EQ(parsed.module->functions.size(), 3u);
  EXPECT_TRUE(parsed.function(0).is_declaration);
  EXPECT_FALSE(parsed.function(1).is_declaration);
  EXPECT_TRUE(parsed.function(1).is_noreturn);
  EXPECT_EQ(parsed.function(1).variables[1].name, "n");
  EXPECT_EQ(parsed.function(2).alias_of, 1u);
}

}  // namespace
}  // namespace cucore::ptx::test
