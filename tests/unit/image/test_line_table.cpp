// SPDX-License-Identifier: Apache-2.0
// Line tables of CUBINs, made by hand.
#include "image/line_table.hpp"
#include "image_testing.hpp"

namespace cucore::image {
namespace {

using namespace testing;

template <class T>
void append(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A unit without rows: one folder, and `count` files in it, which are named "a".
std::string unit_of(const std::string& folder, size_t count) {
  std::string header("\1\1\0\1\1", 5);  // no operations with arguments
  header += folder;
  header.append(2, '\0');
  for (size_t i = 0; i < count; ++i) header.append("a\0\1\0\0", 5);
  header.append(1, '\0');
  std::string unit;
  append(unit, static_cast<uint32_t>(sizeof(uint16_t) + sizeof(uint32_t) + header.size()));
  append(unit, uint16_t{2});
  append(unit, static_cast<uint32_t>(header.size()));
  return unit + header;
}

LineTable table_of(const std::string& lines) {
  const std::string names("\0.debug_line\0", 13);
  ElfHeader header{};
  std::memcpy(header.ident, "\x7f\x45\x4c\x46\2\1\1", 7);
  header.version = 1;
  header.header_size = sizeof header;
  header.section_entry_size = sizeof(ElfSectionHeader);
  header.section_offset = sizeof header;
  header.section_count = 3;
  header.name_section = 2;
  ElfSectionHeader sections[3] = {};
  const uint64_t begin = sizeof header + sizeof sections;
  sections[1] = {1, 1, 0, 0, begin, lines.size(), 0, 0, 1, 0};
  sections[2] = {0, SECTION_STRINGS, 0, 0, begin + lines.size(), names.size(), 0, 0, 1, 0};
  std::string file;
  append(file, header);
  append(file, sections);
  const Bytes bytes = bytes_of(file + lines + names);
  return read_line_table(ElfFile(ByteView("CUBIN", bytes)), ".debug_line");
}

TEST(LineTables, FilesAreInTheirFolders) {
  const LineTable table = table_of(unit_of("one", 2) + unit_of("two", 1));
  EXPECT_EQ(table.files, (std::vector<std::string>{"one/a", "one/a", "two/a"}));
}

// Each file repeats its folder, so the names need much more memory than the section has.
TEST(LineTables, TheirNamesAreBounded) {
  const std::string folder(1 << 20, 'f');
  EXPECT_EQ(table_of(unit_of(folder, 60)).files.size(), 60u);
  for (const std::string& lines : {unit_of(folder, 70), unit_of(folder, 40) + unit_of(folder, 40)})
    EXPECT_NE(message_of([&] { table_of(lines); }).find("names of the files are too long"),
              std::string::npos);
}

// A size of 2^64 - 11 after the end of the unit would lead back to the operation.
TEST(LineTables, AnOperationDoesNotReadBehindItsUnit) {
  std::string lines = unit_of("", 0) + std::string(1, '\0');
  ++lines[0];  // the length of the unit
  lines += "\xf5" + std::string(8, '\xff') + "\1\7";
  EXPECT_NE(message_of([&] { table_of(lines); }).find("ends too early"), std::string::npos);
}

TEST(LineTables, NamesDoNotReachBehindTheirUnit) {
  std::string unit = unit_of("one", 0);
  --unit[0];
  --unit[6];  // the length of the header, whose list of files has no end now
  unit.pop_back();
  EXPECT_NE(message_of([&] { table_of(unit + "a\0\1\0\0\0"); }).find("inside its table"),
            std::string::npos);
}

}  // namespace
}  // namespace cucore::image
