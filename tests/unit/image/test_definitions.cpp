// SPDX-License-Identifier: Apache-2.0
// The names of an image that a second input of a link may not define.
#include "image/definitions.hpp"

#include "image/elf_file.hpp"
#include "image/fatbin.hpp"
#include "image/host_object.hpp"
#include "image_testing.hpp"

namespace cucore::image {
namespace {

using namespace testing;

Image image_of(CodeType type, Bytes bytes) {
  Image image;
  image.type = type;
  image.bytes = std::move(bytes);
  return image;
}

std::vector<std::string> strong_in(const std::string& ptx) {
  const std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n" + ptx;
  std::vector<std::string> names;
  for (const Definition& each :
       read_definitions(image_of(CodeType::PTX, bytes_of(text + '\0')), SM90, false).strong)
    names.push_back(each.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Definitions, OfPtxAreThoseThatAreVisible) {
  EXPECT_EQ(strong_in(".visible .entry k() { ret; }"), Names{"k"});
  EXPECT_EQ(strong_in(".entry k() { ret; }"), Names{});
  EXPECT_EQ(strong_in(".weak .entry k() { ret; }"), Names{});
  EXPECT_EQ(strong_in(".visible .func f() { ret; }"), Names{"f"});
  EXPECT_EQ(strong_in(".func f() { ret; }\n.weak .func g() { ret; }\n.extern .func h();"), Names{});
  EXPECT_EQ(strong_in(".visible .func (.param .b32 r) f(.param .b32 x);"), Names{});
  EXPECT_EQ(strong_in(".visible .global .u32 v = 1;"), Names{"v"});
  EXPECT_EQ(strong_in(".visible .const .align 4 .b8 v[8] = {1, 2};"), Names{"v"});
  EXPECT_EQ(strong_in(".global .u32 v;\n.weak .global .u32 w;\n.extern .global .u32 x;\n"
                      ".common .global .u32 y;"),
            Names{});
}

TEST(Definitions, OfOneStatementAreAllOfItsNames) {
  EXPECT_EQ(strong_in(".visible .global .u32 a, b[2] = {1, 2}, c = 3;"), (Names{"a", "b", "c"}));
  EXPECT_EQ(strong_in(".global .u32 a, b;"), Names{});
}

// The linkage of one statement does not apply to the next.
TEST(Definitions, EachStatementHasItsOwnLinkage) {
  EXPECT_EQ(strong_in(".visible .func f() { ret; }\n.func g() { ret; }\n.visible .global .u32 v;\n"
                      ".global .u32 w;"),
            (Names{"f", "v"}));
}

TEST(Definitions, OfPtxMayBeAliases) {
  EXPECT_EQ(strong_in(".visible .func f() { ret; }\n.visible .func a();\n.alias a, f;"),
            (Names{"f", "a"}));
  EXPECT_EQ(strong_in(".func f() { ret; }\n.func a();\n.alias a, f;"), Names{});
}

TEST(Definitions, OfImagesSayWhatTheyAre) {
  const auto cubin =
      read_definitions(image_of(CodeType::CUBIN, load_image("saxpy_sm90.cubin")), SM90, false);
  ASSERT_EQ(cubin.strong.size(), 1u);
  EXPECT_EQ(cubin.strong[0].name, "saxpy");
  EXPECT_EQ(cubin.strong[0].kind, SymbolKind::KERNEL);
  EXPECT_EQ(cubin.strong[0].member, "");
  EXPECT_TRUE(cubin.ltoir.empty());
  const auto ltoir =
      read_definitions(image_of(CodeType::LTOIR, load_image("saxpy.ltoir")), SM90, true);
  EXPECT_TRUE(ltoir.strong.empty());
  ASSERT_EQ(ltoir.ltoir.size(), 1u);
  EXPECT_EQ(ltoir.ltoir[0].bytes, load_image("saxpy.ltoir"));
}

// "!<arch>" with these members.
Bytes archive_of(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string text = "!<arch>\n";
  for (const auto& [name, bytes] : members) {
    std::string header(60, ' ');
    const std::string size = std::to_string(bytes.size());
    header.replace(0, name.size(), name).replace(48, size.size(), size).replace(58, 2, "`\n");
    text += header + bytes;
    if (bytes.size() % 2 != 0) text += '\n';
  }
  return bytes_of(text);
}

TEST(Definitions, NamesOfMembersMayBeLong) {
  const Bytes archive = archive_of({{"/", "index"},
                                    {"//", "a_long_name_of_a_member.o/\nanother_long_name.o/\n"},
                                    {"short.o/", "1"},
                                    {"/0", "22"},
                                    {"/27", "333"},
                                    {"/99", "4444"}});
  std::vector<std::string> names;
  each_member(ByteView("LIBRARY", archive), [&](std::string_view name, const ByteView& member) {
    names.push_back(std::string(name) + ":" + std::to_string(member.size()));
  });
  EXPECT_EQ(names,
            (Names{"short.o:1", "a_long_name_of_a_member.o:2", "another_long_name.o:3", "/99:4"}));
}

TEST(Definitions, AnArchiveMayHoldAnything) {
  const Bytes archive = archive_of({{"text/", "no object"},
                                    {"elf/",
                                     "\x7f"
                                     "ELF"}});
  EXPECT_TRUE(read_definitions(image_of(CodeType::LIBRARY, archive), SM90, false).strong.empty());
}

// An ELF object whose one section is __nv_relfatbin.
Bytes object_around(const Bytes& fatbin) {
  const std::string names(std::string("\0__nv_relfatbin\0.shstrtab\0", 26));
  ElfHeader header{{0x7f, 'E', 'L', 'F', 2, 1, 1},
                   TYPE_RELOCATABLE,
                   62,
                   1,
                   0,
                   0,
                   0,
                   0,
                   sizeof header,
                   0,
                   0,
                   sizeof(ElfSectionHeader),
                   3,
                   2};
  const uint64_t at = sizeof header + names.size();
  header.section_offset = at + fatbin.size();
  const ElfSectionHeader sections[3] = {
      {},
      {1, 1, 0, 0, at, fatbin.size(), 0, 0, 8, 0},
      {16, SECTION_STRINGS, 0, 0, sizeof header, names.size(), 0, 0, 1, 0}};
  std::string text(reinterpret_cast<const char*>(&header), sizeof header);
  text += names;
  text.append(reinterpret_cast<const char*>(fatbin.data()), fatbin.size());
  text.append(reinterpret_cast<const char*>(sections), sizeof sections);
  return bytes_of(text);
}

size_t definitions_in(const Bytes& object) {
  return read_definitions(image_of(CodeType::OBJECT, object), SM90, false).strong.size();
}

// The device code inside an object was not checked before, so no field may be trusted.
TEST(Definitions, InsideDamagedObjectsAreReadWithoutHarm) {
  const Bytes fatbin = load_image("saxpy_zstd.fatbin");
  EXPECT_EQ(definitions_in(object_around(fatbin)), 1u);
  Bytes two = fatbin;
  two.resize((two.size() + 7) / 8 * 8);
  two.insert(two.end(), fatbin.begin(), fatbin.end());
  EXPECT_EQ(definitions_in(object_around(two)), 2u);
  for (size_t size = 0; size < fatbin.size(); size += 7)
    EXPECT_EQ(definitions_in(
                  object_around({fatbin.begin(), fatbin.begin() + static_cast<ptrdiff_t>(size)})),
              0u);
  std::mt19937 random(4);
  for (int i = 0; i < 2000; ++i) {
    Bytes changed = fatbin;
    changed[random() % changed.size()] ^= static_cast<std::byte>(1u << random() % 8);
    EXPECT_LE(definitions_in(object_around(changed)), 1u);
  }
}

TEST(Definitions, FatBinariesBehindEachOtherHaveTheirSizes) {
  const Bytes one = load_image("saxpy_zstd.fatbin");
  Bytes two = one;
  two.insert(two.end(), one.begin(), one.end());
  EXPECT_EQ(fatbin_size(ByteView("FATBIN", two)), one.size());
  EXPECT_NE(message_of([&] { fatbin_size(ByteView("FATBIN", Bytes(16))); }), "");
  const Bytes headless = changed_at<uint16_t>(one, 6, 0);
  EXPECT_NE(message_of([&] { fatbin_size(ByteView("FATBIN", headless)); }), "");
}

// Each of them would be searched to the end of the name that all share.
TEST(Definitions, MembersOfAnArchiveHaveNoEndlessNames) {
  const Bytes archive =
      archive_of({{"//", std::string(100000, 'x') + "/\n"}, {"/0", "one"}, {"/5", "two"}});
  size_t count = 0;
  each_member(ByteView("LIBRARY", archive), [&](std::string_view name, const ByteView&) {
    EXPECT_LE(name.size(), 4096u);
    ++count;
  });
  EXPECT_EQ(count, 2u);
}

}  // namespace
}  // namespace cucore::image
