// SPDX-License-Identifier: Apache-2.0
// Checks the rules between the parts of a CUBIN, because the driver does not check them.
#pragma once

#include <vector>

#include "image/elf_file.hpp"
#include "image/nv_info.hpp"

namespace cucore::image {

class CubinChecks {
 public:
  // `file` and the sections must outlive this object.
  CubinChecks(const ElfFile& file, const ElfSection& symbol_table,
              const std::vector<ElfSymbol>& symbols);

  // Checks sections, segments, symbols, relocations and the call graph. @throws Error INVALID_CODE
  void check() const;
  // Checks that a kernel's parameters lie in its constant bank and that the bank has their size.
  void check_parameters(const NvInfo& info, const ElfSection& section) const;
  // True for the shared memory of one function, whose code is section sh_info.
  static bool is_shared_of_function(const ElfSection& section);

 private:
  size_t most_info(const ElfSection& section) const;
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
};

}  // namespace cucore::image
