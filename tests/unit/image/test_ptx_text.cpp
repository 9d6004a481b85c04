// SPDX-License-Identifier: Apache-2.0
// PTX as compilers and people write it, and as nobody should.
#include "image_testing.hpp"

namespace cucore::image {
namespace {

using namespace testing;

constexpr const char* HEAD = ".version 8.5\n.target sm_90a, debug\n.address_size 64\n";

ImageInfo read_text(const std::string& text) { return inspect(CodeType::PTX, bytes_of(text)); }
ImageInfo read_body(const std::string& body) { return read_text(HEAD + body); }
std::string refusal(const std::string& text) {
  return message_of([&] { read_text(text); });
}

TEST(PtxText, VersionTargetToolkit) {
  const ImageInfo info = read_text(ptx_text());
  EXPECT_EQ(info.ptx_isa, 84);
  EXPECT_EQ(info.arch.text(), "compute_80");
  EXPECT_EQ(info.toolkit, 130);
  EXPECT_EQ(read_body("").arch.text(), "compute_90a");
  EXPECT_EQ(read_text(".version 1.4 .target sm_10, map_f64_to_f32").arch.text(), "compute_10");
}

TEST(PtxText, ParametersAreLaidOut) {
  const ImageInfo info = read_body(
      ".visible .entry k(.param .u8 a, .param .align 64 .b8 b[70], .param .u64 .ptr .global .align "
      "16 c,"
      " .param .v4 .f32 d, .param .b8 e[3][2], .param .u16 f) { ret; }\n"
      ".weak .entry none() { ret; } .entry bare { ret; }");
  ASSERT_EQ(info.symbols.size(), 3u);
  using enum ParameterClass;
  const std::vector<Parameter> expected = {{0, 1, 1, INTEGER},     {64, 70, 64, AGGREGATE},
                                           {136, 8, 8, POINTER},   {144, 16, 16, AGGREGATE},
                                           {160, 6, 1, AGGREGATE}, {166, 2, 2, INTEGER}};
  EXPECT_EQ(info.symbols[0].parameters, expected);
  EXPECT_TRUE(info.symbols[1].parameters->empty());
  EXPECT_TRUE(info.symbols[2].parameters->empty());
}

TEST(PtxText, DirectivesOfKernels) {
  const ImageInfo info = read_body(
      ".entry a() .maxntid 32, 4, 2 .minnctapersm 2 .maxnreg 64 .pragma \"nounroll;{\"; { }"
      ".entry b() .reqntid 8, 8 .reqnctapercluster 2, 1, 1 .explicitcluster { }");
  EXPECT_EQ(info.resources[0].max_threads, 256u);
  EXPECT_EQ(info.resources[1].max_threads, 64u);
  EXPECT_EQ(info.resources[1].exact_block, (std::vector<uint32_t>{8, 8}));
}

TEST(PtxText, Variables) {
  const ImageInfo info = read_body(
      ".visible .global .align 4 .b8 table[16] = {1, 0x2, 3};\n"
      ".global .attribute(.managed) .align 4 .u32 shared_with_host;\n"
      ".global .attribute(.unified(1, 2), .managed) .u64 both = 5;\n"
      ".const .align 8 .f64 coefficients[4][2];\n"
      ".extern .global .u32 elsewhere;\n.extern .shared .align 16 .b8 dynamic[];\n"
      ".global .texref texture; .global .v2 .f32 pair; .global .u64 address = generic(table)+4;\n"
      ".global .align 1 .b8 $str[4] = {65, 66, 67, 0};\n.shared .align 4 .b8 s[132];\n");
  std::string seen;
  for (const Symbol& symbol : info.symbols) {
    seen += symbol.lowered_name + ":" + std::to_string(static_cast<int>(symbol.kind)) + ":" +
            std::to_string(symbol.size) + " ";
  }
  EXPECT_EQ(seen,
            "table:2:16 shared_with_host:4:4 both:4:8 coefficients:3:64 texture:2:8 pair:2:8 "
            "address:2:8 ");
}

TEST(PtxText, KernelsComeFirst) {
  const ImageInfo info = read_body(
      ".global .u32 g; .func (.param .b32 r) f(.param .b32 a) { ret; } .func declared(.param .b32 "
      "a);"
      ".func noreturn_one() .noreturn { trap; } .entry k() { }");
  ASSERT_EQ(info.symbols.size(), 4u);
  EXPECT_EQ(info.symbols[0].lowered_name, "k");
  EXPECT_EQ(info.symbols[2].lowered_name, "f");
  EXPECT_EQ(info.symbols[3].kind, SymbolKind::DEVICE_FUNCTION);
  EXPECT_EQ(info.resources.size(), 1u);
}

TEST(PtxText, WhatLooksLikeCodeButIsNot) {
  const ImageInfo info = read_body(
      "// .entry a() {\n/* .entry b() { \" */\n.file 1 \"c\\c.cu // .entry c() {\", 1, 2\n"
      ".section .debug_str { .b8 1, 2 } .pragma \"}\";\n"
      ".entry k() { // }\n /* } */ { .loc 1 2 3; } bra \"}\"; div / 2; }\n"
      ".alias x, y;\n.something .new 1, 2;");
  ASSERT_EQ(info.symbols.size(), 1u);
  EXPECT_EQ(info.symbols[0].lowered_name, "k");
}

TEST(PtxText, ADeclarationBeforeItsDefinition) {
  const ImageInfo info = read_body(".entry k(.param .u32 a); .entry k(.param .u32 a) { }");
  EXPECT_EQ(info.symbols.size(), 1u);
}

TEST(PtxText, Refused) {
  const std::string head = HEAD;
  const std::pair<const char*, std::string> cases[] = {
      {"empty", ""},
      {"empty", std::string(8, '\0')},
      {"begins with .version", "hello"},
      {"begins with .version", ".target sm_90"},
      {"begins with .version", "\".version\" 9.0"},
      {"number as 9.0", ".version"},
      {"number as 9.0", ".version nine"},
      {"number as 9.0", ".version 9"},
      {"number as 9.0", ".version 9."},
      {"number as 9.0", ".version 9.99"},
      {".target must follow", ".version 9.0"},
      {"needs a name", ".version 9.0 .target"},
      {"needs a name", ".version 9.0 .target sm_90,"},
      {"no architecture", ".version 9.0 .target generic"},
      {"NUL inside", head + std::string(1, '\0') + "x"},
      {"comment has no end", head + "/* "},
      {"comment has no end", "/*/"},
      {"string has no end", head + ".pragma \"abc\n\";"},
      {"string has no end", head + ".pragma \"abc\\"},
      {"brace is not closed", head + ".entry k() { { }"},
      {"string has no end", head + ".entry k() { \" }"},
      {"closes nothing", head + "}"},
      {"needs a name", head + ".entry"},
      {"needs a name", head + ".entry ("},
      {"no body", head + ".entry k()"},
      {"defined twice", head + ".entry k() {} .entry k() {}"},
      {"comma is missing", head + ".entry k(.param .u32 a .param .u32 b) {}"},
      {"type of a", head + ".entry k(.param a) {}"},
      {"needs .param", head + ".entry k(.param .u32 a,) {}"},
      {"power of two", head + ".entry k(.param .align 3 .b8 a[4]) {}"},
      {"power of two", head + ".entry k(.param .align 0 .b8 a[4]) {}"},
      {"power of two", head + ".entry k(.param .align x .b8 a[4]) {}"},
      {"dimension", head + ".entry k(.param .b8 a[n]) {}"},
      {"bracket", head + ".entry k(.param .b8 a[4) {}"},
      {"too large", head + ".entry k(.param .b8 a[4294967296]) {}"},
      {"too large", head + ".global .b8 a[4294967296][4294967296];"},
      {"too large", head + ".global .b8 a[18446744073709551615];"},
      {"dimension", head + ".global .b8 a[99999999999999999999];"},
      {"does not end", head + ".global .b8 a"},
      {"closes nothing", head + ".global .b8 a = 1 };"},
      {"parenthesis", head + ".global .attribute .b8 a;"},
      {"parenthesis", head + ".global .attribute(.managed"},
      {"parenthesis", head + ".func (.param .b32 r"},
      {"needs a name", head + ".func (.param .b32 r) 1"},
      {"no body", head + ".func f"},
      {"needs numbers", head + ".entry k() .maxntid x {}"},
      {"no block", head + ".section .debug_str"},
  };
  for (const auto& [part, text] : cases) {
    const std::string message = refusal(text);
    EXPECT_NE(message.find(part), std::string::npos) << text << "\n-> " << message;
    EXPECT_NE(message.find("at offset"), std::string::npos) << message;
  }
}

// Compilers end a string at the next quote, and treat "# 1" and "@@DWARF" lines differently. They
// also differ in what they accept beyond the language. None of it may hide a kernel or show another
// one.
TEST(PtxText, WhatCompilersReadOtherwiseIsRefused) {
  const std::string one = ".entry k(.param .u32 a) { ret; }\n";
  const std::string two = ".entry k(.param .u32 a, .param .u64 b) { ret; }\n";
  const std::string quote = ".file 1 \"a\\\"\n" + two + "// \"\n";
  const std::pair<const char*, std::string> cases[] = {
      {"ends with a backslash", quote},
      {"string has no end", ".file 1 \"a\n\"\n" + one},
      {"debug data", "@@DWARF .section .debug {\n" + one},
      {"debug data", ".entry k() {\n@@DWARF }\nret; }"},
      {"compilers read differently", one + "# 1 \"\n" + two},
      {"compilers read differently", ".entry k() {\n# 1 \"}\nret; }"},
      {"outside a string", one + "\\\n"},
      {"outside a string", one + "\x1a" + two},
      {"outside a string", one + "\v" + two},
      {"outside a string", one + "\x7f"},
      {"outside a string", ".entry k\xc3\xa9() { ret; }"},
      {"does not end with ;", ".loc 1 2 3\n" + one},
      {"does not end with ;", ".loc 1 " + one + ";"},
      {"does not end with ;", ".something { " + one + " };"},
      {"directive is missing", "{ " + one + " }"},
      {"directive is missing", "hello; " + one},
      {"directive is missing", "1 " + one},
      {"behind a comma", ".file 1 \"a\", .entry k() {}"},
      {"a number and a string", ".file 1 .entry k() {}"},
      {"no block", ".section .debug_x .foo { } " + one},
      {"no body", ".entry k(.param .u32 a)(.param .u32 b) { }"},
      {"no body", ".entry k.x(.param .u32 a) { }"},
      {"no body", ".entry k foo { }"},
      {"needs .param", ".entry k(.reg .u32 a) { }"},
      {"needs .param", ".entry k(.param .u32 a, .u32 b) { }"},
      {"type of a parameter", ".entry k(.param .param .u32 a) { }"},
      {"type of a parameter", ".entry k(.param .foo .u32 a) { }"},
      {"type of a parameter", ".entry k(.param .align8 .u32 a) { }"},
      {"type of a parameter", ".entry k(.param .texref a) { }"},
      {"type of a parameter", ".entry k(.param .pred a) { }"},
      {"type of a parameter", ".entry k(.param \".u32\" a) { }"},
      {"needs a name", ".entry k(.param .u32 .u64 a) { }"},
      {"needs a name", ".entry k(.param .b8 .align 8 a[4]) { }"},
      {"no size", ".entry k(.param .b8 a[]) { }"},
      {"no size", ".entry k(.param .b8 a[0]) { }"},
      {"dimension", ".entry k(.param .b8 a[\"4\"]) { }"},
  };
  for (const auto& [part, body] : cases) {
    const std::string message = refusal(HEAD + body);
    EXPECT_NE(message.find(part), std::string::npos) << body << "\n-> " << message;
  }
  EXPECT_NE(refusal(".version 1.3\n.target sm_10\n" + one).find("below 1.4"), std::string::npos);
}

TEST(PtxText, WordsEndWhereCompilersEndThem) {
  const ImageInfo info =
      read_body(".visible.entry%k(.param.u32%a,.param.align 0b100 .b8 b[0x4U]){}");
  ASSERT_EQ(info.symbols.size(), 1u);
  EXPECT_EQ(info.symbols[0].lowered_name, "%k");
  EXPECT_EQ(info.symbols[0].parameters->size(), 2u);
}

TEST(PtxText, TheAlignmentOfATypeIsTheLeast) {
  const ImageInfo info = read_body(".entry k(.param .u8 a, .param .align 2 .b64 b) { ret; }");
  EXPECT_EQ(info.symbols[0].parameters->at(1).offset, 8u);
}

TEST(PtxText, ManyParametersAreBounded) {
  std::string text = std::string(HEAD) + ".entry k(.param .u32 a0";
  for (int i = 1; i < 5000; ++i) text += ", .param .u32 a" + std::to_string(i);
  EXPECT_NE(refusal(text + ") {}").find("too large"), std::string::npos);
}

TEST(PtxText, NeverCrashesOnPiecesAndFlips) {
  const std::string text =
      ptx_text() + ".global .attribute(.managed) .align 8 .b8 g[3] = {1,2,3};\n" +
      ".pragma \"x\"; /* c */ .func (.param .b32 r) f(.param .b32 a) { ret; }\n";
  size_t accepted = 0;
  for (size_t size = 0; size < text.size(); ++size)
    accepted += refusal(text.substr(0, size)).empty();
  EXPECT_LT(accepted, text.size() / 2);
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string changed = text;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    refusal(changed);
  }
}

}  // namespace
}  // namespace cucore::image
