// SPDX-License-Identifier: Apache-2.0
// The line programs of CUBINs: .debug_line has the source line of each instruction, and
// .nv_debug_line_sass the line of the embedded PTX, both as DWARF 2.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "image/byte_view.hpp"
#include "image/elf_file.hpp"

namespace cucore::image {

// From this address of a function on.
struct LineRow {
  uint64_t address = 0;
  uint32_t file = 0;  // index in LineTable::files, if there are any
  uint32_t line = 0;
  uint32_t caller = 0;  // of an inlined function: one more than the index of the call in rows
};

struct LineTable {
  std::vector<std::string> files;  // with their folders
  std::vector<LineRow> rows;       // in the order of the section
  // Indices of rows, in the order of their addresses, by the number of the function's symbol.
  std::map<uint32_t, std::vector<uint32_t>> functions;

  // Returns nullptr if the line of the address is unknown.
  const LineRow* find(uint32_t function, uint64_t address) const;
};

// Reads the section with this name, and its relocations, which name the functions. Without such a
// section the table is empty.
// @throws Error INVALID_CODE
LineTable read_line_table(const ElfFile& file, std::string_view section);

}  // namespace cucore::image
