// SPDX-License-Identifier: Apache-2.0
// Reads the strong definitions of every kind of image that a linker takes.
#include "image/definitions.hpp"

#include <algorithm>
#include <unordered_map>

#include "image/byte_view.hpp"
#include "image/elf_file.hpp"
#include "image/fatbin.hpp"
#include "image/host_object.hpp"
#include "image/memory_budget.hpp"

namespace cucore::image {

namespace {

// Returns 0 if a link for the architecture does not take the entry. A link takes the entry with the
// highest rank.
unsigned rank(const FatbinEntry& entry, CodeType type, const Arch& arch) {
  if (entry.type != type) return 0;
  Arch reach = entry.arch;
  if (type != CodeType::CUBIN) reach.is_virtual = true;
  return reach.runs_on(arch.number) ? reach.number * 2u + (reach.suffix == arch.suffix) : 0;
}

std::optional<size_t> choose_entry(const std::vector<FatbinEntry>& entries, const Arch& arch,
                                   bool lto) {
  for (const CodeType type : {CodeType::LTOIR, CodeType::CUBIN, CodeType::PTX}) {
    if (type == CodeType::LTOIR && !lto) continue;
    size_t best = 0;
    for (size_t i = 1; i < entries.size(); ++i)
      if (rank(entries[i], type, arch) > rank(entries[best], type, arch)) best = i;
    if (!entries.empty() && rank(entries[best], type, arch) != 0) return best;
  }
  return std::nullopt;
}

class Collector {
 public:
  Collector(const Arch& arch, bool lto, uint64_t input) : arch_(arch), lto_(lto), budget_(input) {}

  void add(CodeType type, std::span<const std::byte> bytes) {
    const ByteView view(code_type_name(type), bytes);
    switch (type) {
      case CodeType::PTX:
      case CodeType::CUBIN:
        return add_symbols(inspect(type, bytes));
      case CodeType::LTOIR:
        return add_opaque(type, bytes);
      case CodeType::FATBIN:
        return add_fatbin(view);
      case CodeType::OBJECT:
        return add_object(view);
      case CodeType::LIBRARY:
        return add_library(view);
      case CodeType::BUNDLE:
        return;
    }
  }

  Definitions take() { return std::move(found_); }

 private:
  void add_symbols(const ImageInfo& info) {
    std::unordered_map<std::string_view, SymbolKind> kinds;
    for (const Symbol& symbol : info.symbols) kinds.emplace(symbol.lowered_name, symbol.kind);
    for (const std::string& name : info.strong) {
      const auto known = kinds.find(name);
      const auto kind = known == kinds.end() ? SymbolKind::DEVICE_FUNCTION : known->second;
      // Any number of definitions may share one member, whose name may be long.
      take(grown_size<Definition>() + heap_size(name) + heap_size(member_));
      found_.strong.push_back({name, kind, member_});
    }
  }

  void add_opaque(CodeType type, std::span<const std::byte> bytes) {
    take(bytes.size() + grown_size<Definitions::Ltoir>() + heap_size(member_));
    found_.ltoir.push_back({type, {bytes.begin(), bytes.end()}, member_});
  }

  void take(uint64_t bytes) {
    if (!budget_.take(bytes)) throw Error(Status::INVALID_CODE, std::string(TOO_MUCH));
  }

  void add_fatbin(const ByteView& view) {
    const std::vector<FatbinEntry> entries = fatbin_entries(view);
    const auto chosen = choose_entry(entries, arch_, lto_);
    if (!chosen) return;
    if (entries[*chosen].type == CodeType::LTOIR) return add_opaque(CodeType::FATBIN, view.bytes());
    const FatbinImage image = read_fatbin_entry(view, *chosen);
    if (image.entry.compressed) budget_.add_payload(image.bytes.size());
    if (!image.bytes.empty()) add(image.entry.type, image.bytes);
  }

  // The check of the object did not cover its device code; the linker judges what this reader
  // cannot parse.
  void add_object(const ByteView& view) {
    try {
      each_relocatable_fatbin(view, [&](const ByteView& fatbin) { add_fatbin(fatbin); });
    } catch (const Error&) {
    }
  }

  void add_library(const ByteView& view) {
    each_member(view, [&](std::string_view name, const ByteView& member) {
      if (guess_type(member.bytes()) != CodeType::OBJECT) return;
      member_ = name;
      add_object(member);
    });
    member_.clear();
  }

  const Arch arch_;
  const bool lto_;
  MemoryBudget budget_;
  Definitions found_;
  std::string member_;
};

}  // namespace

Definitions read_definitions(const Image& image, const Arch& arch, bool lto) {
  Collector collector(arch, lto, image.data().size());
  collector.add(image.type, image.data());
  return collector.take();
}

}  // namespace cucore::image
