// SPDX-License-Identifier: Apache-2.0
// Checks that every table of a host object lies inside its bytes.
#include "image/elf_file.hpp"
#include "image/fatbin.hpp"
#include "image/host_object.hpp"

namespace cucore::image {

namespace {

constexpr uint16_t COFF_X64 = 0x8664;
constexpr uint16_t COFF_ARM64 = 0xaa64;
constexpr uint64_t COFF_HEADER_SIZE = 20;
constexpr uint64_t COFF_SECTION_SIZE = 40;
constexpr uint64_t COFF_SYMBOL_SIZE = 18;
constexpr uint64_t COFF_RELOCATION_SIZE = 10;
constexpr uint32_t COFF_UNINITIALISED = 0x80;

void check_elf_object(const ByteView& image) {
  ElfFile file(image);
  if (file.header().type != TYPE_RELOCATABLE) image.fail(16, "not a relocatable object");
  for (const ElfSection& section : file.sections())
    if (section.type == SECTION_SYMBOLS) file.symbols(section);
}

void check_coff_section(const ByteView& image, uint64_t at) {
  const auto size = image.get<uint32_t>(at + 16);
  const auto offset = image.get<uint32_t>(at + 20);
  const auto relocations = image.get<uint32_t>(at + 24);
  const auto count = image.get<uint16_t>(at + 32);
  const auto flags = image.get<uint32_t>(at + 36);
  if ((flags & COFF_UNINITIALISED) == 0 && offset != 0) image.slice(offset, size, "a section");
  if (count != 0) image.slice(relocations, count * COFF_RELOCATION_SIZE, "a table of relocations");
}

void check_coff_object(const ByteView& image) {
  const auto sections = image.get<uint16_t>(2);
  const auto symbols = image.get<uint32_t>(8);
  const auto symbol_count = image.get<uint32_t>(12);
  const auto optional = image.get<uint16_t>(16);
  if (sections == 0) image.fail(2, "no sections");
  const uint64_t table = COFF_HEADER_SIZE + optional;
  image.slice(table, sections * COFF_SECTION_SIZE, "the section table");
  for (uint64_t i = 0; i < sections; ++i) check_coff_section(image, table + i * COFF_SECTION_SIZE);
  if (symbols == 0) return;
  const uint64_t size = symbol_count * COFF_SYMBOL_SIZE;
  image.slice(symbols, size, "the symbol table");
  const auto strings = image.get<uint32_t>(symbols + size);
  image.slice(symbols + size, strings, "the string table");
}

}  // namespace

bool looks_like_coff(std::span<const std::byte> bytes) {
  if (bytes.size() < COFF_HEADER_SIZE) return false;
  const auto machine = ByteView("OBJECT", bytes).get<uint16_t>(0);
  return machine == COFF_X64 || machine == COFF_ARM64;
}

void each_relocatable_fatbin(ByteView object,
                             const std::function<void(const ByteView& fatbin)>& action) {
  // alignment of each one after another, if "ld -r" has joined objects
  constexpr uint64_t ALIGNMENT = 8;
  if (looks_like_coff(object.bytes())) return;
  const ElfFile file(object);
  uint64_t seen = 0;
  for (const ElfSection& section : file.sections()) {
    if (section.text_name != "__nv_relfatbin") continue;
    const ByteView all = file.bytes(section);
    seen += all.size();
    if (seen > object.size()) object.fail(section.header_at, "sections share their bytes");
    for (uint64_t at = 0; at < all.size();) {
      const ByteView rest = all.slice(at, all.size() - at, "a fat binary");
      const uint64_t size = fatbin_size(rest);
      action(rest.slice(0, size, "a fat binary"));
      at += (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
  }
}

DeviceCode device_code_of_object(ByteView image) {
  if (looks_like_coff(image.bytes())) return DeviceCode::NONE;
  DeviceCode found = DeviceCode::NONE;
  const ElfFile file(image);
  for (const ElfSection& section : file.sections()) {
    if (section.size == 0) continue;
    if (section.text_name == "__nv_relfatbin") return DeviceCode::RELOCATABLE;
    if (section.text_name == ".nv_fatbin") found = DeviceCode::LINKED;
  }
  return found;
}

void check_object(ByteView image) {
  if (image.size() == 0) image.fail(0, "it is empty");
  if (looks_like_coff(image.bytes()))
    check_coff_object(image);
  else
    check_elf_object(image);
}

}  // namespace cucore::image
