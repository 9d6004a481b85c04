// SPDX-License-Identifier: Apache-2.0
// The sections and symbols of an ELF64 file.
#include "image/elf_file.hpp"

#include <algorithm>

namespace cucore::image {

namespace {

// NVIDIA's section types that reserve memory without bytes in the file. They are global, local and
// shared memory of relocatable code, and shared memory reserved by the system.
constexpr uint32_t CUDA_NO_BITS[] = {0x70000007, 0x70000009, 0x7000000a, 0x70000015};

// ptxas 13.0 lets two sections share their bytes: the PTX of debug information of sm_100 and later.
constexpr uint64_t MOST_SHARES = 4;

// Names may share their bytes; a compiler's names take less than this many bytes, plus
// NAMES_PER_BYTE per byte of the file.
constexpr uint64_t NAMES_OF_ANY_FILE = uint64_t{64} << 20;
constexpr uint64_t NAMES_PER_BYTE = 16;

bool has_bytes(const ElfSectionHeader& section, uint16_t machine) {
  if (section.type == SECTION_NO_BITS || section.type == 0) return false;
  return machine != MACHINE_CUDA || std::find(std::begin(CUDA_NO_BITS), std::end(CUDA_NO_BITS),
                                              section.type) == std::end(CUDA_NO_BITS);
}

bool is_power_of_two_or_zero(uint64_t value) { return (value & (value - 1)) == 0; }

}  // namespace

ElfFile::ElfFile(ByteView view) : view_(view), header_(view.get<ElfHeader>(0)) {
  static constexpr uint8_t MAGIC[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  for (size_t i = 0; i < sizeof MAGIC; ++i)
    if (header_.ident[i] != MAGIC[i]) view_.fail(i, "not the header of an ELF64 file");
  if (header_.version != 1) view_.fail(20, "not version 1 of ELF");
  if (header_.header_size != sizeof(ElfHeader)) view_.fail(52, "the header's size is not 64");
  end_ = sizeof(ElfHeader);
  names_left_ = NAMES_OF_ANY_FILE + NAMES_PER_BYTE * view_.size();
  read_sections();
  read_names();
  read_programs();
}

void ElfFile::extend(uint64_t offset, uint64_t size, uint64_t where, const char* what) {
  if (!view_.contains(offset, size)) {
    view_.fail(where, std::string(what) + " of " + std::to_string(size) + " bytes at " +
                          std::to_string(offset) + " does not lie inside the " +
                          std::to_string(view_.size()) + " bytes given");
  }
  end_ = std::max(end_, offset + size);
}

void ElfFile::read_sections() {
  const uint64_t count = header_.section_count;
  if (count == 0) view_.fail(60, "no sections");
  if (header_.section_entry_size != sizeof(ElfSectionHeader))
    view_.fail(58, "the size of a section header is not 64");
  extend(header_.section_offset, count * sizeof(ElfSectionHeader), 40, "the section table");
  sections_.resize(count);
  for (uint64_t i = 0; i < count; ++i) {
    ElfSection& section = sections_[i];
    section.header_at = header_.section_offset + i * sizeof(ElfSectionHeader);
    static_cast<ElfSectionHeader&>(section) = view_.get<ElfSectionHeader>(section.header_at);
    section.has_bytes = has_bytes(section, header_.machine);
    if (section.has_bytes)
      extend(section.offset, section.size, section.header_at + 24, "a section");
    if (!is_power_of_two_or_zero(section.alignment))
      view_.fail(section.header_at + 48, "the alignment of a section is not a power of two");
    if (section.type == SECTION_STRINGS) check_strings(section);
  }
  check_sizes();
}

// Readers read each section once, so sections that share bytes could cost far more time than the
// file has bytes.
void ElfFile::check_sizes() const {
  uint64_t left = MOST_SHARES * view_.size();
  for (const ElfSection& section : sections_) {
    if (!section.has_bytes) continue;
    if (section.size > left) view_.fail(section.header_at + 32, "sections share their bytes");
    left -= section.size;
  }
}

void ElfFile::check_strings(const ElfSection& section) const {
  const auto text = bytes(section).bytes();
  if (!text.empty() && (text.front() != std::byte{0} || text.back() != std::byte{0}))
    view_.fail(section.offset, "a string table does not begin and end with NUL");
}

const ElfSection& ElfFile::section_at(const ElfSection& from, uint32_t index,
                                      const char* role) const {
  if (index == 0 || index >= sections_.size()) {
    view_.fail(from.header_at + 40, std::string(role) + " of section " +
                                        std::string(from.text_name) + " is section " +
                                        std::to_string(index) + ", which does not exist");
  }
  return sections_[index];
}

std::string_view ElfFile::name_at(const ByteView& names, uint64_t offset, uint64_t where) {
  const std::string_view name = names.string(offset);
  if (name.size() > names_left_) view_.fail(where, "the names are too long");
  names_left_ -= name.size();
  return name;
}

void ElfFile::read_names() {
  if (header_.name_section >= sections_.size() ||
      sections_[header_.name_section].type != SECTION_STRINGS)
    view_.fail(62, "the names of the sections are not in a string table");
  const ByteView names = bytes(sections_[header_.name_section]);
  for (ElfSection& section : sections_) {
    if (section.name >= names.size())
      view_.fail(section.header_at, "the name of a section does not lie inside its table");
    section.text_name = name_at(names, section.name, section.header_at);
  }
}

void ElfFile::read_programs() {
  if (header_.program_count == 0) {
    if (header_.program_offset != 0) view_.fail(32, "a place for a program table that is empty");
    return;
  }
  if (header_.program_entry_size != sizeof(ElfProgramHeader))
    view_.fail(54, "the size of a program header is not 56");
  extend(header_.program_offset, uint64_t{header_.program_count} * sizeof(ElfProgramHeader), 32,
         "the program table");
  for (uint64_t i = 0; i < header_.program_count; ++i) {
    const uint64_t at = header_.program_offset + i * sizeof(ElfProgramHeader);
    const auto program = view_.get<ElfProgramHeader>(at);
    extend(program.offset, program.file_size, at + 8, "a segment");
    if (program.memory_size < program.file_size)
      view_.fail(at + 40, "a segment is smaller in memory than in the file");
    if (!is_power_of_two_or_zero(program.alignment))
      view_.fail(at + 48, "the alignment of a segment is not a power of two");
  }
}

void ElfFile::check_symbol(const ElfSymbol& symbol, uint64_t at) const {
  if (symbol.section == 0 || symbol.section >= SECTION_INDEX_RESERVED) return;
  if (symbol.section >= sections_.size())
    view_.fail(at + 6, "a symbol lies in a section that does not exist");
  // In relocatable code the value of an unplaced symbol is its alignment.
  if (header_.type == TYPE_RELOCATABLE && !sections_[symbol.section].has_bytes) return;
  const uint64_t size = sections_[symbol.section].size;
  if (symbol.value > size || symbol.size > size - symbol.value) {
    view_.fail(at + 8,
               "the symbol " + std::string(symbol.text_name) + " does not lie inside its section");
  }
}

std::vector<ElfSymbol> ElfFile::symbols(const ElfSection& table) {
  if (table.entry_size != sizeof(ElfSymbolEntry) || table.size % sizeof(ElfSymbolEntry) != 0)
    view_.fail(table.header_at + 56, "the symbol table is not made of entries of 24 bytes");
  const ElfSection& strings = section_at(table, table.link, "the string table");
  if (strings.type != SECTION_STRINGS)
    view_.fail(table.header_at + 40, "the names of the symbols are not in a string table");
  const ByteView names = bytes(strings);
  const uint64_t count = table.size / sizeof(ElfSymbolEntry);
  if (table.info > count) view_.fail(table.header_at + 44, "more local symbols than symbols");
  std::vector<ElfSymbol> symbols(count);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = table.offset + i * sizeof(ElfSymbolEntry);
    static_cast<ElfSymbolEntry&>(symbols[i]) = view_.get<ElfSymbolEntry>(at);
    if (symbols[i].name >= names.size())
      view_.fail(at, "the name of a symbol does not lie inside its table");
    symbols[i].text_name = name_at(names, symbols[i].name, at);
    check_symbol(symbols[i], at);
  }
  return symbols;
}

}  // namespace cucore::image
