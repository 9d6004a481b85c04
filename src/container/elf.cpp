// Reads a CUBIN.
#include "container/elf.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "container/elf_file.hpp"
#include "container/nv_info.hpp"
#include "container/toolkit_text.hpp"

namespace cucore::container {

namespace {

constexpr uint32_t kSectionCudaInfo = 0x70000000;
constexpr uint32_t kSectionCudaCallGraph = 0x70000001;
constexpr uint32_t kSectionCudaMercuryRela = 0x70000082;
constexpr uint64_t kFlagAllocated = 2;
constexpr uint64_t kFlagCode = 4;
constexpr uint8_t kOtherEntry = 0x10;    // st_other: the function is a kernel
constexpr uint8_t kOtherManaged = 0x04;  // st_other: the object is managed memory
constexpr unsigned kSymbolObject = 1;
constexpr unsigned kSymbolFunction = 2;
constexpr unsigned kSymbolCudaObject = 13;  // objects of relocatable code
constexpr uint8_t kAbiWithArchAbove = 8;
constexpr uint32_t kFlagAcceleratedV1 = 0x800;
constexpr uint32_t kReservedShared = 1024;  // what the system takes of a block's, from sm_90 on
constexpr uint32_t kCallGraphMark = 0xfffffff0;
constexpr uint64_t kMaxOnChip = uint64_t{1} << 20;

class Reader {
 public:
  explicit Reader(ByteView view) : file_(view) {}

  ImageInfo read() {
    read_header();
    for (const ElfSection& section : file_.sections()) check_section(section);
    read_symbols();
    for (const ElfSection& section : file_.sections()) read_section(section);
    add_kernels();
    add_others();
    check_slack(file_.view(), file_.end());
    return std::move(info_);
  }

 private:
  void read_header() {
    const ElfHeader& header = file_.header();
    if (header.machine != kMachineCuda) file_.view().fail(18, "not for machine 190, CUDA");
    if (header.type != kTypeRelocatable && header.type != kTypeExecutable)
      file_.view().fail(16, "neither code nor relocatable");
    const bool arch_above = header.ident[8] >= kAbiWithArchAbove;
    info_.arch.number = static_cast<uint16_t>(header.flags >> (arch_above ? 8 : 0) & 0xff);
    if (info_.arch.number < 10) file_.view().fail(48, "no architecture in the flags");
    if (!arch_above && (header.flags & kFlagAcceleratedV1) != 0) info_.arch.suffix = 'a';
  }

  void check_section(const ElfSection& section) {
    const ByteView& view = file_.view();
    const uint64_t at = section.header_at;
    if (section.address != 0) view.fail(at + 16, "a section has an address");
    const uint64_t alignment = std::max<uint64_t>(section.alignment, 1);
    if ((section.flags & kFlagAllocated) != 0 && section.has_bytes &&
        section.offset % alignment != 0) {
      view.fail(at + 24, "a section does not lie at its alignment");
    }
    const bool on_chip = section.text_name.starts_with(".nv.shared") ||
                         section.text_name.starts_with(".nv.constant");
    if (on_chip && section.size > kMaxOnChip) {
      view.fail(at + 32, "the section " + std::string(section.text_name) + " is too large");
    }
    if (section.type == kSectionNote) read_notes(section);
    if (section.type != kSectionSymbols) return;
    if (symbol_table_ != nullptr) view.fail(at, "two symbol tables");
    symbol_table_ = &section;
  }

  /// {u32 name size, u32 size, u32 type, name, contents}, each padded to 4.
  void read_notes(const ElfSection& section) {
    const ByteView notes = file_.bytes(section);
    for (uint64_t at = 0; at < notes.size();) {
      const uint64_t name = (uint64_t{notes.get<uint32_t>(at)} + 3) / 4 * 4;
      const uint64_t size = (uint64_t{notes.get<uint32_t>(at + 4)} + 3) / 4 * 4;
      notes.get<uint32_t>(at + 8);
      notes.slice(at + 12, name, "the name of a note");
      const ByteView text = notes.slice(at + 12 + name, size, "a note");
      at += 12 + name + size;
      if (section.text_name == ".note.nv.tkinfo") read_tool_note(text);
      if (section.text_name == ".note.nv.cuinfo" && size >= 6)
        info_.toolkit = text.get<uint16_t>(4);
    }
  }

  /// The only place that tells sm_90a from sm_90: the options of ptxas.
  void read_tool_note(const ByteView& note) {
    const std::string_view text(reinterpret_cast<const char*>(note.bytes().data()), note.size());
    if (info_.toolkit == 0) info_.toolkit = toolkit_of(text);
    constexpr std::string_view kOption = "-arch sm_";
    const size_t found = text.find(kOption);
    if (found == text.npos) return;
    const size_t begin = found + kOption.size();
    const auto arch = Arch::parse(text.substr(begin, text.find_first_of(" \0", begin, 2) - begin));
    if (arch && arch->number == info_.arch.number) info_.arch.suffix = arch->suffix;
  }

  void read_symbols() {
    if (symbol_table_ == nullptr) file_.view().fail(0, "no symbol table");
    symbols_ = file_.symbols(*symbol_table_);
    for (const ElfSymbol& symbol : symbols_) {
      const bool mark = symbol.text_name == ".nv.reservedSmem.offset0";
      reserves_shared_ |= mark && file_.header().type == kTypeExecutable;
    }
  }

  void read_section(const ElfSection& section) {
    switch (section.type) {
      case kSectionRela:
      case kSectionRel:
        check_relocations(section);
        break;
      case kSectionCudaMercuryRela:
        check_mercury_relocations(section);
        break;
      case kSectionCudaInfo:
        read_info(section);
        break;
      case kSectionCudaCallGraph:
        check_call_graph(section);
        break;
      default:
        break;
    }
  }

  void check_relocations(const ElfSection& section) {
    const uint64_t entry = section.type == kSectionRela ? 24 : 16;
    const ElfSection& target = file_.section_at(section, section.info, "the target");
    if (&file_.section_at(section, section.link, "the symbol table") != symbol_table_) {
      file_.view().fail(section.header_at + 40, "relocations do not use the symbol table");
    }
    const ByteView table = relocation_table(section, entry);
    for (uint64_t at = 0; at < table.size(); at += entry) {
      if (table.get<uint64_t>(at) >= target.size) {
        table.fail(at, "a relocation does not lie inside section " + std::string(target.text_name));
      }
      if (table.get<uint32_t>(at + 12) >= symbols_.size()) {
        table.fail(at + 12, "a relocation names a symbol that does not exist");
      }
    }
  }

  ByteView relocation_table(const ElfSection& section, uint64_t entry) {
    if (section.entry_size != entry || section.size % entry != 0) {
      file_.view().fail(section.header_at + 56, "the relocations have a wrong entry size");
    }
    return file_.bytes(section);
  }

  /// Relocations of the intermediate code that newer CUBINs carry along, with symbols of their own.
  void check_mercury_relocations(const ElfSection& section) {
    constexpr uint64_t kEntry = 24;
    const ElfSection& own = file_.section_at(section, section.link, "the symbol table");
    const uint64_t count = own.has_bytes ? own.size / sizeof(ElfSymbolEntry) : 0;
    file_.section_at(section, section.info, "the target");
    const ByteView table = relocation_table(section, kEntry);
    for (uint64_t at = 0; at < table.size(); at += kEntry) {
      if (table.get<uint32_t>(at + 12) >= count) {
        table.fail(at + 12, "a relocation names a symbol that does not exist");
      }
    }
  }

  void check_call_graph(const ElfSection& section) {
    const ByteView graph = file_.bytes(section);
    if (graph.size() % 8 != 0) graph.fail(0, "the call graph is not made of pairs");
    for (uint64_t at = 0; at < graph.size(); at += 4) {
      const auto symbol = graph.get<uint32_t>(at);
      if (symbol >= symbols_.size() && symbol < kCallGraphMark) {
        graph.fail(at, "the call graph names a symbol that does not exist");
      }
    }
  }

  void read_info(const ElfSection& section) {
    uint64_t code = 0;
    if (section.info != 0) {
      const ElfSection& target = file_.section_at(section, section.info, "the function");
      if ((target.flags & kFlagCode) == 0) {
        file_.view().fail(section.header_at + 44, ".nv.info belongs to a section without code");
      }
      code = target.size;
    }
    NvInfo info = read_nv_info(file_.bytes(section), symbols_.size(), code);
    if (info_.toolkit == 0) info_.toolkit = info.api_version;
    for (const NvInfoSymbolValue& value : info.values) {
      values_.insert_or_assign(value_key(value.symbol, value.attribute), value.value);
    }
    if (section.info != 0) functions_.insert_or_assign(section.info, std::move(info));
  }

  static uint64_t value_key(uint32_t symbol, uint8_t attribute) {
    return uint64_t{symbol} << 8 | attribute;
  }

  std::optional<uint32_t> value_of(uint32_t symbol, uint8_t attribute) const {
    const auto found = values_.find(value_key(symbol, attribute));
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

  void add_kernels() {
    for (uint32_t i = 0; i < symbols_.size(); ++i) {
      const ElfSymbol& symbol = symbols_[i];
      const bool kernel = symbol.kind() == kSymbolFunction && (symbol.other & kOtherEntry) != 0;
      if (!kernel || symbol.section == 0) continue;
      if (symbol.section >= kSectionIndexReserved ||
          (file_.sections()[symbol.section].flags & kFlagCode) == 0) {
        file_.view().fail(symbol_table_->offset + i * sizeof(ElfSymbolEntry) + 6,
                          "the kernel " + std::string(symbol.text_name) + " is not in code");
      }
      // Also bounds what a hostile table can make of one list of parameters.
      if (!kernel_sections_.insert(symbol.section).second) {
        file_.view().fail(symbol_table_->offset + i * sizeof(ElfSymbolEntry) + 6,
                          "two kernels share one section");
      }
      add_kernel(symbol, i);
    }
  }

  void add_kernel(const ElfSymbol& symbol, uint32_t index) {
    Symbol result{{}, std::string(symbol.text_name), SymbolKind::KERNEL, 0, std::nullopt};
    KernelResources resources;
    resources.lowered_name = symbol.text_name;
    resources.registers = value_of(index, kNvInfoRegisterCount);
    resources.stack = value_of(index, kNvInfoMinStackSize);
    if (!resources.stack) resources.stack = value_of(index, kNvInfoFrameSize);
    resources.code = static_cast<uint32_t>(symbol.size);
    const auto function = functions_.find(symbol.section);
    if (function != functions_.end()) {
      const NvInfo& info = function->second;
      const bool known = !info.parameters.empty() || info.parameter_size.value_or(0) == 0;
      if (known) result.parameters = info.parameters;
      if (info.required_threads) resources.exact_block = info.required_threads;
      const auto& threads = info.required_threads ? info.required_threads : info.max_threads;
      if (threads) resources.max_threads = threads_of(*threads);
    }
    add_memory(symbol.section, resources);
    info_.symbols.push_back(std::move(result));
    info_.resources.push_back(std::move(resources));
  }

  static std::optional<uint32_t> threads_of(const std::vector<uint32_t>& block) {
    uint64_t threads = 1;
    for (const uint32_t extent : block) {
      if (extent == 0 || threads > UINT32_MAX / extent) return std::nullopt;
      threads *= extent;
    }
    return static_cast<uint32_t>(threads);
  }

  void add_memory(uint16_t code_section, KernelResources& resources) {
    const std::string_view code_name = file_.sections()[code_section].text_name;
    if (!code_name.starts_with(".text.")) return;
    const std::string_view name = code_name.substr(sizeof(".text.") - 1);
    resources.static_shared = 0;
    if (const ElfSection* shared = find_section(".nv.shared.", name)) {
      // Linked code of sm_90 and later counts what the system takes; CUDA's own tools do not.
      const auto size = static_cast<uint32_t>(shared->size);
      resources.static_shared =
          reserves_shared_ && size >= kReservedShared ? size - kReservedShared : size;
    }
    if (const ElfSection* constant = find_section(".nv.constant0.", name)) {
      resources.constant = static_cast<uint32_t>(constant->size);
    }
  }

  const ElfSection* find_section(std::string_view prefix, std::string_view rest) {
    if (by_name_.empty()) {
      for (const ElfSection& section : file_.sections()) {
        by_name_.emplace(section.text_name, &section);
      }
    }
    const auto found = by_name_.find(std::string(prefix).append(rest));
    return found == by_name_.end() ? nullptr : found->second;
  }

  void add_others() {
    for (const ElfSymbol& symbol : symbols_) {
      const bool defined = symbol.section != 0 && symbol.section < kSectionIndexReserved;
      if (!defined || symbol.text_name.empty() || symbol.text_name[0] == '$') continue;
      const bool object = symbol.kind() == kSymbolObject || symbol.kind() == kSymbolCudaObject;
      const std::string_view section = file_.sections()[symbol.section].text_name;
      if (symbol.kind() == kSymbolFunction && symbol.binding() != 0 &&
          (symbol.other & kOtherEntry) == 0) {
        add_other(symbol, SymbolKind::DEVICE_FUNCTION, 0);
      } else if (object && section == ".nv.constant3") {
        add_other(symbol, SymbolKind::CONSTANT, symbol.size);
      } else if (object && section.starts_with(".nv.global")) {
        const bool managed = (symbol.other & kOtherManaged) != 0;
        add_other(symbol, managed ? SymbolKind::MANAGED : SymbolKind::GLOBAL, symbol.size);
      }
    }
  }

  void add_other(const ElfSymbol& symbol, SymbolKind kind, uint64_t size) {
    info_.symbols.push_back({{}, std::string(symbol.text_name), kind, size, std::nullopt});
  }

  ElfFile file_;
  ImageInfo info_;
  const ElfSection* symbol_table_ = nullptr;
  std::vector<ElfSymbol> symbols_;
  bool reserves_shared_ = false;
  std::unordered_map<uint64_t, uint32_t> values_;  // by symbol and attribute
  std::unordered_set<uint16_t> kernel_sections_;
  std::unordered_map<uint32_t, NvInfo> functions_;  // by section of code
  std::unordered_map<std::string_view, const ElfSection*> by_name_;
};

}  // namespace

ImageInfo read_cubin(ByteView image) { return Reader(image).read(); }

bool looks_like_cubin(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(ElfHeader)) return false;
  const auto header = ByteView("CUBIN", bytes).get<ElfHeader>(0);
  return std::memcmp(header.ident,
                     "\x7f"
                     "ELF",
                     4) == 0 &&
         header.machine == kMachineCuda;
}

}  // namespace cucore::container
