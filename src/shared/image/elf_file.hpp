// SPDX-License-Identifier: Apache-2.0
// The sections and symbols of an ELF64 file, each checked to lie inside its bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "image/byte_view.hpp"

namespace cucore::image {

struct ElfHeader {
  uint8_t ident[16];
  uint16_t type;
  uint16_t machine;
  uint32_t version;
  uint64_t entry;
  uint64_t program_offset;
  uint64_t section_offset;
  uint32_t flags;
  uint16_t header_size;
  uint16_t program_entry_size;
  uint16_t program_count;
  uint16_t section_entry_size;
  uint16_t section_count;
  uint16_t name_section;
};
static_assert(sizeof(ElfHeader) == 64);

struct ElfSectionHeader {
  uint32_t name;
  uint32_t type;
  uint64_t flags;
  uint64_t address;
  uint64_t offset;
  uint64_t size;
  uint32_t link;
  uint32_t info;
  uint64_t alignment;
  uint64_t entry_size;
};
static_assert(sizeof(ElfSectionHeader) == 64);

struct ElfProgramHeader {
  uint32_t type;
  uint32_t flags;
  uint64_t offset;
  uint64_t virtual_address;
  uint64_t physical_address;
  uint64_t file_size;
  uint64_t memory_size;
  uint64_t alignment;
};
static_assert(sizeof(ElfProgramHeader) == 56);

struct ElfSymbolEntry {
  uint32_t name;
  uint8_t info;
  uint8_t other;
  uint16_t section;
  uint64_t value;
  uint64_t size;
};
static_assert(sizeof(ElfSymbolEntry) == 24);

struct ElfSection : ElfSectionHeader {
  std::string_view text_name;
  uint64_t header_at = 0;  // offset of the section header, for messages
  bool has_bytes = true;   // false: memory without bytes in the file
};

inline constexpr uint16_t SECTION_INDEX_RESERVED = 0xff00;
inline constexpr unsigned BINDING_GLOBAL = 1;

struct ElfSymbol : ElfSymbolEntry {
  std::string_view text_name;
  unsigned kind() const { return info & 15u; }
  unsigned binding() const { return info >> 4; }
  // True for a symbol that is global, not weak, and placed in a section of the file.
  bool is_strong_definition() const {
    return binding() == BINDING_GLOBAL && section != 0 && section < SECTION_INDEX_RESERVED;
  }
};

inline constexpr uint32_t SECTION_SYMBOLS = 2;
inline constexpr uint32_t SECTION_STRINGS = 3;
inline constexpr uint32_t SECTION_RELA = 4;
inline constexpr uint32_t SECTION_NOTE = 7;
inline constexpr uint32_t SECTION_NO_BITS = 8;
inline constexpr uint32_t SECTION_REL = 9;
inline constexpr uint16_t MACHINE_CUDA = 190;
inline constexpr uint16_t TYPE_RELOCATABLE = 1;
inline constexpr uint16_t TYPE_EXECUTABLE = 2;

class ElfFile {
 public:
  // Checks the header, section and program headers, names and string tables. Sections may lie
  // anywhere in the file, but the sum of their sizes has a bound. @throws Error INVALID_CODE
  explicit ElfFile(ByteView view);

  const ElfHeader& header() const { return header_; }
  const std::vector<ElfSection>& sections() const { return sections_; }
  const ByteView& view() const { return view_; }
  uint64_t end() const { return end_; }  // offset after the last byte in use

  ByteView bytes(const ElfSection& section) const {
    return view_.slice(section.offset, section.has_bytes ? section.size : 0, "a section");
  }
  // Returns the symbols of a symbol table with checked names and sections. All calls share one
  // bound of the sum of the names' sizes.
  std::vector<ElfSymbol> symbols(const ElfSection& table);
  const ElfSection& section_at(const ElfSection& from, uint32_t index, const char* role) const;

 private:
  void read_sections();
  void read_names();
  void read_programs();
  void check_sizes() const;
  void check_strings(const ElfSection& section) const;
  std::string_view name_at(const ByteView& names, uint64_t offset, uint64_t where);
  void check_symbol(const ElfSymbol& symbol, uint64_t at) const;
  void extend(uint64_t offset, uint64_t size, uint64_t where, const char* what);

  ByteView view_;
  ElfHeader header_{};
  std::vector<ElfSection> sections_;
  uint64_t end_ = 0;
  uint64_t names_left_ = 0;  // bytes of names that may still be read
};

}  // namespace cucore::image
