// SPDX-License-Identifier: Apache-2.0
// Reads a CUBIN.
#include "image/elf.hpp"

#include <algorithm>
#include <compare>
#include <optional>
#include <vector>

#include "image/cubin_checks.hpp"
#include "image/cubin_layout.hpp"
#include "image/elf_file.hpp"
#include "image/nv_info.hpp"
#include "image/spills.hpp"
#include "image/toolkit_text.hpp"

namespace cucore::image {

namespace {

constexpr uint8_t ABI_WITH_ARCH_ABOVE = 8;
constexpr uint8_t OS_ABI_OLD = 0x33;  // ABI 7 and earlier
constexpr uint8_t OS_ABI_NEW = 0x41;  // ABI 8 and later
constexpr uint32_t FLAG_ACCELERATED_V1 = 0x800;
constexpr uint16_t MARKS_SPILLS = 130;  // the first toolkit that marks spills
// shared memory per block that the system reserves, from sm_90 on
constexpr uint32_t RESERVED_SHARED = 1024;

class CubinReader {
 public:
  CubinReader(ByteView view, MemoryBudget& budget) : file_(view), budget_(budget) {}

  ImageInfo read() {
    read_header();
    read_symbols();
    checks_.emplace(file_, *symbol_table_, symbols_);
    checks_->check();
    parts_.resize(file_.sections().size());
    constexpr size_t USUAL = 16;
    values_.reserve(USUAL);
    functions_.reserve(2);
    for (const ElfSection& section : file_.sections()) {
      if (section.type == SECTION_NOTE) read_notes(section);
      if (section.type == SECTION_CUDA_INFO) read_info(section);
      find_memory(section);
    }
    sort_values();
    add_kernels();
    add_others();
    add_strong();
    check_slack(file_.view(), file_.end());
    return std::move(info_);
  }

 private:
  // A fact of .nv.info, by symbol and attribute.
  struct Value {
    uint64_t key;  // the order of the records decides between equal keys
    uint32_t order;
    uint32_t value;
    auto operator<=>(const Value&) const = default;
  };
  // The sections and facts that belong to a section of code.
  struct Parts {
    const ElfSection* shared = nullptr;
    const ElfSection* constant = nullptr;
    size_t info = 0;  // one more than the index in functions_; 0: none
    bool is_kernel = false;
  };

  void read_header() {
    const ElfHeader& header = file_.header();
    if (header.machine != MACHINE_CUDA) file_.view().fail(18, "not for machine 190, CUDA");
    if (header.type != TYPE_RELOCATABLE && header.type != TYPE_EXECUTABLE)
      file_.view().fail(16, "neither code nor relocatable");
    const bool arch_above = header.ident[8] >= ABI_WITH_ARCH_ABOVE;
    if (header.ident[7] != (arch_above ? OS_ABI_NEW : OS_ABI_OLD))
      file_.view().fail(7, "not an ABI of CUDA's");
    // ptxas 13.0 sets one of the two bits: 4 up to sm_90 and 2 from sm_100 on. Other values crash
    // driver 580.
    const uint32_t mode = header.flags & 7;
    if (arch_above && mode != 2 && mode != 4) file_.view().fail(48, "not flags of this ABI");
    info_.arch.number = static_cast<uint16_t>(header.flags >> (arch_above ? 8 : 0) & 0xff);
    if (info_.arch.number < 10) file_.view().fail(48, "no architecture in the flags");
    if (!arch_above && (header.flags & FLAG_ACCELERATED_V1) != 0) info_.arch.suffix = 'a';
  }

  void read_symbols() {
    for (const ElfSection& section : file_.sections()) {
      if (section.type != SECTION_SYMBOLS) continue;
      if (symbol_table_ != nullptr) file_.view().fail(section.header_at, "two symbol tables");
      symbol_table_ = &section;
    }
    if (symbol_table_ == nullptr) file_.view().fail(0, "no symbol table");
    symbols_ = file_.symbols(*symbol_table_);
    for (const ElfSymbol& symbol : symbols_) {
      const bool mark = symbol.text_name == ".nv.reservedSmem.offset0";
      reserves_shared_ |= mark && file_.header().type == TYPE_EXECUTABLE;
    }
  }

  // {u32 name size, u32 size, u32 type, name, contents}, each padded to 4.
  void read_notes(const ElfSection& section) {
    const ByteView notes = file_.bytes(section);
    for (uint64_t at = 0; at < notes.size();) {
      const uint64_t name = (uint64_t{notes.get<uint32_t>(at)} + 3) / 4 * 4;
      const uint64_t size = (uint64_t{notes.get<uint32_t>(at + 4)} + 3) / 4 * 4;
      notes.get<uint32_t>(at + 8);
      notes.slice(at + 12, name, "the name of a note");
      const ByteView text = notes.slice(at + 12 + name, size, "a note");
      if (section.text_name == ".note.nv.tkinfo") {
        check_tool_note(text, section.offset + at + 12 + name);
        read_tool_note(text);
      }
      at += 12 + name + size;
      if (section.text_name == ".note.nv.cuinfo" && size >= 6)
        info_.toolkit = text.get<uint16_t>(4);
    }
  }

  // {u32 version, u32 offsets of five texts, texts}: the driver follows the offsets.
  void check_tool_note(const ByteView& note, uint64_t where) const {
    constexpr uint64_t HEAD = 24;
    const bool known = note.size() > HEAD && note.get<uint32_t>(0) == 2;
    if (!known) file_.view().fail(where, "not a note of the toolkit");
    for (uint64_t at = 4; at < HEAD; at += 4)
      if (note.get<uint32_t>(at) >= note.size() - HEAD)
        file_.view().fail(where + at, "a text of a note does not lie inside it");
    if (note.bytes().back() != std::byte{0})
      file_.view().fail(where + note.size() - 1, "the texts of a note do not end");
  }

  // The options of ptxas are the only place that distinguishes sm_90a from sm_90.
  void read_tool_note(const ByteView& note) {
    const std::string_view text(reinterpret_cast<const char*>(note.bytes().data()), note.size());
    if (info_.toolkit == 0) info_.toolkit = toolkit_of(text);
    constexpr std::string_view OPTION = "-arch sm_";
    const size_t found = text.find(OPTION);
    if (found == text.npos) return;
    const size_t begin = found + OPTION.size();
    const size_t end = std::min(text.find_first_of({" \0", 2}, begin), text.size());
    const auto arch = Arch::parse(text.substr(begin, end - begin));
    const bool same = arch && arch->number == info_.arch.number;
    if (same && arch->suffix != 0) info_.arch.suffix = arch->suffix;
  }

  void read_info(const ElfSection& section) {
    uint64_t code = 0;
    if (section.info != 0) {
      const ElfSection& target = file_.section_at(section, section.info, "the function");
      if ((target.flags & FLAG_CODE) == 0)
        file_.view().fail(section.header_at + 44, ".nv.info belongs to a section without code");
      code = target.size;
    }
    NvInfo info = read_nv_info(file_.bytes(section), symbols_.size(), code);
    // Sections may share bytes.
    take(grown_size<NvInfo>() + grown_size<Parameter>(info.parameters.size()) +
             grown_size<NvInfoSymbolValue>(info.values.size()) +
             grown_size<Value>(info.values.size()) + grown_size<uint32_t>(info.spills.size()),
         section.header_at);
    if (info_.toolkit == 0) info_.toolkit = info.api_version;
    for (const NvInfoSymbolValue& value : info.values)
      values_.push_back({value_key(value.symbol, value.attribute),
                         static_cast<uint32_t>(values_.size()), value.value});
    checks_->check_parameters(info, section);
    if (section.info == 0) return;
    if (parts_[section.info].info != 0)
      file_.view().fail(section.header_at + 44, "two sections .nv.info of one function");
    functions_.push_back(std::move(info));
    parts_[section.info].info = functions_.size();
  }

  // A kernel's memory has the name of the kernel, and sh_info leads to its code.
  void find_memory(const ElfSection& section) {
    const bool is_shared = CubinChecks::is_shared_of_function(section);
    if (!is_shared && !section.text_name.starts_with(".nv.constant0.")) return;
    Parts& parts = parts_[section.info];
    const ElfSection*& known = is_shared ? parts.shared : parts.constant;
    if (known == nullptr) known = &section;
  }

  void take(uint64_t bytes, uint64_t where) {
    if (!budget_.take(bytes)) file_.view().fail(where, TOO_MUCH);
  }

  static uint64_t value_key(uint32_t symbol, uint8_t attribute) {
    return uint64_t{symbol} << 8 | attribute;
  }

  void sort_values() { std::ranges::sort(values_); }

  // The last of equal records counts.
  std::optional<uint32_t> value_of(uint32_t symbol, uint8_t attribute) const {
    const uint64_t key = value_key(symbol, attribute);
    const auto after = std::ranges::upper_bound(values_, key, {}, &Value::key);
    if (after == values_.begin() || after[-1].key != key) return std::nullopt;
    return after[-1].value;
  }

  void add_kernels() {
    for (uint32_t i = 0; i < symbols_.size(); ++i) {
      const ElfSymbol& symbol = symbols_[i];
      const bool kernel = symbol.kind() == SYMBOL_FUNCTION && (symbol.other & OTHER_ENTRY) != 0;
      if (!kernel || symbol.section == 0 || symbol.section >= SECTION_INDEX_RESERVED) continue;
      // Also bounds the cost of a hostile table that repeats one list of parameters.
      if (parts_[symbol.section].is_kernel) {
        file_.view().fail(symbol_table_->offset + i * sizeof(ElfSymbolEntry) + 6,
                          "two kernels share one section");
      }
      parts_[symbol.section].is_kernel = true;
      add_kernel(symbol, i);
    }
  }

  void add_kernel(const ElfSymbol& symbol, uint32_t index) {
    Symbol result{{}, std::string(symbol.text_name), SymbolKind::KERNEL, 0, std::nullopt};
    KernelResources resources;
    resources.lowered_name = symbol.text_name;
    resources.registers = value_of(index, NV_INFO_REGISTER_COUNT);
    resources.stack = value_of(index, NV_INFO_MIN_STACK_SIZE);
    if (!resources.stack) resources.stack = value_of(index, NV_INFO_FRAME_SIZE);
    resources.code = static_cast<uint32_t>(symbol.size);
    const Parts& parts = parts_[symbol.section];
    if (parts.info != 0) {
      const NvInfo& info = functions_[parts.info - 1];
      result.parameters = info.parameters;
      if (info.required_threads) resources.exact_block = info.required_threads;
      const auto& threads = info.required_threads ? info.required_threads : info.max_threads;
      if (threads) resources.max_threads = threads_of(*threads);
      add_spills(symbol, info, resources);
    }
    add_memory(parts, resources);
    take(grown_size<Symbol>() + grown_size<KernelResources>() + heap_size(symbol.text_name, 2) +
             grown_size<Parameter>(result.parameters ? result.parameters->size() : 0),
         symbol_table_->offset);
    info_.symbols.push_back(std::move(result));
    info_.resources.push_back(std::move(resources));
  }

  // A kernel without marks does not spill, unless the toolkit is too old to mark spills.
  void add_spills(const ElfSymbol& symbol, const NvInfo& info, KernelResources& resources) const {
    const bool marks = info.api_version >= MARKS_SPILLS || !info.spills.empty();
    if (!marks && resources.stack.value_or(1) != 0) return;
    const auto spills = count_spills(file_.bytes(file_.sections()[symbol.section]), info.spills);
    if (!spills) return;
    resources.spill_stores = spills->stores;
    resources.spill_loads = spills->loads;
  }

  static std::optional<uint32_t> threads_of(const std::vector<uint32_t>& block) {
    uint64_t threads = 1;
    for (const uint32_t extent : block) {
      if (extent == 0 || threads > UINT32_MAX / extent) return std::nullopt;
      threads *= extent;
    }
    return static_cast<uint32_t>(threads);
  }

  void add_memory(const Parts& parts, KernelResources& resources) const {
    resources.static_shared = 0;
    if (parts.shared != nullptr) {
      // Linked code of sm_90 and later includes the reserved memory of the system; CUDA's own tools
      // subtract it.
      const auto size = static_cast<uint32_t>(parts.shared->size);
      const bool more = reserves_shared_ && size >= RESERVED_SHARED;
      resources.static_shared = more ? size - RESERVED_SHARED : size;
    }
    if (parts.constant != nullptr) resources.constant = static_cast<uint32_t>(parts.constant->size);
  }

  void add_others() {
    for (const ElfSymbol& symbol : symbols_) {
      const bool defined = symbol.section != 0 && symbol.section < SECTION_INDEX_RESERVED;
      if (!defined || symbol.text_name.empty() || symbol.text_name[0] == '$') continue;
      const bool object = symbol.kind() == SYMBOL_OBJECT || symbol.kind() == SYMBOL_CUDA_OBJECT;
      const std::string_view section = file_.sections()[symbol.section].text_name;
      if (symbol.kind() == SYMBOL_FUNCTION && symbol.binding() != 0 &&
          (symbol.other & OTHER_ENTRY) == 0) {
        add_other(symbol, SymbolKind::DEVICE_FUNCTION, 0);
      } else if (object && section == ".nv.constant3") {
        add_other(symbol, SymbolKind::CONSTANT, symbol.size);
      } else if (object && section.starts_with(".nv.global")) {
        const bool managed = (symbol.other & OTHER_MANAGED) != 0;
        add_other(symbol, managed ? SymbolKind::MANAGED : SymbolKind::GLOBAL, symbol.size);
      }
    }
  }

  void add_strong() {
    for (const ElfSymbol& symbol : symbols_)
      if (symbol.is_strong_definition()) {
        take(grown_size<std::string>() + heap_size(symbol.text_name), symbol_table_->offset);
        info_.strong.emplace_back(symbol.text_name);
      }
  }

  void add_other(const ElfSymbol& symbol, SymbolKind kind, uint64_t size) {
    take(grown_size<Symbol>() + heap_size(symbol.text_name), symbol_table_->offset);
    info_.symbols.push_back({{}, std::string(symbol.text_name), kind, size, std::nullopt});
  }

  ElfFile file_;
  MemoryBudget& budget_;
  ImageInfo info_;
  const ElfSection* symbol_table_ = nullptr;
  std::vector<ElfSymbol> symbols_;
  std::optional<CubinChecks> checks_;
  bool reserves_shared_ = false;
  std::vector<Value> values_;  // by key after sort_values()
  std::vector<NvInfo> functions_;
  std::vector<Parts> parts_;  // by section
};

}  // namespace

ImageInfo read_cubin(ByteView image, MemoryBudget& budget) {
  return CubinReader(image, budget).read();
}

bool looks_like_cubin(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(ElfHeader)) return false;
  const auto header = ByteView("CUBIN", bytes).get<ElfHeader>(0);
  return std::memcmp(header.ident,
                     "\x7f"
                     "ELF",
                     4) == 0 &&
         header.machine == MACHINE_CUDA;
}

}  // namespace cucore::image
