// SPDX-License-Identifier: Apache-2.0
// The linked text: names, files and statements of several inputs in one.
#include <gtest/gtest.h>

#include <initializer_list>

#include "ptx/linker.hpp"
#include "ptx_test.hpp"

namespace cucore::ptx::test {
namespace {

bool only_vprintf(std::string_view name) { return name == "vprintf"; }

// Links texts named a.ptx, b.ptx ...; those without a version get HEADER.
struct Linked {
  LinkResult result;
  std::string text;

  Linked(std::initializer_list<std::string> inputs) {
    Linker linker(only_vprintf);
    char letter = 'a';
    for (const std::string& input : inputs) {
      const std::string name = std::string(1, letter++) + ".ptx";
      result = linker.add(name, input.starts_with(".version") ? input : HEADER + input);
      if (result.status != LinkStatus::OK) return;
    }
    result = linker.complete(text);
  }
  bool contains(const std::string& part) const { return text.find(part) != std::string::npos; }
  size_t count(const std::string& part) const {
    size_t n = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
  }
};

#define EXPECT_LINKS(linked) \
  ASSERT_EQ(static_cast<int>((linked).result.status), 0) << (linked).result.log << (linked).text

std::string kernel_of(const std::string& name, const std::string& body) {
  return ".visible .entry " + name +
         "()\n{\n.reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n" + body + "\nret;\n}\n";
}

TEST(Link, OneTextStaysAsItIs) {
  const std::string text = HEADER + kernel_of("k", "// comment");
  Linked linked{text};
  EXPECT_LINKS(linked);
  EXPECT_EQ(linked.text, text);
}

TEST(Link, NothingIsAnEmptyModule) {
  Linked linked{};
  EXPECT_LINKS(linked);
  Parsed parsed(linked.text);
  EXPECT_PARSES(parsed);
}

TEST(Link, VersionAndTargetFitToAllInputs) {
  Linked linked{".version 7.8\n.target sm_90a, debug\n.address_size 64\n" + kernel_of("a", ""),
                ".version 8.10\n.target sm_75\n.address_size 64\n" + kernel_of("b", "")};
  EXPECT_LINKS(linked);
  EXPECT_TRUE(linked.text.starts_with(".version 8.10\n.target sm_90a, debug\n")) << linked.text;
}

TEST(Link, NamesOfInstructionsAreNotChanged) {
  const std::string module =
      ".func ret() { ret; }\n.func add() { ret; }\n.global .b32 x;\n" +
      kernel_of("NAME",
                "mov.u64 %rd1, x; add: add.s64 %rd1, %rd1, 4;\n@%p1 bra add;\n@!%p1 bra add;\n"
                "{ .reg .b32 x; mov.b32 x, 1; mov.b64 %rd2, {x, x}; }\ncall ret;\ncall.uni add;");
  auto named = [&](const char* name) {
    std::string text = module;
    return text.replace(text.find("NAME"), 4, name);
  };
  Linked linked{named("a"), named("b")};
  EXPECT_LINKS(linked);
  EXPECT_EQ(linked.count(".func ret"), 2u);
  EXPECT_EQ(linked.count(".func ret$"), 1u);
  EXPECT_TRUE(linked.contains("call ret$")) << linked.text;
  EXPECT_TRUE(linked.contains("add.s64 %rd1, %rd1, 4"));
  EXPECT_EQ(linked.count("mov.b64 %rd2, {x$"), 1u) << linked.text;
}

TEST(Link, ChangedNamesAreNew) {
  Linked linked{".global .b32 x = 1; .visible .global .b32 x$2 = 9;" + kernel_of("a", ""),
                ".global .b32 x = 2;" + kernel_of("b", "mov.u64 %rd1, x;")};
  EXPECT_LINKS(linked);
  EXPECT_TRUE(linked.contains("mov.u64 %rd1, x$4;")) << linked.text;
}

TEST(Link, InitialValuesFollowChangedNames) {
  const std::string tables =
      ".global .b32 x[4];\n.func generic() { ret; }\n"
      ".global .u64 t[3] = {generic(x)+4, x, generic};\n.global .u8 m[2] = {0xFF(x), 0xFF00(x)};\n";
  Linked linked{tables + kernel_of("a", "mov.u64 %rd1, t; mov.u64 %rd1, m;"),
                tables + kernel_of("b", "mov.u64 %rd1, t; mov.u64 %rd1, m;")};
  EXPECT_LINKS(linked);
  EXPECT_TRUE(linked.contains("{generic(x$2)+4, x$2, generic$2}")) << linked.text;
  EXPECT_TRUE(linked.contains("{0xFF(x$2), 0xFF00(x$2)}")) << linked.text;
}

TEST(Link, StatementsWithSeveralNamesAreDivided) {
  Linked linked{".weak .global .align 8 .b32 x = 1, y[2] = {2, 3};" +
                    kernel_of("a", "mov.u64 %rd1, x; mov.u64 %rd1, y;"),
                ".visible .global .align 8 .b32 y[2] = {4, 5};" + kernel_of("b", "")};
  EXPECT_LINKS(linked);
  EXPECT_TRUE(linked.contains(".weak .global .align 8 .b32 x = 1;")) << linked.text;
  EXPECT_EQ(linked.count("y[2]"), 1u);
  EXPECT_TRUE(linked.contains("{4, 5}"));
}

TEST(Link, FunctionsMayPrecedeTheirDeclarations) {
  Linked linked{".visible .func f() .pragma \"nounroll\"; { call g; ret; }\n.extern .func g();",
                ".extern .func f();\n.visible .func g() { ret; }\n" + kernel_of("k", "call f;")};
  // The declaration of g follows its use, which the parser refuses in one text.
  EXPECT_EQ(static_cast<int>(linked.result.status), static_cast<int>(LinkStatus::INVALID_PTX));
  Linked other{".extern .func g();.visible .func f() .pragma \"nounroll\"; { call g; ret; }\n",
               ".extern .func f();\n.visible .func g() { ret; }\n" + kernel_of("k", "call f;")};
  EXPECT_LINKS(other);
}

TEST(Link, FilesHaveOneNumberEach) {
  const std::string a = ".file 1 \"a.cu\"\n.file 2 \"h.cuh\"\n" +
                        kernel_of("a", ".loc 1 5 3\nmov.u32 %r1, 1;\n.loc 2 6 3\n");
  const std::string b =
      ".file 1 \"h.cuh\"\n.file 3 \"b.cu\"\n" +
      kernel_of("b",
                ".loc 3 7 1\nmov.u32 %r1, 1;\n"
                ".loc 1 8 2, function_name $L__info_string0, inlined_at 3 4 5\nmov.u32 %r1, 2;\n") +
      ".section .debug_str\n{\n$L__info_string0:\n.b8 95\n}\n";
  Linked linked{a, b};
  EXPECT_LINKS(linked);
  EXPECT_EQ(linked.count(".file"), 3u);
  EXPECT_TRUE(linked.contains(".file 3 \"b.cu\""));
  EXPECT_TRUE(linked.contains(".loc 3 7 1\n")) << linked.text;
  EXPECT_TRUE(linked.contains(".loc 2 8 2\nmov")) << linked.text;
  EXPECT_FALSE(linked.contains("$L__info_string0"));
}

TEST(Link, AliasesAreDefinitions) {
  Linked linked{".visible .func f() { ret; }\n.visible .func g();\n.alias g, f;\n",
                ".extern .func g();\n" + kernel_of("k", "call g;")};
  EXPECT_LINKS(linked);
  Linked twice{".visible .func f() { ret; }\n.visible .func g();\n.alias g, f;\n",
               ".visible .func g() { ret; }"};
  EXPECT_EQ(twice.result.log,
            "error   : Multiple definition of 'g' in 'b.ptx', first defined in 'a.ptx'\n");
}

TEST(Link, DynamicSharedMemoryHasTheLargestAlignment) {
  Linked linked{".extern .shared .align 4 .b8 s[];" + kernel_of("a", "mov.u32 %r1, s;"),
                ".extern .shared .align 32 .f32 s[];" + kernel_of("b", "mov.u32 %r1, s;")};
  EXPECT_LINKS(linked);
  EXPECT_EQ(linked.count(".extern .shared"), 1u);
  EXPECT_TRUE(linked.contains(".extern .shared .align 32 .b8 s[];"));
}

TEST(Link, DynamicSharedMemoryHasTheElementsOfItsDeclaration) {
  const std::string declaration = ".extern .shared .align 4 .b32 s[];";
  Linked linked{".extern .shared .align 4 .f32 s[];" + kernel_of("a", "mov.u32 %r1, s[2];"),
                declaration + kernel_of("b", "mov.u32 %r1, s;")};
  EXPECT_LINKS(linked);
  EXPECT_TRUE(linked.contains(".extern .shared .align 4 .f32 s[];"));
  Linked vectors{".extern .shared .v2 .b64 s[];" + kernel_of("a", "mov.u32 %r1, s[2];"), ""};
  EXPECT_LINKS(vectors);
  EXPECT_TRUE(vectors.contains(".extern .shared .align 16 .v2 .b64 s[];"));
  Linked unused{".extern .shared .b8 s[];", declaration + kernel_of("b", "mov.u32 %r1, s[2];")};
  EXPECT_LINKS(unused);
  EXPECT_TRUE(unused.contains(".extern .shared .align 4 .b32 s[];"));
  Parsed parsed(unused.text);
  EXPECT_PARSES(parsed);
  EXPECT_EQ(parsed.operands(0)[1].bits, 8u);
}

TEST(Link, AnIndexNeedsElementsOfOneSize) {
  const std::string message =
      "error   : Element size doesn't match for 's' in 'b.ptx', first specified in 'a.ptx'\n";
  const std::string words = ".extern .shared .b32 s[];" + kernel_of("a", "mov.u32 %r1, s[2];");
  EXPECT_EQ(
      (Linked{words, ".extern .shared .b8 s[];" + kernel_of("b", "mov.u32 %r1, s;")}).result.log,
      message);
  const std::string global = ".extern .global .b32 s[];" + kernel_of("a", "mov.u64 %rd1, s[2];");
  EXPECT_EQ((Linked{global, ".visible .global .b8 s[64];"}).result.log, message);
}

TEST(Link, ARegisterWithAChangedNameIsRefused) {
  const std::string b =
      ".global .b32 r1;\n.visible .entry b() { .reg .b32 r<4>; mov.u32 r1, 1; ret; }";
  Linked linked{".global .b32 r1 = 5;\n" + kernel_of("a", ""), b};
  EXPECT_EQ(static_cast<int>(linked.result.status), static_cast<int>(LinkStatus::CONFLICT));
  EXPECT_EQ(linked.result.log,
            "error   : local name 'r1' in 'b.ptx' is also a register and a name of another input; "
            "rename it\n");
}

const char* const USE_X = ".visible .entry a() { .reg .b64 %rd1; mov.u64 %rd1, x; ret; }";
const char* const USE_F = ".visible .entry a() { call f; ret; }";

// nvJitLink 13.0 prints these texts for the same inputs.
TEST(Link, MessagesAreThoseOfNvlink) {
  const std::string use_x = USE_X, use_f = USE_F;
  const struct {
    std::string a, b, log;
  } rows[] = {
      {".extern .func f();" + use_f, "", "error   : Undefined reference to 'f' in 'a.ptx'\n"},
      {".extern .global .b32 x;" + use_x, "", "error   : Undefined reference to 'x' in 'a.ptx'\n"},
      {".extern .shared .b8 x[16];" + use_x, "",
       "error   : Undefined reference to 'x' in 'a.ptx'\n"},
      {".extern .func g(); .extern .func f(); .visible .entry a() { call f; call g; ret; }", "",
       "error   : Undefined reference to 'g' in 'a.ptx'\n"
       "error   : Undefined reference to 'f' in 'a.ptx'\n"},
      {".visible .func f() { ret; }", ".visible .func f() { ret; }",
       "error   : Multiple definition of 'f' in 'b.ptx', first defined in 'a.ptx'\n"},
      {".visible .entry f() { ret; }", ".visible .entry f() { ret; }",
       "error   : Multiple definition of 'f' in 'b.ptx', first defined in 'a.ptx'\n"},
      {".visible .global .b32 x;", ".visible .global .b32 x = 7;",
       "error   : Multiple definition of 'x' in 'b.ptx', first defined in 'a.ptx'\n"},
      {".extern .global .b32 x;" + use_x, ".visible .global .b64 x = 7;",
       "error   : Size doesn't match for 'x' in 'b.ptx', first specified in 'a.ptx'\n"},
      {".extern .global .b32 x;" + use_x, ".visible .const .b32 x = 7;",
       "error   : Memory space doesn't match for 'x' in 'b.ptx', first specified in 'a.ptx'\n"},
      {".extern .global .attribute(.managed) .b32 x;" + use_x, ".visible .global .b32 x = 7;",
       "error   : Managed attribute doesn't match for 'x' in 'b.ptx', first specified in "
       "'a.ptx'\n"},
      {".common .global .b32 x[4];", ".visible .global .b32 x = 7;",
       "error   : Common symbol 'x' in file 'a.ptx' has larger size than initialization\n"},
      {".weak .entry f(.param .b32 p) { ret; }", ".weak .entry f(.param .b64 p) { ret; }",
       "error   : Duplicate weak parameter bank for 'f' is not the same size\n"},
      {".extern .func f();" + use_f, ".visible .func f(.param .b32 p) { ret; }",
       "error   : Prototype doesn't match for 'f' in 'b.ptx', first defined in 'a.ptx'\n"},
      {".weak .func f(.param .f32 p) { ret; }", ".weak .func f(.param .b32 p) { ret; }",
       "error   : Prototype doesn't match for 'f' in 'b.ptx', first defined in 'a.ptx'\n"},
      {".extern .func f();" + use_f, ".visible .entry f() { ret; }",
       "error   : Function 'f' not declared __global__ in all source files\n"},
  };
  for (const auto& row : rows) EXPECT_EQ((Linked{row.a, row.b}).result.log, row.log) << row.a;
  EXPECT_EQ((Linked{".weak .func f();" + use_f}).result.log,
            "ptxas fatal   : Unresolved extern function 'f'\n");
}

TEST(Link, NvlinkAcceptsThese) {
  const std::string use_x = USE_X;
  const std::string pairs[][2] = {
      {".extern .func f(); .visible .entry a() { ret; }",
       ".visible .func f(.param .b32 p) { ret; }"},
      {".extern .global .b32 x[];" + use_x, ".visible .global .b32 x[4];"},
      {".extern .global .b32 x;" + use_x, ".visible .global .f32 x = 1.0;"},
      {".common .global .b32 x;" + use_x, ".common .global .b32 x[8];"},
      {".common .global .b32 x;" + use_x, ".extern .global .b32 x;"},
      {".func f() { ret; }", ".visible .func f(.param .b32 p) { ret; }"},
      {".entry f() { ret; }", ".entry f() { ret; }"},
      {".weak .entry f() { ret; }", ".weak .entry f() { ret; }"},
      {".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);", ""},
  };
  for (const auto& [a, b] : pairs) {
    Linked linked{a, b};
    EXPECT_EQ(static_cast<int>(linked.result.status), 0) << linked.result.log << linked.text;
  }
}

TEST(Link, TheLargestCommonVariableRemains) {
  Linked linked{".common .global .b32 x;", ".common .global .b32 x[8];",
                ".common .global .b32 x[2];"};
  EXPECT_LINKS(linked);
  EXPECT_EQ(linked.count(".common"), 1u);
  EXPECT_TRUE(linked.contains("x[8]"));
}

TEST(Link, ARefusedTextChangesNothing) {
  Linker linker(only_vprintf);
  EXPECT_EQ(static_cast<int>(linker.add("a", std::string(HEADER) + kernel_of("k", "")).status), 0);
  EXPECT_NE(static_cast<int>(linker.add("b", std::string(HEADER) + "bogus").status), 0);
  EXPECT_NE(static_cast<int>(linker.add("c", std::string(HEADER) + kernel_of("k", "")).status), 0);
  std::string out;
  EXPECT_EQ(static_cast<int>(linker.complete(out).status), 0);
  EXPECT_EQ(out, HEADER + kernel_of("k", ""));
}

TEST(Link, MembersAreTakenOnDemand) {
  Linker linker(only_vprintf);
  linker.add("a", std::string(HEADER) + ".extern .func f();" + USE_F);
  linker.add_member("m1", std::string(HEADER) + ".visible .func unused() { ret; }");
  linker.add_member("m2",
                    std::string(HEADER) + ".extern .func g(); .visible .func f() { call g; ret; }");
  linker.add_member("m3", std::string(HEADER) + ".visible .func g() { ret; }");
  std::string out;
  const LinkResult result = linker.complete(out);
  EXPECT_EQ(static_cast<int>(result.status), 0) << result.log;
  EXPECT_NE(out.find(".func g"), std::string::npos);
  EXPECT_EQ(out.find("unused"), std::string::npos);
}

}  // namespace
}  // namespace cucore::ptx::test
