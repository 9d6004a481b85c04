// SPDX-License-Identifier: Apache-2.0
// CUBINs: the facts read from real ones, and every table that an attacker could change.
#include <algorithm>

#include "image/elf_file.hpp"
#include "image_testing.hpp"

namespace cucore::image {
namespace {

using namespace testing;

const Bytes& cubin() {
  static const Bytes* const bytes = new Bytes(load_image("saxpy_sm90.cubin"));
  return *bytes;
}

ElfSection section_named(std::string_view name) {
  const ElfFile file(ByteView("CUBIN", cubin()));
  for (const ElfSection& section : file.sections()) {
    if (section.text_name == name) {
      ElfSection copy = section;
      copy.text_name = name;
      return copy;
    }
  }
  ADD_FAILURE() << name;
  return {};
}

// Returns the offset of the symbol of a name in the file.
uint64_t symbol_named(std::string_view name) {
  ElfFile file(ByteView("CUBIN", cubin()));
  const ElfSection table = section_named(".symtab");
  const auto symbols = file.symbols(table);
  for (size_t i = symbols.size(); i-- > 0;)
    if (symbols[i].text_name == name) return table.offset + i * sizeof(ElfSymbolEntry);
  ADD_FAILURE() << name;
  return 0;
}

// Returns the offset of the record of an attribute in a .nv.info section.
uint64_t record_of(std::string_view name, uint8_t attribute) {
  const ElfSection section = section_named(name);
  for (uint64_t at = section.offset; at < section.offset + section.size;) {
    if (read_at<uint8_t>(cubin(), at + 1) == attribute) return at;
    at += 4 + (read_at<uint8_t>(cubin(), at) == 4 ? read_at<uint16_t>(cubin(), at + 2) : 0);
  }
  ADD_FAILURE() << int{attribute};
  return 0;
}

template <class T>
std::string after(uint64_t offset, T value) {
  return refusal(CodeType::CUBIN, changed_at(cubin(), offset, value));
}

#define EXPECT_PART(part, expression)                            \
  do {                                                           \
    const std::string message = expression;                      \
    EXPECT_NE(message.find(part), std::string::npos) << message; \
  } while (false)

TEST(Cubin, WhatASaxpySays) {
  for (const char* file : {"saxpy_sm80.cubin", "saxpy_sm90.cubin"}) {
    const ImageInfo info = inspect(CodeType::CUBIN, load_image(file));
    EXPECT_EQ("saxpy_" + info.arch.text().erase(2, 1) + ".cubin", file);
    EXPECT_EQ(info.toolkit, 130);
    ASSERT_EQ(info.symbols.size(), 1u);
    EXPECT_EQ(info.symbols[0].lowered_name, "saxpy");
    const std::vector<Parameter> expected = {{0, 4, 0}, {8, 8, 0}, {16, 8, 0}, {24, 4, 0}};
    EXPECT_EQ(info.symbols[0].parameters, expected);
    ASSERT_EQ(info.resources.size(), 1u);
    const KernelResources& needs = info.resources[0];
    EXPECT_GT(needs.registers.value_or(0), 4u);
    EXPECT_LT(needs.registers.value_or(0), 32u);
    EXPECT_EQ(needs.static_shared, 0u);
    EXPECT_EQ(needs.stack, 0u);
    EXPECT_FALSE(needs.max_threads);
    EXPECT_GT(needs.constant.value_or(0), 28u);
    EXPECT_GT(needs.code.value_or(0), 100u);
  }
}

TEST(Cubin, TheAbiBefore8HasItsArchitectureBelow) {
  Bytes old = changed_at<uint8_t>(cubin(), 7, 0x33);
  old = changed_at<uint8_t>(old, 8, 7);
  old = changed_at<uint32_t>(old, 48, 0x005a055a);
  EXPECT_EQ(inspect(CodeType::CUBIN, old).arch.text(), "sm_90");
  EXPECT_EQ(inspect(CodeType::CUBIN, changed_at<uint32_t>(old, 48, 0x005a0d5a)).arch.text(),
            "sm_90a");
}

TEST(Cubin, Header) {
  EXPECT_PART("header of an ELF64", after<uint8_t>(4, 1));
  EXPECT_PART("header of an ELF64", after<uint8_t>(5, 2));
  EXPECT_PART("ABI", after<uint8_t>(7, 0));
  EXPECT_PART("identification", after<uint8_t>(12, 1));
  EXPECT_PART("neither code", after<uint16_t>(16, 3));
  EXPECT_PART("machine 190", after<uint16_t>(18, 62));
  EXPECT_PART("version 1", after<uint32_t>(20, 2));
  EXPECT_PART("entry point", after<uint64_t>(24, 8));
  EXPECT_PART("no architecture", after<uint32_t>(48, 4));
  EXPECT_PART("not flags", after<uint8_t>(48, read_at<uint8_t>(cubin(), 48) ^ 1));
  EXPECT_PART("size is not 64", after<uint16_t>(52, 63));
  EXPECT_PART("header is not 56", after<uint16_t>(54, 64));
  EXPECT_PART("header is not 64", after<uint16_t>(58, 40));
  EXPECT_PART("no sections", after<uint16_t>(60, 0));
  EXPECT_PART("string table", after<uint16_t>(62, 0));
  EXPECT_PART("string table", after<uint16_t>(62, 0xffff));
}

TEST(Cubin, TablesBeyondTheEnd) {
  for (const uint64_t offset : {cubin().size() - 10, cubin().size() + 1, size_t{UINT64_MAX}}) {
    EXPECT_PART("does not lie inside", after<uint64_t>(40, offset));
    EXPECT_PART("does not lie inside", after<uint64_t>(32, offset));
  }
  EXPECT_PART("does not lie inside", after<uint16_t>(60, 0xfff0));
  EXPECT_NE(after<uint16_t>(56, 0xfff0), "");
  EXPECT_PART("table that is empty", after<uint16_t>(56, 0));
}

TEST(Cubin, Sections) {
  const uint64_t at = section_named(".text.saxpy").header_at;
  EXPECT_PART("name of a section", after<uint32_t>(at, 0xffffff));
  EXPECT_PART("without a type", after<uint32_t>(at + 4, 0));
  EXPECT_PART("has an address", after<uint64_t>(at + 16, 64));
  EXPECT_PART("at its alignment", after<uint64_t>(at + 24, 4));
  EXPECT_PART("does not lie inside", after<uint64_t>(at + 24, UINT64_MAX));
  EXPECT_PART("does not lie inside", after<uint64_t>(at + 32, UINT64_MAX));
  EXPECT_PART("not a power of two", after<uint64_t>(at + 48, 3));
  EXPECT_NE(after(at, section_named(".nv.constant0.saxpy").name), "");
  const uint64_t bank = section_named(".nv.constant0.saxpy").header_at;
  const uint64_t first = read_at<uint64_t>(cubin(), 40);
  for (uint64_t field = 0; field < sizeof(ElfSectionHeader); field += 4)
    EXPECT_NE(after<uint32_t>(first + field, 1), "") << field;
  EXPECT_PART("leads to one", after<uint32_t>(section_named(".nv.info").header_at + 40, 0x1000));
  EXPECT_PART("belongs to one",
              after<uint32_t>(section_named(".note.nv.tkinfo").header_at + 44, 0x1000));
  EXPECT_PART("no code of that name", after<uint32_t>(bank + 44, 1));
  EXPECT_PART("does not exist", after<uint32_t>(bank + 44, 0xffff));
  EXPECT_PART("too large", refusal(CodeType::CUBIN, [&] {
                Bytes changed = changed_at<uint32_t>(cubin(), bank + 4, SECTION_NO_BITS);
                return changed_at<uint64_t>(changed, bank + 32, 1 << 21);
              }()));
}

TEST(Cubin, StringTables) {
  const ElfSection names = section_named(".strtab");
  EXPECT_PART("NUL", after<uint8_t>(names.offset, 1));
  EXPECT_PART("NUL", after<uint8_t>(names.offset + names.size - 1, 1));
  EXPECT_PART("string table", after<uint32_t>(section_named(".symtab").header_at + 40, 4));
  EXPECT_PART("does not exist", after<uint32_t>(section_named(".symtab").header_at + 40, 400));
  EXPECT_PART("string table", after<uint32_t>(names.header_at + 4, 1));
}

// Returns an ELF file with these sections after the first, which is empty; the last one names them.
Bytes elf_of(std::vector<ElfSectionHeader> sections, const std::string& contents) {
  sections.insert(sections.begin(), ElfSectionHeader{});
  const uint64_t begin = sizeof(ElfHeader) + sections.size() * sizeof(ElfSectionHeader);
  for (size_t i = 1; i < sections.size(); ++i) sections[i].offset += begin;
  ElfHeader header{};
  std::memcpy(header.ident, "\x7f\x45\x4c\x46\2\1\1", 7);
  header.version = 1;
  header.header_size = header.section_offset = sizeof header;
  header.section_entry_size = sizeof(ElfSectionHeader);
  header.section_count = static_cast<uint16_t>(sections.size());
  header.name_section = static_cast<uint16_t>(sections.size() - 1);
  std::string text(reinterpret_cast<const char*>(&header), sizeof header);
  text.append(reinterpret_cast<const char*>(sections.data()), begin - sizeof header);
  return bytes_of(text + contents);
}

// Each section is read whole. Compilers let two share their bytes.
TEST(Elf, SectionsShareFewBytes) {
  const std::string contents = std::string(1 << 16, 'x') + std::string(2, '\0');
  const ElfSectionHeader data{0, 1, 0, 0, 0, 1 << 16, 0, 0, 1, 0};
  const ElfSectionHeader names{0, SECTION_STRINGS, 0, 0, 1 << 16, 2, 0, 0, 1, 0};
  const auto message_with = [&](size_t count) {
    std::vector<ElfSectionHeader> sections(count, data);
    sections.push_back(names);
    const Bytes bytes = elf_of(sections, contents);
    return message_of([&] { ElfFile(ByteView("CUBIN", bytes)); });
  };
  EXPECT_EQ(message_with(2), "");
  EXPECT_PART("share their bytes", message_with(100));
}

// 5000 symbols share a name of 1 MiB.
TEST(Elf, NamesOfSymbolsAreBounded) {
  std::vector<ElfSymbolEntry> table(5000);
  for (ElfSymbolEntry& symbol : table) symbol.name = 1;
  const std::string names = '\0' + std::string(1 << 20, 'n') + '\0';
  const uint64_t size = table.size() * sizeof(ElfSymbolEntry);
  const Bytes bytes =
      elf_of({{0, SECTION_SYMBOLS, 0, 0, 0, size, 2, 0, 1, sizeof(ElfSymbolEntry)},
              {0, SECTION_STRINGS, 0, 0, size, names.size(), 0, 0, 1, 0}},
             std::string(reinterpret_cast<const char*>(table.data()), size) + names);
  ElfFile file(ByteView("CUBIN", bytes));
  EXPECT_PART("names are too long", message_of([&] { file.symbols(file.sections()[1]); }));
}

TEST(Cubin, Symbols) {
  const ElfSection table = section_named(".symtab");
  EXPECT_PART("24 bytes", after<uint64_t>(table.header_at + 56, 16));
  EXPECT_PART("24 bytes", after<uint64_t>(table.header_at + 32, table.size - 1));
  EXPECT_PART("more local symbols", after<uint32_t>(table.header_at + 44, 1000));
  EXPECT_PART("no symbol table", after<uint32_t>(table.header_at + 4, 1));
  EXPECT_PART("two symbol tables", after<uint32_t>(section_named(".debug_frame").header_at + 4, 2));
  const uint64_t kernel = symbol_named("saxpy");
  EXPECT_PART("name of a symbol", after<uint32_t>(kernel, 0xffffff));
  EXPECT_PART("does not exist", after<uint16_t>(kernel + 6, 0x100));
  EXPECT_PART("inside its section", after<uint64_t>(kernel + 8, 0x10000));
  EXPECT_PART("inside its section", after<uint64_t>(kernel + 16, UINT64_MAX));
  EXPECT_NE(after<uint16_t>(kernel + 6, 1), "");
  EXPECT_PART("code of its own", after<uint32_t>(kernel, read_at<uint32_t>(cubin(), kernel) + 1));
  EXPECT_PART("not have its name", after<uint64_t>(symbol_named(".text.saxpy") + 8, 16));
  EXPECT_PART("not have its name", after<uint16_t>(symbol_named(".text.saxpy") + 6, 1));
}

TEST(Cubin, RecordsOfNvInfo) {
  const std::string own = ".nv.info.saxpy";
  const uint64_t parameter = record_of(own, 0x17);
  EXPECT_PART("no known format", after<uint8_t>(parameter, 0));
  EXPECT_PART("no known format", after<uint8_t>(parameter, 9));
  EXPECT_PART("does not lie inside", after<uint16_t>(parameter + 2, 0xffff));
  EXPECT_NE(after<uint16_t>(parameter + 2, 8), "");
  EXPECT_PART("is not recorded", after<uint16_t>(parameter + 8, 77));
  EXPECT_PART("recorded twice", after<uint16_t>(parameter + 8, 0));
  EXPECT_NE(after<uint16_t>(parameter + 10, 0x7fff), "");
  EXPECT_NE(after<uint8_t>(parameter + 1, 0x7f), "") << "a parameter that got lost";
  const uint64_t size = record_of(own, 0x19);
  EXPECT_PART("parameter", after<uint16_t>(size + 2, 4));
  EXPECT_PART("do not fill", after<uint16_t>(size + 2, 400));
  const uint64_t bank = record_of(own, 0x0a);
  EXPECT_PART("does not exist", after<uint32_t>(bank + 4, 9999));
  EXPECT_PART("constant bank", after<uint32_t>(bank + 4, 0));
  EXPECT_PART("constant bank", after<uint16_t>(bank + 8, 0xff00));
  EXPECT_PART("constant bank", after<uint16_t>(bank + 10, 27));
  const uint64_t exits = record_of(own, 0x1c);
  EXPECT_PART("inside the code", after<uint32_t>(exits + 4, 0x100000));
  const uint64_t registers = record_of(".nv.info", 0x2f);
  EXPECT_PART("does not exist", after<uint32_t>(registers + 4, 0xffffffff));
  EXPECT_NE(after<uint16_t>(registers + 2, 4), "");
  const uint64_t header = section_named(own).header_at;
  EXPECT_PART("no code of that name", after<uint32_t>(header + 44, 2));
}

TEST(Cubin, RelocationsAndCallGraph) {
  const ElfSection graph = section_named(".nv.callgraph");
  EXPECT_PART("does not exist", after<uint32_t>(graph.offset, 0x10000));
  EXPECT_PART("pairs", after<uint64_t>(graph.header_at + 32, graph.size - 4));
  const ElfFile file(ByteView("CUBIN", cubin()));
  const auto& sections = file.sections();
  const auto found = std::find_if(sections.begin(), sections.end(), [](const ElfSection& section) {
    return (section.type == SECTION_RELA || section.type == SECTION_REL) && section.size > 0;
  });
  ASSERT_NE(found, sections.end());
  EXPECT_PART("does not lie inside", after<uint64_t>(found->offset, UINT64_MAX));
  EXPECT_PART("symbol that does not exist", after<uint32_t>(found->offset + 12, 0x10000));
  EXPECT_PART("name of their target", after<uint32_t>(found->header_at + 44, 2));
  EXPECT_PART("does not use",
              after<uint32_t>(found->header_at + 40, 2).replace(0, 0, "does not use "));
  EXPECT_PART("wrong size", after<uint64_t>(found->header_at + 56, 8));
}

TEST(Cubin, Segments) {
  const auto table = read_at<uint64_t>(cubin(), 32);
  uint64_t code = table;
  while (read_at<uint32_t>(cubin(), code) != 1 || read_at<uint32_t>(cubin(), code + 4) != 5)
    code += sizeof(ElfProgramHeader);
  EXPECT_PART("does not lie inside", after<uint64_t>(code + 8, UINT64_MAX));
  EXPECT_PART("does not lie inside", after<uint64_t>(code + 32, UINT64_MAX));
  EXPECT_PART("not made of sections", after<uint64_t>(code + 8, 65));
  EXPECT_PART("has an address", after<uint64_t>(code + 16, 1));
  EXPECT_PART("has an address", after<uint64_t>(code + 24, 1));
  EXPECT_PART("smaller in memory", after<uint64_t>(code + 40, 0));
  EXPECT_PART("more memory", after<uint64_t>(code + 40, 1 << 30));
  EXPECT_PART("not a power of two", after<uint64_t>(code + 48, 7));
  EXPECT_PART("where the segments are", after<uint64_t>(table + 8, 64));
}

TEST(Cubin, Notes) {
  const ElfSection note = section_named(".note.nv.tkinfo");
  EXPECT_PART("does not lie inside", after<uint32_t>(note.offset, 0xfffffff0));
  EXPECT_PART("does not lie inside", after<uint32_t>(note.offset + 4, 0xffffffff));
  const uint64_t contents = note.offset + 24;
  EXPECT_PART("not a note", after<uint32_t>(contents, 3));
  for (uint64_t at = 4; at < 24; at += 4)
    EXPECT_PART("does not lie inside it", after<uint32_t>(contents + at, 0x1000));
}

TEST(Cubin, WhatFollowsTheEnd) {
  Bytes padded = cubin();
  padded.resize(padded.size() + 63);
  EXPECT_EQ(refusal(CodeType::CUBIN, padded), "");
  padded.back() = std::byte{1};
  EXPECT_IMAGE_REFUSED("belong to nothing", CodeType::CUBIN, padded);
  padded.back() = std::byte{0};
  padded.push_back({});
  EXPECT_IMAGE_REFUSED("belong to nothing", CodeType::CUBIN, padded);
}

TEST(Cubin, EveryTruncationIsRefused) {
  EXPECT_EQ(accepted_truncations(CodeType::CUBIN, cubin()), 0u);
  EXPECT_EQ(accepted_truncations(CodeType::CUBIN, load_image("saxpy_sm80.cubin")), 0u);
}

TEST(Cubin, FlipsInCodePassAndNeverCrash) {
  const ElfSection code = section_named(".text.saxpy");
  size_t accepted = 0;
  for (uint64_t bit = 0; bit < cubin().size() * 8; ++bit) {
    Bytes changed = cubin();
    changed[bit / 8] ^= std::byte{1} << (bit % 8);
    const bool passes = refusal(CodeType::CUBIN, changed).empty();
    const bool in_code = bit / 8 >= code.offset && bit / 8 < code.offset + code.size;
    EXPECT_TRUE(passes || !in_code) << "the reader refuses every image";
    accepted += passes && in_code;
  }
  EXPECT_EQ(accepted, code.size * 8);
  shake(CodeType::CUBIN, cubin(), 1, 20000);
}

}  // namespace
}  // namespace cucore::image
