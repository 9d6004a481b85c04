// SPDX-License-Identifier: Apache-2.0
// What must hold between the parts of a CUBIN: the driver believes all of it without looking.
#pragma once

#include <unordered_map>
#include <vector>

#include "image/elf_file.hpp"
#include "image/nv_info.hpp"

namespace cucore::image {

class CubinChecks {
 public:
  // Both must live as long as this.
  CubinChecks(const ElfFile& file, const ElfSection& symbol_table,
              const std::vector<ElfSymbol>& symbols);

  // Sections, segments, symbols, relocations and the call graph. @throws Error INVALID_CODE
  void check() const;
  // That a kernel's parameters lie in its constant bank, as large as the bank is.
  void check_parameters(const NvInfo& info, const ElfSection& section) const;
  // The section of a name; nullptr if there is none.
  const ElfSection* find(std::string_view name) const;

 private:
  void check_section(const ElfSection& section) const;
  void check_owner(const ElfSection& section) const;
  void check_symbol(const ElfSymbol& symbol, uint64_t at) const;
  void check_segments() const;
  void check_segment(const ElfProgramHeader& segment, uint64_t at, uint64_t unfilled) const;
  void check_relocations(const ElfSection& section) const;
  void check_mercury_relocations(const ElfSection& section) const;
  void check_call_graph(const ElfSection& section) const;
  ByteView records(const ElfSection& section, uint64_t size) const;

  const ElfFile& file_;
  const ElfSection& symbol_table_;
  const std::vector<ElfSymbol>& symbols_;
  std::unordered_map<std::string_view, const ElfSection*> by_name_;
};

}  // namespace cucore::image
