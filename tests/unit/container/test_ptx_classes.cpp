// SPDX-License-Identifier: Apache-2.0
// Classes of parameters, as declarations and instructions of PTX state them.
#include <chrono>

#include "container_testing.hpp"

namespace cucore::container {
namespace {

using namespace testing;
using enum ParameterClass;

constexpr const char* NVVM_7 = "// Based on NVVM 7.0.1\n";
constexpr const char* NVVM_20 = "// Based on NVVM 20.0.0\n";

std::vector<ParameterClass> classes(const std::string& parameters, const std::string& body = "ret;",
                                    const std::string& preamble = "",
                                    const std::string& name = "k") {
  const ImageInfo info = inspect(
      CodeType::PTX, bytes_of(preamble + ".version 9.0\n.target sm_90\n.address_size 64\n.entry " +
                              name + "(" + parameters + ")\n{\n" + body + "\n}\n"));
  std::vector<ParameterClass> result;
  for (const Parameter& one : *info.symbols.at(0).parameters) result.push_back(one.parameter_class);
  return result;
}

ParameterClass class_of(const std::string& type, const std::string& suffix = "") {
  return classes(".param " + type + " p" + suffix).at(0);
}

// Returns the class of "a", a 64-bit word in %rd1, after the instructions.
ParameterClass after(const std::string& instructions) {
  return classes(".param .u64 a, .param .f32 b",
                 ".reg .b64 %rd<9>;\nld.param.u64 \t%rd1, [a];\n" + instructions + "\nret;", NVVM_7)
      .at(0);
}

TEST(PtxClasses, OfEachType) {
  for (const char* type : {".u8", ".s8", ".b8", ".u16", ".s16", ".b16", ".u32", ".s32", ".b32",
                           ".s64", ".align 8 .s64"})
    EXPECT_EQ(class_of(type), INTEGER) << type;
  for (const char* type : {".f16", ".bf16", ".f32", ".f64", ".tf32"})
    EXPECT_EQ(class_of(type), FLOAT) << type;
  for (const char* type : {".f16x2", ".bf16x2", ".b128", ".v2 .f32", ".v4 .u32"})
    EXPECT_EQ(class_of(type), AGGREGATE) << type;
  for (const char* dimensions : {"[1]", "[16]", "[2][3]"}) {
    EXPECT_EQ(class_of(".b8", dimensions), AGGREGATE) << dimensions;
    EXPECT_EQ(class_of(".align 8 .b8", dimensions), AGGREGATE) << dimensions;
    EXPECT_EQ(class_of(".u64", dimensions), AGGREGATE) << dimensions;
  }
}

TEST(PtxClasses, PointersWithTheirAttribute) {
  for (const char* type :
       {".u64 .ptr", ".u64 .ptr .align 1", ".u64 .ptr .global .align 16", ".b64 .ptr .const",
        ".u64 .ptr .shared .align 4", ".u64 .ptr .local", ".u32 .ptr .global .align 4"})
    EXPECT_EQ(class_of(type), POINTER) << type;
}

TEST(PtxClasses, AWordIsAnIntegerWhereTheCompilerMarksPointers) {
  EXPECT_EQ(classes(".param .u64 a"), (std::vector{UNKNOWN}));
  EXPECT_EQ(classes(".param .u64 a", "ret;", NVVM_7), (std::vector{UNKNOWN}));
  EXPECT_EQ(classes(".param .u64 a", "ret;", NVVM_20), (std::vector{INTEGER}));
  EXPECT_EQ(classes(".param .u64 a", "ret;", "// Based on NVVM 21.1\n"), (std::vector{INTEGER}));
  EXPECT_EQ(classes(".param .u64 a, .param .u64 .ptr .global .align 1 b, .param .b64 c"),
            (std::vector{INTEGER, POINTER, INTEGER}));
}

TEST(PtxClasses, AWordThatIsUsedAsAnAddressIsAPointer) {
  for (const char* use :
       {"cvta.to.global.u64 \t%rd2, %rd1;", "ld.global.f32 %f1, [%rd1];",
        "ld.global.f32 %f1, [%rd1+16];", "st.global.u32 [%rd1], %r1;",
        "@%p1 st.global.u32 [ %rd1 ], %r1;", "$L__BB0_1:\n\tcvta.to.global.u64 %rd2, %rd1;",
        "// begin inline asm\n\tatom.global.add.u32 %r1, [%rd1], 1;",
        "mov.u64 %rd3, %rd1;\n"
        "cvta.to.global.u64 %rd4, %rd3;",
        ".loc 1 3 5\n\tred.global.add.u32 [%rd1], 1;", "{ .reg .b32 t; ld.u32 t, [%rd1]; }",
        "/* a; b */ cvta.to.global.u64 %rd2, %rd1;"})
    EXPECT_EQ(after(use), POINTER) << use;
}

TEST(PtxClasses, AWordThatIsNotUsedAsAnAddressIsUnknown) {
  for (const char* use :
       {"", "add.s64 %rd2, %rd1, 4;\nld.global.f32 %f1, [%rd2];", "st.global.u64 [%rd5], %rd1;",
        "setp.lt.u64 %p1, %rd1, %rd2;", "mov.u64 %rd1, %rd2;\nld.global.f32 %f1, [%rd1];",
        "add.s64 %rd1, %rd1, %rd2;\nld.global.f32 %f1, [%rd1];", "// cvta.to.global.u64 %rd2, %rd1",
        "cvta.to.global.u64 %rd2, %rd11;", "st.param.b64 [param0+0], %rd1;"})
    EXPECT_EQ(after(use), UNKNOWN) << use;
}

TEST(PtxClasses, AnUntypedWordThatIsLoadedAsAFloatIsAFloat) {
  EXPECT_EQ(classes(".param .b32 a, .param .b64 b, .param .b32 c, .param .u32 d",
                    "ld.param.f32 %f1, [a]; ld.param.f64 %fd1, [b+0]; ld.param.u32 %r1, [c];"
                    "ld.param.f32 %f2, [d];"),
            (std::vector{FLOAT, FLOAT, INTEGER, INTEGER}));
}

// Repeats the text before an instruction, or inside an operand. Reading it takes a moment. It took
// minutes when each repetition was searched to the end of the text.
TEST(PtxClasses, ReadRepetitionsInLinearTime) {
  constexpr size_t SIZE = size_t{256} << 10;
  const auto repeated = [](const std::string& text) {
    std::string all;
    while (all.size() < SIZE) all += text;
    return all;
  };
  const std::string braces = repeated("{");
  for (const std::string& text :
       {braces + std::string(braces.size(), '}'), repeated("a:"), repeated("::"), repeated("/*x*/"),
        repeated("/**/"), repeated("@p "), repeated("//\n"), "add.u32 %r1, " + repeated("[") + ";",
        "add.u32 %r1, " + repeated("[r") + ";", repeated("/") + ";"}) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(after(text), UNKNOWN) << text.substr(0, 20);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5))
        << text.substr(0, 20);
  }
}

TEST(PtxClasses, AdoptedWhereTheSizesAreTheSame) {
  const std::vector<Parameter> known = {{0, 4, 4, FLOAT}, {8, 8, 8, POINTER}};
  std::vector<Parameter> sizes = {{0, 4, 0}, {16, 8, 0, INTEGER}};
  adopt_classes(sizes, known);
  EXPECT_EQ(sizes, (std::vector<Parameter>{{0, 4, 0, FLOAT}, {16, 8, 0, INTEGER}}));
  for (std::vector<Parameter> other : {std::vector<Parameter>{{0, 4, 0}},
                                       {{0, 8, 0}, {8, 8, 0}},
                                       {{0, 4, 0}, {8, 8, 0}, {16, 4, 0}}}) {
    const std::vector<Parameter> before = other;
    adopt_classes(other, known);
    EXPECT_EQ(other, before);
  }
}

TEST(PtxClasses, ComeBackFromAContainer) {
  Code code = ptx_code();
  code.symbols[0].parameters = {{0, 8, 8, UNKNOWN}, {8, 4, 4, FLOAT}, {12, 4, 4, INTEGER}};
  EXPECT_TRUE(read(write(code)) == code);
  code.symbols[0].parameters->at(0).parameter_class = POINTER;
  code.symbols[0].parameters->at(2).parameter_class = AGGREGATE;
  const Bytes bytes = write(code);
  EXPECT_TRUE(read(bytes) == code);
  EXPECT_TRUE(write(read(bytes)) == bytes);
}

}  // namespace
}  // namespace cucore::container
