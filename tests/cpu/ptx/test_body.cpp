// SPDX-License-Identifier: Apache-2.0
// Function bodies: scopes, labels, operands in their slots, calls.
#include <bit>

#include "ptx_test.hpp"

namespace cucore::ptx::test {
namespace {

TEST(Body, OperandsHaveFixedSlots) {
  Parsed parsed(
      kernel("setp.lt.s32 %p1, %r1, 5;\nsetp.eq.and.u32 %p1|%p2, %r1, %r2, !%p3;\n"
             "shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;\nshfl.sync.up.b32 %r1, %r2, 1, 0, -1;\n"
             "bar.red.popc.u32 %r1, 0, %p1;\nbar.red.or.pred %p1, 1, 64, !%p2;\n"
             "lop3.b32 %r1, %r2, %r3, %r4, 0x96;\nbar.sync 0;\natom.global.add.u32 _, [%rd1], 1;\n"
             "atom.global.cas.b32 %r1, [%rd1+4], %r2, %r3;\nmatch.all.sync.b32 %r1|%p1, %r2, -1;\n"
             "vote.sync.ballot.b32 %r1, !%p1, -1;\nret;\n"));
  EXPECT_PARSES(parsed);
  auto kind = [&](size_t instruction, size_t slot) {
    return parsed.operands(instruction)[slot].kind;
  };
  ASSERT_EQ(parsed.operands(0).size(), 5u);
  EXPECT_EQ(kind(0, 1), OperandKind::NONE);
  EXPECT_EQ(kind(0, 3), OperandKind::IMMEDIATE);
  EXPECT_EQ(kind(0, 4), OperandKind::NONE);
  EXPECT_EQ(kind(1, 1), OperandKind::REG);
  EXPECT_TRUE(parsed.operands(1)[4].negated);
  ASSERT_EQ(parsed.operands(2).size(), 6u);
  EXPECT_EQ(parsed.operands(2)[5].bits, 0xFFFFFFFFu);
  EXPECT_EQ(kind(3, 1), OperandKind::NONE);
  ASSERT_EQ(parsed.operands(4).size(), 4u);
  EXPECT_EQ(kind(4, 2), OperandKind::NONE);
  EXPECT_EQ(parsed.operands(5)[2].bits, 64u);
  EXPECT_TRUE(parsed.operands(5)[3].negated);
  ASSERT_EQ(parsed.operands(6).size(), 7u);
  EXPECT_EQ(parsed.operands(6)[5].bits, 0x96u);
  ASSERT_EQ(parsed.operands(7).size(), 2u);
  EXPECT_EQ(kind(8, 0), OperandKind::SINK);
  ASSERT_EQ(parsed.operands(9).size(), 5u);
  EXPECT_EQ(parsed.operands(9)[1].bits, 4u);
  EXPECT_EQ(kind(9, 3), OperandKind::REG);
  ASSERT_EQ(parsed.operands(10).size(), 4u);
  EXPECT_TRUE(parsed.operands(11)[1].negated);
}

TEST(Body, VideoInstructionsSelectParts) {
  Parsed parsed(
      kernel("vadd.s32.u32.s32.sat %r1.h1, %r2.b3, %r3, %r4;\n"
             "vsub4.u32.u32.u32 %r1.b20, %r2.b7654, %r3, %r4;\n"
             "vmad.s32.u32.s32 %r1, -%r2.h0, %r3, %r4;\nvset.u32.u32.lt %r1, %r2, 5;\n"
             "{ .reg .b32 t; vshl.u32.u32.u32.wrap t, %r1, t.b1; }\nret;\n"));
  EXPECT_PARSES(parsed);
  auto selector = [&](size_t instruction, size_t slot) {
    return VideoSelector::of(parsed.operands(instruction)[slot]);
  };
  EXPECT_EQ(selector(0, 0).part_bytes, 2u);
  EXPECT_EQ(selector(0, 0).part(0), 1u);
  EXPECT_EQ(selector(0, 1).part_bytes, 1u);
  EXPECT_EQ(selector(0, 1).part(0), 3u);
  EXPECT_EQ(selector(0, 2).part_bytes, 0u);
  EXPECT_EQ(selector(1, 0).count, 2u);
  EXPECT_EQ(selector(1, 0).part(0), 0u);
  EXPECT_EQ(selector(1, 0).part(1), 2u);
  EXPECT_EQ(selector(1, 1).part(3), 7u);
  EXPECT_TRUE(parsed.operands(2)[1].negated);
  EXPECT_EQ(selector(2, 1).part_bytes, 2u);
  EXPECT_EQ(parsed.operands(3)[3].kind, OperandKind::NONE);
  EXPECT_EQ(selector(4, 2).part(0), 1u);
}

class WrongSelector : public testing::TestWithParam<const char*> {};

// ptxas refuses each of them.
TEST_P(WrongSelector, IsRefused) {
  Parsed parsed(kernel(std::string(GetParam()) + "\nret;\n"));
  EXPECT_EQ(parsed.module, nullptr);
  EXPECT_FALSE(parsed.log.errors.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Texts, WrongSelector,
    testing::Values(
        "vadd.u32.u32.u32.add %r0, %r1, %r2;", "vadd.u32.u32.u32 %r0.b0, %r1, %r2;",
        "vadd.u32.u32.u32.add %r0.b0, %r1, %r2, %r3;", "vadd.u32.u32.u32 %r0, %r1, %r2, %r3.b0;",
        "vadd.u32.u32.u32 %r0, %r1.b4, %r2;", "vadd.u32.u32.u32 %r0, %r1.h2, %r2;",
        "vadd.u32.u32.u32 %r0, %r1.h10, %r2;", "vadd.u32.u32.u32 %r0, %r1.x0, %r2;",
        "vadd.u32.u32.u32 %r0, %r1.b, %r2;", "vadd.u32.u32.u32 %r0, %r1.b00000, %r2;",
        "add.u32 %r0, %r1.b0, %r2;", "vadd4.u32.u32.u32 %r0.b01, %r1, %r2, %r3;",
        "vadd4.u32.u32.u32 %r0.h0, %r1, %r2, %r3;", "vadd4.u32.u32.u32 %r0, %r1.b76, %r2, %r3;",
        "vadd2.u32.u32.u32 %r0, %r1.h3, %r2, %r3;", "vadd2.u32.u32.u32 %r0, %r1.h34, %r2, %r3;",
        "vmad.s32.u32.u32 %r0, -%r1, %r2, -%r3;", "vmad.s32.u32.u32.po %r0, -%r1, %r2, %r3;",
        "vmad.s32.u32.u32 %r0.b0, %r1, %r2, %r3;", "vmad.s32.u32.u32 %r0, --%r1, %r2, %r3;",
        "vadd.u32.u32.u32 %r0, -%r1, %r2;", "vmad.u32.u32.u32 -%r0, %r1, %r2, %r3;"));

TEST(Body, ImmediatesAreConvertedToTheirSlot) {
  Parsed parsed(
      kernel("add.f32 %f1, %f2, 1.5;\nadd.f64 %fd1, %fd2, 0f3F800000;\nadd.u16 %rs1, %rs2, -1;\n"
             "mov.b32 %r1, 0f40000000;\nshl.b64 %rd1, %rd2, 3;\nmov.u32 %r1, (1<<5)+2;\n"
             "mov.pred %p1, 4;\nmov.u64 %rd1, -1;\nand.b32 %r1, %r2, WARP_SZ;\nret;\n"));
  EXPECT_PARSES(parsed);
  EXPECT_EQ(parsed.operands(0)[2].bits, std::bit_cast<uint32_t>(1.5f));
  EXPECT_EQ(parsed.operands(1)[2].bits, std::bit_cast<uint64_t>(1.0));
  EXPECT_EQ(parsed.operands(2)[2].bits, 0xFFFFu);
  EXPECT_EQ(parsed.operands(3)[1].bits, 0x40000000u);
  EXPECT_EQ(parsed.operands(4)[2].bits, 3u);
  EXPECT_EQ(parsed.operands(5)[1].bits, 34u);
  EXPECT_EQ(parsed.operands(6)[1].bits, 1u);
  EXPECT_EQ(parsed.operands(7)[1].bits, UINT64_MAX);
  EXPECT_EQ(parsed.operands(8)[2].bits, 32u);
}

TEST(Body, ConstantsAreExpressions) {
  struct Case {
    const char* text;
    uint32_t value;
  };
  constexpr Case CASES[] = {
      {"!5", 0},           {"! 5", 0},          {"!0", 1},          {"!\n/* no */ 0", 1},
      {"!0 + 3", 4},       {"!(1 + 3)", 0},     {"!!3", 1},         {"~!3", UINT32_MAX},
      {"-!0", UINT32_MAX}, {"+5", 5},           {"~5", ~5u},        {"(!0 + 3) * -2", uint32_t(-8)},
      {"WARP_SZ * 2", 64}, {"!WARP_SZ + 1", 1}, {"WARP_SZ - 1", 31}};
  std::string body;
  for (const Case& c : CASES) body += std::string("mov.b32 %r1, ") + c.text + ";\n";
  Parsed parsed(kernel(body + "mov.b64 %rd1, {!0, ~!0};\nld.local.u32 %r1, [!0 + 3];\nret;\n"));
  EXPECT_PARSES(parsed);
  for (size_t i = 0; i < std::size(CASES); ++i)
    EXPECT_EQ(parsed.operands(i)[1].bits, CASES[i].value) << CASES[i].text;
  const Operand& pair = parsed.operands(std::size(CASES))[1];
  EXPECT_EQ(parsed.function().elements[pair.index].bits, 1u);
  EXPECT_EQ(parsed.function().elements[pair.index + 1].bits, uint32_t(~1));
  EXPECT_EQ(parsed.operands(std::size(CASES) + 1)[1].bits, 4u);
  Parsed call(kernel("call f, (!0);\nret;\n", ".func f(.param .b32 n) { ret; }\n"));
  EXPECT_PARSES(call);
}

TEST(Body, PredicatesAreNegatedAndSoAreTheirConstants) {
  Parsed parsed(
      kernel("setp.eq.and.u32 %p1, %r1, %r2, !%p2;\nsetp.eq.and.u32 %p1, %r1, %r2, ! %p2;\n"
             "setp.eq.and.u32 %p1, %r1, %r2, !0;\nand.pred %p1, %p2, !7;\n"
             "{\n.reg .pred WARP_SZE;\nsetp.eq.and.u32 %p1, %r1, %r2, !WARP_SZE;\n}\nret;\n"));
  EXPECT_PARSES(parsed);
  for (size_t i : {size_t{0}, size_t{1}}) {
    EXPECT_EQ(parsed.operands(i)[4].kind, OperandKind::REG);
    EXPECT_TRUE(parsed.operands(i)[4].negated);
  }
  EXPECT_EQ(parsed.operands(2)[4].kind, OperandKind::IMMEDIATE);
  EXPECT_FALSE(parsed.operands(2)[4].negated);
  EXPECT_EQ(parsed.operands(2)[4].bits, 1u);
  EXPECT_EQ(parsed.operands(3)[2].bits, 0u);
  EXPECT_TRUE(parsed.operands(4)[4].negated);
}

TEST(Body, LabelsAreScopedAndMayComeLater) {
  Parsed parsed(kernel(
      "bra END;\n{\n.reg .pred q;\nL: setp.eq.u32 q, %r1, 1;\n@q bra L;\n@!q bra.uni END;\n}\n"
      "{\nL: add.u32 %r1, %r1, 1;\n@%p1 bra L;\n}\nEND:\n"));
  EXPECT_PARSES(parsed);
  EXPECT_EQ(parsed.operands(0)[0].index, 6u);
  EXPECT_EQ(parsed.operands(2)[0].index, 1u);
  EXPECT_EQ(parsed.operands(3)[0].index, 6u);
  EXPECT_TRUE(parsed.instruction(3).guard_negated);
  EXPECT_EQ(parsed.operands(5)[0].index, 4u);
  // A label at the end refers to a return that the parser adds.
  ASSERT_EQ(parsed.function().instructions.size(), 7u);
  EXPECT_EQ(parsed.instruction(6).form->op, Opcode::ret);
  EXPECT_EQ(parsed.instruction(6).line, 0u);
}

TEST(Body, InnerRegistersHideOuterOnes) {
  Parsed parsed(kernel(
      "mov.u32 %r1, 1;\n{\n.reg .b64 %r1;\nmov.u64 %r1, 2;\n{ .reg .b16 %r<3>; mov.u16 %r1, 3; }\n"
      "mov.u64 %r1, 4;\n}\nmov.u32 %r1, 5;\n{ .reg .u32 r1, t; mov.u32 r1, t; }\nret;\n"));
  EXPECT_PARSES(parsed);
  auto reg = [&](size_t i) { return parsed.operands(i)[0].index; };
  EXPECT_EQ(reg(0), reg(4));
  EXPECT_EQ(reg(1), reg(3));
  EXPECT_NE(reg(0), reg(1));
  EXPECT_EQ(parsed.function().registers[reg(2)], Type::b16);
  EXPECT_EQ(register_name(parsed.function(), reg(0)), "%r1");
  EXPECT_EQ(register_name(parsed.function(), reg(2)), "%r1");
  EXPECT_EQ(register_name(parsed.function(), 0), "%p0");
}

TEST(Body, MemoryOperandsOfEveryShape) {
  Parsed parsed(
      kernel("ld.global.u32 %r1, [%rd1];\nld.global.u32 %r1, [%rd1+-8];\nld.global.u32 %r1, [%rd1 "
             "+ 0x10];\n"
             "ld.shared.u32 %r1, [%r2-4];\nld.global.u32 %r1, [g];\nld.global.u32 %r1, [g+8];\n"
             "ld.global.u32 %r1, g[2];\nld.param.u32 %r1, [p1];\nld.global.u32 %r1, [4096];\n"
             "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\nst.global.v2.u8 [%rd1], {%rs1, 7};\n"
             "ld.global.v2.u32 {%r1, _}, [%rd1];\nret;\n",
             ".global .u32 g[16];\n"));
  // g[2] without brackets is not a memory operand of PTX.
  EXPECT_EQ(parsed.module, nullptr);
  Parsed good(
      kernel("ld.global.u32 %r1, [%rd1];\nld.global.u32 %r1, [%rd1+-8];\nld.global.u32 %r1, [%rd1 "
             "+ 0x10];\n"
             "ld.shared.u32 %r1, [%r2-4];\nld.global.u32 %r1, [g];\nld.global.u32 %r1, [g+8];\n"
             "ld.param.u32 %r1, [p1];\nld.global.u32 %r1, [4096];\n"
             "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\nst.global.v2.u8 [%rd1], {%rs1, 7};\n"
             "ld.global.v2.u32 {%r1, _}, [%rd1];\nmov.u64 %rd1, g[2];\nret;\n",
             ".global .u32 g[16];\n"));
  EXPECT_PARSES(good);
  EXPECT_EQ(good.operands(0)[1].base, Base::REG);
  EXPECT_EQ(int64_t(good.operands(1)[1].bits), -8);
  EXPECT_EQ(good.operands(2)[1].bits, 16u);
  EXPECT_EQ(int64_t(good.operands(3)[1].bits), -4);
  EXPECT_EQ(good.operands(4)[1].base, Base::MODULE_VARIABLE);
  EXPECT_EQ(good.operands(5)[1].bits, 8u);
  EXPECT_EQ(good.operands(6)[1].base, Base::LOCAL_VARIABLE);
  EXPECT_EQ(good.operands(7)[1].base, Base::ABSOLUTE);
  EXPECT_EQ(good.operands(7)[1].bits, 4096u);
  auto lanes = good.function().elements_of(good.operands(8)[0]);
  ASSERT_EQ(lanes.size(), 4u);
  EXPECT_EQ(lanes[3].kind, OperandKind::REG);
  EXPECT_EQ(good.function().elements_of(good.operands(9)[1])[1].bits, 7u);
  EXPECT_EQ(good.function().elements_of(good.operands(10)[0])[1].kind, OperandKind::SINK);
  EXPECT_EQ(good.operands(11)[1].kind, OperandKind::SYMBOL);
  EXPECT_EQ(good.operands(11)[1].bits, 8u);
}

TEST(Body, SpecialRegistersStandOnlyInMov) {
  Parsed parsed(
      kernel("mad.lo.u32 %r1, %ctaid.x, %ntid.y, %tid.z;\nmov.u32 %r2, %envreg3;\n"
             "add.u64 %rd1, %clock64, 1;\nret;\n"));
  EXPECT_PARSES(parsed);
  ASSERT_EQ(parsed.function().instructions.size(), 8u);
  EXPECT_EQ(parsed.instruction(0).form->op, Opcode::mov);
  EXPECT_EQ(parsed.operands(1)[1].component, 1);
  EXPECT_EQ(parsed.operands(2)[1].index, uint32_t(SpecialRegister::tid));
  EXPECT_EQ(parsed.instruction(3).form->op, Opcode::mad);
  EXPECT_EQ(parsed.operands(4)[1].index, uint32_t(SpecialRegister::envreg0) + 3);
  EXPECT_EQ(parsed.instruction(5).form->text, "mov.u64");
}

TEST(Body, VectorsPackAndUnpack) {
  Parsed parsed(
      kernel("mov.b64 {%r1, %r2}, %rd1;\nmov.b64 %rd1, {%r1, 0};\n"
             "mov.b32 {%rs1, _}, %r1;\nmov.b64 {%rs1, %rs2, %rs3, %rs4}, %rd1;\nret;\n"));
  EXPECT_PARSES(parsed);
  EXPECT_EQ(parsed.operands(0)[0].count, 2);
  EXPECT_EQ(parsed.operands(3)[0].count, 4);
}

TEST(Body, CallsDirectAndIndirect) {
  Parsed parsed(kernel(
      "{\n.param .b32 a; .param .b64 b;\nst.param.b32 [a], %r1;\ncall.uni (b), f, (a);\n"
      "ld.param.b64 %rd1, [b];\n}\ncall h;\ncall (%rd1), f, (%r1);\ncall (%rd1), f, (3);\n"
      "mov.u64 %rd2, f;\n{\n.param .b32 a; .param .b64 b;\n"
      "P: .callprototype (.param .b64 _) _ (.param .b32 _);\ncall (b), %rd2, (a), P;\n}\nret;\n",
      ".func (.param .b64 r) f(.param .b32 n) { ret; }\n.func h() { ret; }\n"));
  EXPECT_PARSES(parsed);
  const Function& k = parsed.function(2);
  auto operands = k.operands_of(k.instructions[1]);
  ASSERT_EQ(operands.size(), 4u);
  EXPECT_EQ(operands[0].kind, OperandKind::FUNCTION);
  EXPECT_EQ(operands[1].count, 1);
  EXPECT_EQ(operands[2].count, 1);
  EXPECT_EQ(operands[3].kind, OperandKind::NONE);
  EXPECT_EQ(k.elements_of(operands[2])[0].kind, OperandKind::SYMBOL);
  auto indirect = k.operands_of(k.instructions[7]);
  EXPECT_EQ(indirect[0].kind, OperandKind::REG);
  ASSERT_EQ(indirect[3].kind, OperandKind::PROTOTYPE);
  EXPECT_EQ(k.prototypes[indirect[3].index].inputs.size(), 1u);
}

TEST(Body, CallTargetsHaveTheParametersOfTheFirst) {
  const std::string functions =
      ".func (.param .b64 r) f(.param .b32 n) { ret; }\n"
      ".func (.param .b64 r) g(.param .b32 n) { ret; }\n";
  const std::string targets = "T: .calltargets f, g;\n";
  Parsed parsed(kernel(targets + "call (%rd1), %rd2, (%r1), T;\nret;", functions));
  EXPECT_PARSES(parsed);
  const Function& k = parsed.function(2);
  const auto operands = k.operands_of(k.instructions[0]);
  ASSERT_EQ(operands[3].kind, OperandKind::PROTOTYPE);
  EXPECT_EQ(k.prototypes[operands[3].index].function, 0u);
  for (const char* call : {"call %rd2, (%r1), T;", "call (%rd1), %rd2, T;",
                           "call (%rd1), %rd2, (%r1, %r2), T;", "call (%rd1), %rd2, (%rd3), T;"})
    EXPECT_EQ(Parsed(kernel(targets + call, functions)).module, nullptr) << call;
}

// The parameters of a function are in memory once.
TEST(Body, CallTargetsAreSmall) {
  std::string function = ".func f(.param .b32 p0";
  for (int i = 1; i < 4096; ++i) function += ", .param .b32 p" + std::to_string(i);
  std::string targets;
  for (int i = 0; i < 1000; ++i) targets += "T" + std::to_string(i) + ": .calltargets f;\n";
  Parsed parsed(kernel(targets + "ret;", function + ") { ret; }\n"));
  EXPECT_PARSES(parsed);
  const auto& prototypes = parsed.function(1).prototypes;
  EXPECT_EQ(prototypes.size(), 1000u);
  for (const Prototype& each : prototypes) EXPECT_EQ(each.inputs.capacity(), 0u);
}

TEST(Body, BranchTablesAndSourceLines) {
  Parsed parsed(kernel(
      ".loc 1 10 5\nT: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA: .loc 1 12 7, function_name $L, "
      "inlined_at 1 3 4\nmov.u32 %r1, 1;\nB: .pragma \"nounroll\";\nret;\n",
      ".file 1 \"a.cu\", 170, 3\n"));
  EXPECT_PARSES(parsed);
  const Function& k = parsed.function();
  ASSERT_EQ(k.target_lists.size(), 1u);
  EXPECT_EQ(k.target_lists[0], (std::vector<uint32_t>{1, 2, 1}));
  ASSERT_EQ(k.source_lines.size(), 2u);
  EXPECT_EQ(k.source_lines[1].line, 12u);
  EXPECT_EQ(k.source_lines[1].first_instruction, 1u);
  EXPECT_EQ(parsed.module->files[0].name, "a.cu");
}

TEST(Body, SourceLinesKeepTheCallThatWasInlined) {
  Parsed parsed(
      kernel("mov.u32 %r1, 0;\n.loc 1 10 5\nmov.u32 %r1, 1;\n"
             ".loc 2 30 7, function_name $L__info_string0, inlined_at 1 11 9\nmov.u32 %r1, 2;\n"
             ".loc 2 31 1, function_name $L__info_string0+16, inlined_at 2 30 7\nmov.u32 %r1, 3;\n"
             ".loc 1 12 1\nret;\n",
             ".file 1 \"a.cu\"\n.file 2 \"b.cuh\"\n"));
  EXPECT_PARSES(parsed);
  const Function& k = parsed.function();
  EXPECT_EQ(source_line_of(k, 0), nullptr);
  const SourceLine* plain = source_line_of(k, 1);
  ASSERT_NE(plain, nullptr);
  EXPECT_EQ(plain->line, 10u);
  EXPECT_EQ(plain->inlined_at.line, 0u);
  EXPECT_EQ(plain->inlined_symbol, "");
  const SourceLine* inlined = source_line_of(k, 2);
  EXPECT_EQ(file_name(*parsed.module, inlined->file), "b.cuh");
  EXPECT_EQ(inlined->line, 30u);
  EXPECT_EQ(inlined->column, 7u);
  EXPECT_EQ(file_name(*parsed.module, inlined->inlined_at.file), "a.cu");
  EXPECT_EQ(inlined->inlined_at.line, 11u);
  EXPECT_EQ(inlined->inlined_at.column, 9u);
  EXPECT_EQ(inlined->inlined_symbol, "$L__info_string0");
  EXPECT_EQ(inlined->inlined_offset, 0u);
  const SourceLine* nested = source_line_of(k, 3);
  EXPECT_EQ(nested->inlined_at.file, 2u);
  EXPECT_EQ(nested->inlined_at.line, 30u);
  EXPECT_EQ(nested->inlined_offset, 16u);
  EXPECT_EQ(source_line_of(k, 4)->line, 12u);
  EXPECT_EQ(source_line_of(k, 4)->inlined_at.line, 0u);
  EXPECT_EQ(file_name(*parsed.module, 3), "");
}

TEST(Body, UnknownInstructionsKeepTheirTextAndLine) {
  Parsed parsed(
      kernel("@%p1 tcgen05.fence.sync.aligned;\ntex.2d.v2.u32.f32 {%r1,%r2}, "
             "[tex, {%f1, %f2}];\nret;\n"));
  EXPECT_PARSES(parsed);
  EXPECT_EQ(parsed.instruction(0).form->op, Opcode::unsupported);
  EXPECT_EQ(parsed.module->text_of(parsed.instruction(0)), "@%p1 tcgen05.fence.sync.aligned;");
  EXPECT_EQ(parsed.instruction(0).line, 8u);
  EXPECT_NE(parsed.instruction(0).guard, NONE);
  EXPECT_EQ(parsed.instruction(1).operand_count, 0);
}

TEST(Body, InstructionsOfOneNameShareAForm) {
  Parsed parsed(kernel("add.u32 %r1, %r1, 1;\nadd.u32 %r2, %r1, 1;\nadd.u64 %rd1, %rd1, 1;\nret;"));
  EXPECT_PARSES(parsed);
  EXPECT_EQ(parsed.instruction(0).form, parsed.instruction(1).form);
  EXPECT_NE(parsed.instruction(0).form, parsed.instruction(2).form);
}

struct BadBody {
  const char* text;
  const char* message;  // part of the error
};

class BadBodies : public testing::TestWithParam<BadBody> {};

TEST_P(BadBodies, AreErrorsWithTheirLine) {
  Parsed parsed(kernel(std::string("add.u32 %r1, %r1, 1;\n") + GetParam().text + "\nret;\n",
                       ".global .u32 g[4]; .func (.param .b64 r) f(.param .b32 n) { ret; }\n"));
  EXPECT_EQ(parsed.module, nullptr);
  ASSERT_FALSE(parsed.log.errors.empty());
  EXPECT_EQ(parsed.log.errors[0].line, 10u) << parsed.log.to_string();
  EXPECT_NE(parsed.log.errors[0].text.find(GetParam().message), std::string::npos)
      << parsed.log.to_string();
}

INSTANTIATE_TEST_SUITE_P(
    Texts, BadBodies,
    testing::Values(
        BadBody{"add.u32 %r1, %r2;", "too few"}, BadBody{"add.u32 %r1, %r2, %r3, %r4;", "too many"},
        BadBody{"add.u32 %r1, %r2, %rd3;", "32-bit"}, BadBody{"add.u32 %r9, %r2, %r3;", "unknown"},
        BadBody{"add.u32 %r01, %r2, %r3;", "unknown"}, BadBody{"add.u32 5, %r2, %r3;", "register"},
        BadBody{"add.u32 %r1, %p1, %r3;", "32-bit"}, BadBody{"add.f32 %f1, %f2, 1;", "constant"},
        BadBody{"add.u32 %r1, %r2, 1.5;", "constant"}, BadBody{"add.u32 %r1, !%r2, 1;", "32-bit"},
        BadBody{"mov.f32 %f1, !1.0;", "integer"}, BadBody{"mov.u32 %r1, !;", "constant"},
        BadBody{"and.pred %p1, %p2, !g;", "predicate"},
        BadBody{"mov.b64 %rd1, {%r1, !%r2};", "element"},
        BadBody{"call (%rd1), f, (!%r1);", "argument"}, BadBody{"add.u32 %r1|%p1, %r2, 1;", "'|'"},
        BadBody{"add.u32 %r1, {%r2}, 1;", "32-bit"}, BadBody{"add.u32 %r1, [%rd1], 1;", "32-bit"},
        BadBody{"add.u32 %r1, g, 1;", "32-bit"}, BadBody{"mul.wide.u32 %r1, %r2, %r3;", "64-bit"},
        BadBody{"shl.b64 %rd1, %rd2, %rd3;", "32"}, BadBody{"setp.eq.u32 %r1, %r2, 1;", "1-bit"},
        BadBody{"selp.b32 %r1, 1, 2, %r3;", "pred"}, BadBody{"bra nowhere;", "unknown label"},
        BadBody{"bra %r1, %r2;", "';'"}, BadBody{"@%r1 bra END;", "predicate"},
        BadBody{"@ bra END;", "predicate"}, BadBody{"ld.global.u32 %r1, %rd1;", "brackets"},
        BadBody{"ld.global.u32 %r1, [%rs1];", "64"}, BadBody{"ld.global.u64 %r1, [%rd1];", "u64"},
        BadBody{"ld.shared.u32 %r1, [g];", "space"}, BadBody{"ld.param.u64 %rd1, [p1];", "outside"},
        BadBody{"ld.param.u32 %r1, [p1+1];", "out"},
        BadBody{"ld.param.u32 %r1, [p1-1];", "outside"},
        BadBody{"st.param.u32 [p1], 1;", "read-only"},
        BadBody{"ld.global.v2.u32 {%r1,%r2,%r3}, [%rd1];", "vector"},
        BadBody{"ld.global.v2.u32 %r1, [%rd1];", "vector"},
        BadBody{"ld.global.u32 {%r1}, [%rd1];", "register"},
        BadBody{"mov.b64 {%r1, %r2, %r3}, %rd1;", "vector"}, BadBody{"mov.u16 %rs1, g;", "address"},
        BadBody{"mov.pred %p1, %tid.x;", "predicate"}, BadBody{"mov.u32 %r1, %tid.q;", "component"},
        BadBody{"mov.u32 %r1, %nosuch;", "unknown register"},
        BadBody{"mov.u32 %r1, nosuch;", "unknown symbol"}, BadBody{"call nosuch;", "unknown"},
        BadBody{"call f;", "results"}, BadBody{"call (%rd1), f, (%r1, %r2);", "arguments"},
        BadBody{"call (%r1), f, (%r1);", "fit"}, BadBody{"call (%rd1), f, (%rd1);", "must be"},
        BadBody{"call (%rd1), %rd2, (%r1);", "prototype"}, BadBody{"call k;", "kernel"},
        BadBody{"call (%rd1), %rs1, (%r1), P;", "prototype"},
        BadBody{"call (%rd1), f, ([%rd1]);", ""}, BadBody{"brx.idx %r1, nolist;", "unknown list"},
        BadBody{"T: .branchtargets no;", "label"}, BadBody{"L: ret;L: ret;", "twice"},
        BadBody{".reg .u32 %r<4>;", "twice"}, BadBody{".reg .v4 .u32 x;", "vector registers"},
        BadBody{".reg .q32 x;", "type"}, BadBody{".reg .texref x;", "type"},
        BadBody{".local .u32 x = 1;", "initial"}, BadBody{".bogus 1;", "directive"},
        BadBody{"%r1 = 2;", "not an instruction"}, BadBody{"+;", "instruction"},
        BadBody{"\xE2\x82\xAC;", "outside a string"},
        BadBody{"bar.red.popc.pred %p1, 0, %p2;", "type"},
        BadBody{"vote.sync.all.pred %p1, %p2;", "few"},
        BadBody{"shfl.sync.up.b32 %r1, %r2, 1, 0;", "few"},
        BadBody{"lop3.b32 %r1,%r2,%r3,%r4,%r5;", "int"},
        BadBody{"atom.global.cas.b32 %r1, [%rd1], %r2;", "few"},
        BadBody{"cp.async.ca.shared.global [%r1], [%rd1], %r2;", "integer"}));

TEST(Errors, SeveralAreReported) {
  Parsed parsed(kernel("add.u32 %r1;\nmul.lo.u32 %r99, %r1, %r1;\nbra X;\nret;\n"));
  ASSERT_EQ(parsed.log.errors.size(), 3u) << parsed.log.to_string();
  EXPECT_EQ(parsed.log.errors[0].line, 8u);
  EXPECT_EQ(parsed.log.errors[1].line, 9u);
  EXPECT_EQ(parsed.log.errors[2].line, 10u);
  EXPECT_NE(parsed.log.to_string().find("line 9; error"), std::string::npos);
}

TEST(Errors, AreCountedOut) {
  std::string body;
  for (int i = 0; i < 100; ++i) body += "add.u32 %r1;\n";
  EXPECT_EQ(Parsed(kernel(body)).log.errors.size(), 20u);
}

struct BadModule {
  const char* text;
  const char* message;
};

class BadModules : public testing::TestWithParam<BadModule> {};

TEST_P(BadModules, AreErrors) {
  Parsed parsed(GetParam().text);
  EXPECT_EQ(parsed.module, nullptr);
  ASSERT_FALSE(parsed.log.errors.empty());
  EXPECT_NE(parsed.log.errors[0].text.find(GetParam().message), std::string::npos)
      << parsed.log.to_string();
}

INSTANTIATE_TEST_SUITE_P(
    Texts, BadModules,
    testing::Values(
        BadModule{"", "missing '.version'"}, BadModule{"\n\n // x", "missing"},
        BadModule{"hello", "missing"},
        BadModule{"\x7f"
                  "ELF\x02",
                  "outside a string"},
        BadModule{".version", "version"}, BadModule{".version x.y", "version"},
        BadModule{".version 10.0\n.target sm_90", "unsupported .version"},
        BadModule{".version 8.0", "missing '.target'"},
        BadModule{".version 8.0\n.target debug", "sm_"},
        BadModule{".version 8.0\n.target sm_90q", "malformed target"},
        BadModule{".version 8.0\n.target sm_90\n/* never closed", "comment"},
        BadModule{".version 8.0\n.target sm_90\n.visible .entry k(", "param"},
        BadModule{".version 8.0\n.target sm_90\n.entry k() {", "not closed"},
        BadModule{".version 8.0\n.target sm_90\n.entry k() { ret; ", "not closed"},
        BadModule{".version 8.0\n.target sm_90\n.section .debug {", "not closed"},
        BadModule{".version 8.0\n.target sm_90\n.file 1 \"x", "string"},
        BadModule{".version 8.0\n.target sm_90\n.file 1 \"x\\\"\n", "backslash"},
        BadModule{".version 8.0\n.target sm_90\n@@DWARF .byte 1\n", "debug data"},
        BadModule{".version 8.0\n.target sm_90\n# 1 \"x\"\n", "'#'"},
        BadModule{".version 8.0\n.target sm_90\n.loc 1 2 3\n", "directive"},
        BadModule{".version 8.0\n.target sm_90\n.entry k() .loc 1 2 3 {\n{ret;}", ""},
        BadModule{".version 8.0\n.target sm_90\n.entry k() {\n.pragma \"a\" }; ret; }", "balanced"},
        BadModule{".version 8.0\n.target sm_90\n.entry k() {\nsetmaxnreg }; ret; }", "balanced"},
        BadModule{".version 8.0\n.target sm_90\n.entry k() {ret;} .entry k() {ret;}", "twice"},
        BadModule{".version 8.0\n.target sm_90\n.entry k(); .func k() {ret;}", "other"},
        BadModule{".version 8.0\n.target sm_90\n}", "malformed"}));

TEST(Errors, ANewerPtxIsToldApart) {
  EXPECT_TRUE(Parsed(".version 10.1\n.target sm_200\n").log.unsupported_version);
  EXPECT_FALSE(Parsed(".version x").log.unsupported_version);
  Parsed old(".version 6.4\n.target sm_75\n.address_size 64\n");
  EXPECT_PARSES(old);
  EXPECT_EQ(old.module->version_minor, 4);
  Parsed newest(".version 9.10\n.target sm_100a, debug\n");
  EXPECT_PARSES(newest);
  EXPECT_EQ(newest.module->version_minor, 10);
  EXPECT_EQ(newest.module->target, 100);
  EXPECT_EQ(newest.module->target_suffix, 'a');
}

TEST(Errors, ZerosInsideAreErrorsAndBehindAreNot) {
  std::string text = kernel("ret;");
  EXPECT_PARSES(Parsed(text + std::string(3, '\0')));
  text[text.size() / 2] = '\0';
  EXPECT_EQ(Parsed(text).module, nullptr);
}

// Nesting, lengths and counts of an attacker end quickly in an error or a module.
TEST(Errors, HostileTextsAreBounded) {
  std::string deep(100000, '{');
  EXPECT_EQ(Parsed(kernel(deep)).module, nullptr);
  EXPECT_EQ(Parsed(HEADER + std::string(".global .u64 x = ") + std::string(100000, '(')).module,
            nullptr);
  EXPECT_EQ(Parsed(HEADER + std::string(".global .u64 x = ") + std::string(100000, '-')).module,
            nullptr);
  EXPECT_EQ(Parsed(kernel("add.u32 %r1, " + std::string(100000, '!') + "%p1;")).module, nullptr);
  EXPECT_EQ(Parsed(kernel("mov.b32 %r1, " + std::string(100000, '{') + ";")).module, nullptr);
  EXPECT_EQ(Parsed(kernel(std::string(200000, 'x'))).module, nullptr);
  std::string many;
  for (int i = 0; i < 20000; ++i) many += "{.reg .b32 a" + std::to_string(i) + ";}\n";
  EXPECT_PARSES(Parsed(kernel(many)));
}

}  // namespace
}  // namespace cucore::ptx::test
