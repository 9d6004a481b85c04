// SPDX-License-Identifier: Apache-2.0
// Writes the files in which nvcc stores PTX: fat binaries, host objects and libraries.
#pragma once

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "image/elf_file.hpp"
#include "image/fatbin_parts.hpp"

namespace cutest {

template <class T>
void append_bytes(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A fat binary with one PTX, not compressed.
inline std::string fatbin_of(std::string ptx, unsigned target) {
  ptx.resize((ptx.size() + 8) / 8 * 8);
  cucore::image::FatbinEntryHeader entry{};
  entry.kind = cucore::image::FATBIN_PTX;
  entry.version = 0x101;
  entry.header_size = sizeof entry;
  entry.padded_size = ptx.size();
  entry.arch = target;
  entry.major = 8;
  const cucore::image::FatbinHeader header{cucore::image::FATBIN_MAGIC, 1, sizeof header,
                                           sizeof entry + ptx.size()};
  std::string bytes;
  append_bytes(bytes, header);
  append_bytes(bytes, entry);
  return bytes + ptx;
}

// An ELF object with fat binaries of relocatable code, as "ld -r" joins them.
inline std::string host_object_of(const std::vector<std::string>& fatbins) {
  std::string code;
  for (const std::string& fatbin : fatbins) code += fatbin;
  const std::string names("\0__nv_relfatbin\0.shstrtab\0", 26);
  cucore::image::ElfHeader header{};
  std::memcpy(header.ident,
              "\x7f"
              "ELF\2\1\1",
              7);
  header.type = cucore::image::TYPE_RELOCATABLE;
  header.machine = 62;
  header.version = 1;
  header.header_size = sizeof header;
  header.section_entry_size = sizeof(cucore::image::ElfSectionHeader);
  header.section_count = 3;
  header.name_section = 2;
  header.section_offset = sizeof header + code.size() + (names.size() + 7) / 8 * 8;
  cucore::image::ElfSectionHeader sections[3] = {};
  sections[1] = {1, 1, 0, 0, sizeof header, code.size(), 0, 0, 8, 0};
  sections[2] = {
      16, cucore::image::SECTION_STRINGS, 0, 0, sizeof header + code.size(), names.size(), 0, 0, 1,
      0};
  std::string bytes;
  append_bytes(bytes, header);
  bytes += code + names;
  bytes.resize(header.section_offset);
  for (const auto& section : sections) append_bytes(bytes, section);
  return bytes;
}

inline std::string archive_of(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string bytes = "!<arch>\n";
  for (const auto& [name, content] : members) {
    char header[61];
    std::snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", (name + "/").c_str(), 0,
                  0, 0, 0, content.size());
    bytes += header + content;
    if (bytes.size() % 2 != 0) bytes += '\n';
  }
  return bytes;
}

}  // namespace cutest
