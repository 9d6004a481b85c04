// SPDX-License-Identifier: Apache-2.0
// The rules between the parts of a CUBIN. Each holds for the output of ptxas 13.0 and NVRTC 13.0
// for sm_75 to sm_120, with and without -G, -lineinfo and -rdc.
#include "image/cubin_checks.hpp"

#include <algorithm>

#include "image/cubin_layout.hpp"

namespace cucore::image {

namespace {

constexpr uint32_t SECTION_CUDA_CALL_GRAPH = 0x70000001;
constexpr uint32_t SECTION_CUDA_MERCURY_RELA = 0x70000082;
constexpr uint32_t SEGMENT_TABLE = 6;
constexpr unsigned SYMBOL_SECTION = 3;
constexpr uint32_t CALL_GRAPH_MARK = 0xfffffff0;
constexpr uint64_t MAX_ON_CHIP = uint64_t{1} << 20;
constexpr uint16_t MAX_SEGMENTS = 64;  // ptxas writes at most six
constexpr uint64_t RELA = 24;
constexpr uint64_t REL = 16;

// Sections that belong to one function: the function's name follows the prefix, and sh_info is its
// code section.
constexpr std::string_view OWNED[] = {".nv.info.", ".nv.constant0.", ".nv.constant2.",
                                      ".nv.shared."};
constexpr std::string_view RESERVED_SHARED_PREFIX = ".nv.shared.reserved.";

}  // namespace

CubinChecks::CubinChecks(const ElfFile& file, const ElfSection& symbol_table,
                         const std::vector<ElfSymbol>& symbols)
    : file_(file), symbol_table_(symbol_table), symbols_(symbols) {}

bool CubinChecks::is_shared_of_function(const ElfSection& section) {
  return section.text_name.starts_with(".nv.shared.") &&
         !section.text_name.starts_with(RESERVED_SHARED_PREFIX);
}

void CubinChecks::check() const {
  const ElfHeader& header = file_.header();
  if (header.entry != 0) file_.view().fail(24, "a CUBIN has no entry point");
  if (!file_.view().all_zero(9, 7))
    file_.view().fail(9, "the end of the identification is not zero");
  const auto& sections = file_.sections();
  if (!file_.view().all_zero(sections.front().header_at, sizeof(ElfSectionHeader)))
    file_.view().fail(sections.front().header_at, "the first section header is not zero");
  for (size_t i = 1; i < sections.size(); ++i) check_section(sections[i]);
  for (size_t i = 0; i < symbols_.size(); ++i)
    check_symbol(symbols_[i], symbol_table_.offset + i * sizeof(ElfSymbolEntry));
  check_segments();
}

// Returns a number above sh_info. Two kinds of sections of sm_100 and later refer to symbols: the
// table of symbols itself, and code, whose table is linked.
size_t CubinChecks::most_info(const ElfSection& section) const {
  if (section.type == SECTION_MERCURY_SYMBOLS) return section.size / sizeof(ElfSymbolEntry) + 1;
  if (section.type == SECTION_MERCURY_CODE)
    return file_.sections()[section.link].size / sizeof(ElfSymbolEntry);
  return file_.sections().size();
}

void CubinChecks::check_section(const ElfSection& section) const {
  const ByteView& view = file_.view();
  const uint64_t at = section.header_at;
  const std::string_view name = section.text_name;
  if (section.type == 0) view.fail(at + 4, "a section without a type");
  if (section.address != 0) view.fail(at + 16, "a section has an address");
  const bool allocated = (section.flags & FLAG_ALLOCATED) != 0;
  if (allocated && section.has_bytes &&
      section.offset % std::max<uint64_t>(section.alignment, 1) != 0)
    view.fail(at + 24, "a section does not lie at its alignment");
  if ((section.flags & FLAG_CODE) != 0 && !name.starts_with(CODE_PREFIX))
    view.fail(at, "a section with code is not called .text");
  // The driver (580) uses both as indices without a range check.
  const size_t count = file_.sections().size();
  if (section.link >= count) view.fail(at + 40, "a section leads to one that does not exist");
  const bool by_section = section.type != SECTION_SYMBOLS && (section.flags & FLAG_CODE) == 0;
  if (by_section && section.info >= most_info(section))
    view.fail(at + 44, "a section belongs to one that does not exist");
  const bool on_chip = name.starts_with(".nv.shared") || name.starts_with(".nv.constant");
  if (on_chip && section.size > MAX_ON_CHIP)
    view.fail(at + 32, "the section " + std::string(name) + " is too large");
  check_owner(section);
  switch (section.type) {
    case SECTION_RELA:
    case SECTION_REL:
      return check_relocations(section);
    case SECTION_CUDA_MERCURY_RELA:
      return check_mercury_relocations(section);
    case SECTION_CUDA_CALL_GRAPH:
      return check_call_graph(section);
    default:
      return;
  }
}

void CubinChecks::check_owner(const ElfSection& section) const {
  const std::string_view name = section.text_name;
  if (!name.starts_with(".nv.") || name.starts_with(RESERVED_SHARED_PREFIX)) return;
  for (const std::string_view prefix : OWNED) {
    if (!name.starts_with(prefix)) continue;
    const ElfSection& owner = file_.section_at(section, section.info, "the code");
    const bool named = owner.text_name.starts_with(CODE_PREFIX) &&
                       owner.text_name.substr(CODE_PREFIX.size()) == name.substr(prefix.size());
    if (!named || (owner.flags & FLAG_CODE) == 0) {
      file_.view().fail(section.header_at + 44,
                        "the section " + std::string(name) + " belongs to no code of that name");
    }
  }
}

void CubinChecks::check_symbol(const ElfSymbol& symbol, uint64_t at) const {
  if (symbol.section == 0 || symbol.section >= SECTION_INDEX_RESERVED) return;
  const ElfSection& section = file_.sections()[symbol.section];
  if (symbol.kind() == SYMBOL_SECTION &&
      (symbol.text_name != section.text_name || symbol.value != 0))
    file_.view().fail(at, "the symbol of a section does not have its name");
  const bool kernel = symbol.kind() == SYMBOL_FUNCTION && (symbol.other & OTHER_ENTRY) != 0;
  if (!kernel) return;
  const std::string_view code = section.text_name;
  if ((section.flags & FLAG_CODE) == 0 || !section.has_bytes ||
      code.substr(std::min(CODE_PREFIX.size(), code.size())) != symbol.text_name) {
    file_.view().fail(at + 6,
                      "the kernel " + std::string(symbol.text_name) + " is not in code of its own");
  }
}

void CubinChecks::check_segments() const {
  const ElfHeader& header = file_.header();
  if (header.program_count > MAX_SEGMENTS) file_.view().fail(56, "too many segments");
  uint64_t unfilled = 0;
  for (const ElfSection& section : file_.sections()) {
    // An overflow of the sum can only lower the bound.
    if (!section.has_bytes) unfilled += section.size + section.alignment;
  }
  for (uint64_t i = 0; i < header.program_count; ++i) {
    const uint64_t at = header.program_offset + i * sizeof(ElfProgramHeader);
    check_segment(file_.view().get<ElfProgramHeader>(at), at, unfilled);
  }
}

void CubinChecks::check_segment(const ElfProgramHeader& segment, uint64_t at,
                                uint64_t unfilled) const {
  const ByteView& view = file_.view();
  const uint64_t table = file_.header().program_offset;
  const uint64_t table_size = uint64_t{file_.header().program_count} * sizeof(ElfProgramHeader);
  if (segment.virtual_address != 0 || segment.physical_address != 0)
    view.fail(at + 16, "a segment has an address");
  if (segment.memory_size - segment.file_size > unfilled)
    view.fail(at + 40, "a segment takes more memory than its sections");
  const bool of_table = segment.offset == table && segment.file_size == table_size;
  if (segment.type == SEGMENT_TABLE && !of_table) view.fail(at + 8, "not where the segments are");
  if (of_table) return;
  const uint64_t end = segment.offset + segment.file_size;
  bool begins = false;
  bool ends = segment.file_size == 0;
  for (const ElfSection& section : file_.sections()) {
    begins |= section.offset == segment.offset;
    // Parts without bytes in the file follow the parts with bytes, at their own alignment.
    ends |= section.offset + (section.has_bytes ? section.size : 0) == end;
  }
  if (!begins || !ends) view.fail(at + 8, "a segment is not made of sections");
}

ByteView CubinChecks::records(const ElfSection& section, uint64_t size) const {
  if (section.entry_size != size || section.size % size != 0)
    file_.view().fail(section.header_at + 56, "the records of a section have a wrong size");
  return file_.bytes(section);
}

void CubinChecks::check_relocations(const ElfSection& section) const {
  const bool with_addend = section.type == SECTION_RELA;
  const uint64_t size = with_addend ? RELA : REL;
  const ElfSection& target = file_.section_at(section, section.info, "the target");
  if (&file_.section_at(section, section.link, "the symbol table") != &symbol_table_)
    file_.view().fail(section.header_at + 40, "relocations do not use the symbol table");
  const std::string_view prefix = with_addend ? ".rela" : ".rel";
  const std::string_view name = section.text_name;
  if (!name.starts_with(prefix) || name.substr(prefix.size()) != target.text_name)
    file_.view().fail(section.header_at, "relocations do not have the name of their target");
  const ByteView table = records(section, size);
  for (uint64_t at = 0; at < table.size(); at += size) {
    if (table.get<uint64_t>(at) >= target.size)
      table.fail(at, "a relocation does not lie inside section " + std::string(target.text_name));
    if (table.get<uint32_t>(at + 12) >= symbols_.size())
      table.fail(at + 12, "a relocation names a symbol that does not exist");
  }
}

void CubinChecks::check_mercury_relocations(const ElfSection& section) const {
  // Newer CUBINs also carry intermediate code, which has its own symbols.
  const ElfSection& own = file_.section_at(section, section.link, "the symbol table");
  const uint64_t count = own.has_bytes ? own.size / sizeof(ElfSymbolEntry) : 0;
  file_.section_at(section, section.info, "the target");
  const ByteView table = records(section, RELA);
  for (uint64_t at = 0; at < table.size(); at += RELA)
    if (table.get<uint32_t>(at + 12) >= count)
      table.fail(at + 12, "a relocation names a symbol that does not exist");
}

void CubinChecks::check_call_graph(const ElfSection& section) const {
  const ByteView graph = file_.bytes(section);
  if (graph.size() % 8 != 0) graph.fail(0, "the call graph is not made of pairs");
  for (uint64_t at = 0; at < graph.size(); at += 4) {
    const auto symbol = graph.get<uint32_t>(at);
    if (symbol >= symbols_.size() && symbol < CALL_GRAPH_MARK)
      graph.fail(at, "the call graph names a symbol that does not exist");
  }
}

void CubinChecks::check_parameters(const NvInfo& info, const ElfSection& section) const {
  const ByteView bytes = file_.bytes(section);
  const uint64_t end =
      info.parameters.empty() ? 0 : info.parameters.back().offset + info.parameters.back().size;
  if (end != info.parameter_size.value_or(0))
    bytes.fail(0, "the parameters of a kernel do not fill the size that is said for them");
  for (const NvInfoSymbolValue& value : info.values) {
    if (value.attribute != NV_INFO_PARAMETER_BANK) continue;
    const uint64_t offset = value.value & 0xffff;
    const uint64_t size = value.value >> 16;
    const uint16_t bank = symbols_[value.symbol].section;
    const bool exists = bank != 0 && bank < file_.sections().size();
    if (!exists || size != end || offset + size > file_.sections()[bank].size)
      bytes.fail(0, "the parameters of a kernel do not lie in its constant bank");
  }
}

}  // namespace cucore::image
