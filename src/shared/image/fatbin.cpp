// SPDX-License-Identifier: Apache-2.0
// Reads fat binaries, as nvcc and fatbinary write them.
#include "image/fatbin.hpp"

#include <algorithm>
#include <unordered_set>

#include "image/elf.hpp"
#include "image/ptx_text.hpp"

namespace cucore::image {

namespace {

constexpr uint64_t MAX_RAW = uint64_t{1} << 30;
constexpr uint64_t MAX_GROWTH = 1000;
constexpr uint64_t MAX_PADDING = 63;

CodeType type_of(uint16_t kind) {
  switch (kind) {
    case FATBIN_PTX:
      return CodeType::PTX;
    case FATBIN_ELF:
      return CodeType::CUBIN;
    case FATBIN_LTOIR:
      return CodeType::LTOIR;
    default:
      return CodeType{};
  }
}

constexpr size_t ALL = SIZE_MAX;
constexpr size_t NONE = SIZE_MAX - 1;

class FatbinReader {
 public:
  // `wanted` selects the one entry whose image is read and stored. Without it, every image is read
  // and none is stored.
  FatbinReader(const ByteView& view, MemoryBudget& memory, size_t wanted = ALL)
      : view_(view),
        memory_(memory),
        wanted_(wanted),
        budget_(MAX_RAW + MAX_GROWTH * std::min(view.size(), MAX_RAW)) {}

  std::vector<std::byte>& kept() { return kept_; }

  ImageInfo read() {
    const FatbinHeader header = fatbin_header(view_);
    if (header.version != 1) view_.fail(4, "not version 1 of fat binaries");
    FatbinParts parts(view_);
    if (header.size == 0) view_.fail(8, "no entries");
    while (const auto part = parts.next()) read_entry(*part);
    check_slack(view_, header.header_size + header.size);
    for (const FatbinEntry& entry : info_.entries)
      if (entry.type == CodeType::PTX) adopt_classes(info_.symbols, entry.symbols);
    info_.symbols.insert(info_.symbols.end(), others_.begin(), others_.end());
    return std::move(info_);
  }

 private:
  void read_entry(const FatbinPart& part) {
    if (part.stored.size() == 0) part.head.fail(8, "an entry is empty");
    FatbinEntry entry = describe(part);
    take(grown_size<FatbinEntry>() + heap_size(entry.name), part.head);
    const size_t index = info_.entries.size();
    if (wanted_ == ALL) read_image(part, entry);
    if (wanted_ == index && (part.header.flags & FATBIN_SCRAMBLED) == 0)
      kept_ = unpack_fatbin_part(part);
    collect(entry, part.head);
    info_.entries.push_back(std::move(entry));
  }

  void take(uint64_t bytes, const ByteView& head) {
    if (!memory_.take(bytes)) head.fail(0, TOO_MUCH);
  }

  FatbinEntry describe(const FatbinPart& part) {
    const auto& [header, head, stored] = part;
    FatbinEntry entry;
    entry.kind = header.kind;
    entry.type = type_of(header.kind);
    if (header.arch < 10 || header.arch > 999) head.fail(28, "an entry has no architecture");
    entry.arch.number = static_cast<uint16_t>(header.arch);
    entry.arch.is_virtual = header.kind != FATBIN_ELF;
    if ((header.flags & FATBIN_FAMILY) != 0) entry.arch.suffix = 'f';
    if ((header.flags & FATBIN_ARCH_ONLY) != 0) entry.arch.suffix = 'a';
    if (header.kind == FATBIN_PTX && header.major < 100 && header.minor < 10)
      entry.ptx_isa = static_cast<uint16_t>(header.major * 10 + header.minor);
    entry.compressed = part.is_compressed();
    entry.stored_size = entry.compressed ? header.compressed_size : stored.size();
    entry.size = entry.compressed ? header.raw_size : stored.size();
    check_sizes(header, head, stored, entry);
    read_strings(header, head, entry);
    return entry;
  }

  void check_sizes(const FatbinEntryHeader& header, const ByteView& head, const ByteView& stored,
                   const FatbinEntry& entry) {
    if (!entry.compressed) {
      // fatbinary stores the length here for a PTX that it could not compress.
      if (header.raw_size != 0) head.fail(56, "an entry is compressed in an unknown way");
      if (header.compressed_size > stored.size())
        head.fail(16, "an entry is larger than its place");
      return;
    }
    const uint64_t size = header.compressed_size;
    if (size == 0 || size > stored.size() || stored.size() - size > MAX_PADDING)
      head.fail(16, "the size of a compressed entry does not fit its place");
    if (header.raw_size == 0 || header.raw_size > MAX_RAW || header.raw_size > budget_)
      head.fail(56, "an entry is too large once decompressed");
    budget_ -= header.raw_size;
  }

  void read_strings(const FatbinEntryHeader& header, const ByteView& head, FatbinEntry& entry) {
    if (header.name_size != 0) {
      const auto name = head.slice(header.name_offset, header.name_size, "the name of an entry");
      entry.name.assign(reinterpret_cast<const char*>(name.bytes().data()), name.size());
      entry.name.resize(std::min(entry.name.find('\0'), entry.name.size()));
    }
    if (header.options_offset == 0) return;
    const auto offset = head.get<uint32_t>(header.options_offset);
    const auto size = head.get<uint32_t>(uint64_t{header.options_offset} + 4);
    head.slice(offset, size, "the options of an entry");
  }

  void read_image(const FatbinPart& part, FatbinEntry& entry) {
    const auto& [header, head, stored] = part;
    const bool readable = header.kind == FATBIN_PTX || header.kind == FATBIN_ELF;
    if (!readable || (header.flags & FATBIN_SCRAMBLED) != 0) return;
    std::vector<std::byte> raw;
    ByteView image = stored;
    if (entry.compressed) {
      raw = unpack_fatbin_part(part);
      memory_.add_payload(raw.size());
      image = ByteView("an image inside the FATBIN", raw);
    }
    ImageInfo inner =
        header.kind == FATBIN_PTX ? read_ptx(image, memory_) : read_cubin(image, memory_);
    if (inner.arch.number != entry.arch.number)
      head.fail(28, "an entry has another architecture than its image");
    if (inner.ptx_isa != 0) entry.ptx_isa = inner.ptx_isa;
    entry.toolkit = inner.toolkit;
    entry.symbols = std::move(inner.symbols);
    entry.resources = std::move(inner.resources);
  }

  // The symbols of a fat binary are those of its first image, plus those that other images add.
  void collect(const FatbinEntry& entry, const ByteView& head) {
    if (info_.toolkit == 0) info_.toolkit = entry.toolkit;
    for (size_t i = 0; i < entry.symbols.size(); ++i) {
      const Symbol& symbol = entry.symbols[i];
      const uint64_t parameters = symbol.parameters ? symbol.parameters->size() : 0;
      take(grown_size<Symbol>(2) + grown_size<KernelResources>() + MAP_NODE +
               heap_size(symbol.lowered_name, 4) + sizeof(Parameter) * parameters,
           head);
      if (!known_.insert(symbol.lowered_name).second) continue;
      if (symbol.kind == SymbolKind::KERNEL) {
        info_.symbols.push_back(symbol);
        info_.resources.push_back(entry.resources[i]);
      } else {
        others_.push_back(symbol);
      }
    }
  }

  const ByteView& view_;
  MemoryBudget& memory_;
  const size_t wanted_;
  uint64_t budget_;
  std::vector<std::byte> kept_;
  ImageInfo info_;
  std::vector<Symbol> others_;
  std::unordered_set<std::string> known_;
};

}  // namespace

ImageInfo read_fatbin(ByteView image, MemoryBudget& budget) {
  return FatbinReader(image, budget).read();
}

std::vector<FatbinEntry> fatbin_entries(ByteView image) {
  MemoryBudget budget(image.size());
  return std::move(FatbinReader(image, budget, NONE).read().entries);
}

size_t count_fatbin_entries(ByteView image) { return fatbin_entries(image).size(); }

uint64_t fatbin_size(ByteView bytes) {
  const FatbinHeader header = fatbin_header(bytes);
  bytes.slice(header.header_size, header.size, "the table of entries");
  return header.header_size + header.size;
}

FatbinImage read_fatbin_entry(ByteView image, size_t index) {
  MemoryBudget budget(image.size());
  FatbinReader reader(image, budget, index);
  ImageInfo info = reader.read();
  if (index >= info.entries.size()) image.fail(0, "it has no such entry");
  return {std::move(info.entries[index]), std::move(reader.kept())};
}

}  // namespace cucore::image
