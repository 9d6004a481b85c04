// SPDX-License-Identifier: Apache-2.0
// Reads untrusted containers.
#include "container/reader.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "container/image_check.hpp"
#include "container/known_contents.hpp"
#include "container/metadata.hpp"
#include "container/signature_check.hpp"
#include "container/table.hpp"
#include "container/text.hpp"
#include "image/compression.hpp"
#include "image/copy.hpp"
#include "image/memory_budget.hpp"

namespace cucore::container {

namespace {

constexpr std::string_view WHAT = "the container";

image::Arch arch_of(const SectionEntry& entry) {
  image::Arch arch;
  arch.number = entry.arch;
  arch.is_virtual = (entry.arch_flags & ARCH_VIRTUAL) != 0;
  if ((entry.arch_flags & ARCH_A) != 0) arch.suffix = 'a';
  if ((entry.arch_flags & ARCH_F) != 0) arch.suffix = 'f';
  return arch;
}

// Content that may be large, and is bounded by its compression.
bool is_payload(uint32_t type) { return is_image(type) || type == LOG || type == SOURCE; }

// Stored bytes unchanged, or decompressed into separate memory.
class Raw {
 public:
  Raw(const Table& table, const SectionEntry& entry, image::MemoryBudget& budget)
      : view_(table.stored(entry)) {
    if (entry.compression == STORED) return;
    if (is_payload(Table::type(entry)))
      budget.add_payload(entry.raw_size);
    else if (!budget.take(entry.raw_size))
      view_.fail(0, image::TOO_MUCH);
    auto raw = image::unzstd(view_.bytes(), entry.raw_size);
    if (!raw) view_.fail(0, "a section cannot be decompressed");
    own_ = std::move(*raw);
    view_ = image::ByteView(WHAT, own_, entry.offset);
  }
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;

  const image::ByteView& view() const { return view_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(view_.bytes().data()), view_.size()};
  }
  image::Bytes take() {
    if (!own_.empty()) return std::move(own_);
    return image::copy_of(view_.bytes());
  }

 private:
  image::ByteView view_;
  image::Bytes own_;
};

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const ReadOptions& options)
      : file_(WHAT, bytes),
        options_(options),
        budget_(bytes.size()),
        table_(file_, limit(options)) {
    contents_.signature = check_signature(table_, options_);
  }

  const Digest& digest() const { return table_.digest(); }
  const SignatureInfo& signature() const { return contents_.signature; }

  Contents read() {
    strtab_.emplace(table_, *table_.find(STRTAB), budget_);
    check_strings();
    read_images();
    read_symbols();
    read_metadata();
    read_texts();
    read_dependencies();
    read_key();
    finish_images();
    return std::move(contents_);
  }

 private:
  static uint64_t limit(const ReadOptions& options) {
    const uint64_t wanted = options.max_image_size;
    return wanted == 0 ? MAX_RAW_SIZE : std::min(wanted, MAX_RAW_SIZE);
  }

  void check_strings() {
    const image::ByteView& view = strtab_->view();
    const auto bytes = view.bytes();
    if (bytes.empty() || bytes.front() != std::byte{0} || bytes.back() != std::byte{0})
      view.fail(0, "STRTAB does not begin and end with NUL");
    check_utf8(*strtab_);
  }

  static void check_utf8(const Raw& raw) {
    const size_t bad = find_bad_utf8(raw.text());
    if (bad != std::string_view::npos) raw.view().fail(bad, "text is not UTF-8");
  }

  std::string name(uint32_t offset) {
    const std::string_view text = strtab_->view().string(offset);
    // An offset into the middle of a character would make a string that is not UTF-8.
    if (!text.empty() && (static_cast<unsigned char>(text[0]) & 0xc0) == 0x80)
      strtab_->view().fail(offset, "a name begins inside a character");
    // Any number of symbols may share one long string.
    take(image::heap_size(text), strtab_->view(), offset);
    return std::string(text);
  }

  void take(uint64_t bytes, const image::ByteView& view, uint64_t offset) {
    if (!budget_.take(bytes)) view.fail(offset, image::TOO_MUCH);
  }

  void read_images() {
    const auto& entries = table_.entries();
    for (uint32_t i = 0; i < entries.size(); ++i) {
      const SectionEntry& entry = entries[i];
      if (!is_image(Table::type(entry))) continue;
      image::Image& image = contents_.code.images.emplace_back();
      image.type = code_type(Table::type(entry));
      image.arch = arch_of(entry);
      image.ptx_isa = entry.ptx_isa;
      image.toolkit = entry.toolkit;
      image.name = name(entry.name);
      image.bytes = Raw(table_, entry, budget_).take();
      section_to_image_.emplace(i, contents_.code.images.size() - 1);
      image_entries_.push_back(&entry);
    }
  }

  void read_symbols() {
    const SectionEntry* parameters = table_.find(PARAMS);
    std::optional<Raw> records;
    if (parameters != nullptr) records.emplace(table_, *parameters, budget_);
    const image::ByteView list = records ? records->view() : image::ByteView(WHAT, {});
    check_parameters(list);
    uint64_t unused = list.size() / sizeof(ParameterRecord);
    const SectionEntry* symbols = table_.find(SYMTAB);
    if (symbols == nullptr) return;
    const Raw raw(table_, *symbols, budget_);
    const image::ByteView& view = raw.view();
    if (view.size() % sizeof(SymbolRecord) != 0) view.fail(0, "SYMTAB has no whole records");
    for (uint64_t at = 0; at < view.size(); at += sizeof(SymbolRecord))
      read_symbol(view, at, list, unused);
  }

  static void check_parameters(const image::ByteView& list) {
    if (list.size() % sizeof(ParameterRecord) != 0) list.fail(0, "PARAMS has no whole records");
    for (uint64_t at = 0; at < list.size(); at += sizeof(ParameterRecord)) {
      const auto record = list.get<ParameterRecord>(at);
      if (record.parameter_class >= image::PARAMETER_CLASSES)
        list.fail(at + 12, "a parameter of unknown class");
      if ((record.alignment & (record.alignment - 1)) != 0)
        list.fail(at + 8, "the alignment of a parameter is not a power of two");
    }
  }

  // `unused` contains records that no symbol has used yet, so that sharing cannot multiply them.
  void read_symbol(const image::ByteView& view, uint64_t at, const image::ByteView& list,
                   uint64_t& unused) {
    const auto record = view.get<SymbolRecord>(at);
    const auto image = section_to_image_.find(record.section);
    if (image == section_to_image_.end()) view.fail(at + 8, "a symbol's section is not an image");
    if (record.kind < 1 || record.kind > 5) view.fail(at + 12, "a symbol of unknown kind");
    if (record.flags != 0) view.fail(at + 14, "flags of a symbol are not zero");
    take(image::grown_size<image::Symbol>() + image::MAP_NODE, view, at);
    image::Symbol symbol;
    symbol.expression = name(record.expression);
    symbol.lowered_name = name(record.lowered_name);
    symbol.kind = static_cast<image::SymbolKind>(record.kind);
    symbol.size = record.size;
    if (symbol.lowered_name.empty()) view.fail(at + 4, "a symbol has no name");
    if (symbol.kind == image::SymbolKind::KERNEL && symbol.size != 0)
      view.fail(at + 16, "a kernel has a size");
    if (record.parameter_count != UNKNOWN_COUNT) {
      if (record.parameter_count > unused) view.fail(at + 28, "a symbol has too many parameters");
      unused -= record.parameter_count;
      take(sizeof(image::Parameter) * (uint64_t{record.parameter_count} + 2), view, at);
      symbol.parameters = parameters(view, at, list, record);
    }
    contents_.code.images[image->second].symbols.push_back(std::move(symbol));
  }

  static std::vector<image::Parameter> parameters(const image::ByteView& view, uint64_t at,
                                                  const image::ByteView& list,
                                                  const SymbolRecord& record) {
    const uint64_t first = record.first_parameter;
    if (!list.contains(first * sizeof(ParameterRecord),
                       uint64_t{record.parameter_count} * sizeof(ParameterRecord)))
      view.fail(at + 24, "the parameters of a symbol do not lie inside PARAMS");
    std::vector<image::Parameter> result;
    result.reserve(record.parameter_count);
    for (uint64_t i = first; i < first + record.parameter_count; ++i) {
      const auto one = list.get<ParameterRecord>(i * sizeof(ParameterRecord));
      result.push_back({one.offset, one.size, one.alignment,
                        static_cast<image::ParameterClass>(one.parameter_class)});
    }
    return result;
  }

  void read_metadata() {
    const SectionEntry* entry = table_.find(META);
    if (entry == nullptr) return;
    if (entry->raw_size > MAX_META_SIZE)
      file_.fail(table_.offset_of(*entry) + 32, "META is larger than 1 MiB");
    const Raw raw(table_, *entry, budget_);
    check_text(raw);
    MetadataSet set = parse_metadata(raw.view(), budget_);
    const size_t images = contents_.code.images.size();
    if (!set.images.empty() && (images < 2 || set.images.size() != images))
      raw.view().fail(0, "the metadata of the images are not one for each");
    contents_.code.metadata = std::move(set.own);
    contents_.code.image_metadata = std::move(set.images);
  }

  static void check_text(const Raw& raw) {
    const size_t zero = raw.text().find('\0');
    if (zero != std::string_view::npos) raw.view().fail(zero, "a NUL inside text");
    check_utf8(raw);
  }

  std::optional<std::string> read_text(SectionType type) {
    const SectionEntry* entry = table_.find(type);
    if (entry == nullptr) return std::nullopt;
    const Raw raw(table_, *entry, budget_);
    check_text(raw);
    return std::string(raw.text());
  }

  void read_texts() {
    contents_.code.log = read_text(LOG).value_or("");
    contents_.code.source = read_text(SOURCE);
  }

  void read_dependencies() {
    const SectionEntry* entry = table_.find(DEPS);
    if (entry == nullptr) return;
    const Raw raw(table_, *entry, budget_);
    const image::ByteView& view = raw.view();
    if (view.size() % sizeof(DependencyRecord) != 0) view.fail(0, "DEPS has no whole records");
    for (uint64_t at = 0; at < view.size(); at += sizeof(DependencyRecord)) {
      const auto record = view.get<DependencyRecord>(at);
      if (record.zero != 0) view.fail(at + 4, "reserved bytes of a dependency are not zero");
      take(image::grown_size<Dependency>(), view, at);
      contents_.code.dependencies.push_back({name(record.path), record.size, record.sha256});
    }
  }

  void read_key() {
    const SectionEntry* entry = table_.find(KEY);
    if (entry == nullptr) return;
    const Raw raw(table_, *entry, budget_);
    const image::ByteView& view = raw.view();
    Key& key = contents_.code.key.emplace();
    key.digest = view.get<Digest>(0);
    for (uint64_t at = sizeof(Digest); at < view.size();) {
      const auto field = view.get<KeyFieldHeader>(at);
      if (field.zero != 0) view.fail(at + 2, "reserved bytes of a key are not zero");
      const uint64_t begin = at + sizeof field;
      const uint64_t padded = (uint64_t{field.length} + 7) / 8 * 8;
      const auto value =
          view.slice(begin, padded, "a field of the key").bytes().first(field.length);
      if (!view.all_zero(begin + field.length, padded - field.length))
        view.fail(begin + field.length, "the padding of a key is not zero");
      take(image::grown_size<KeyField>() + field.length, view, at);
      key.fields.push_back({field.tag, image::Bytes(value.begin(), value.end())});
      at = begin + padded;
    }
  }

  // Runs last, because it is the most work: checks the images themselves, and the table's
  // description of them.
  void finish_images() {
    Code& code = contents_.code;
    for (size_t i = 0; i < code.images.size(); ++i)
      check_image(code.images[i], *image_entries_[i], table_, file_, budget_);
    if (code.images.size() == 1) {
      static_cast<image::Image&>(code) = std::move(code.images[0]);
      code.images.clear();
    } else {
      code.type = image::CodeType::BUNDLE;
      code.name = name(table_.find(STRTAB)->name);
    }
  }

  image::ByteView file_;
  const ReadOptions& options_;
  image::MemoryBudget budget_;
  Table table_;
  std::optional<Raw> strtab_;
  Contents contents_;
  std::unordered_map<uint32_t, size_t> section_to_image_;
  std::vector<const SectionEntry*> image_entries_;
};

}  // namespace

bool is_container(std::span<const std::byte> bytes) {
  return bytes.size() >= sizeof image::CONTAINER_MAGIC &&
         std::memcmp(bytes.data(), image::CONTAINER_MAGIC, sizeof image::CONTAINER_MAGIC) == 0;
}

Contents read_contents(std::span<const std::byte> container, const ReadOptions& options) {
  return Reader(container, options).read();
}

SharedContents read_shared(std::span<const std::byte> container, const ReadOptions& options) {
  Reader reader(container, options);
  if (auto known = KnownContents::find(reader.digest()))
    return {std::move(known), reader.signature()};
  Contents contents = reader.read();
  return {KnownContents::add_read(reader.digest(), std::move(contents.code)), contents.signature};
}

Code read(std::span<const std::byte> container, const ReadOptions& options) {
  return read_contents(container, options).code;
}

}  // namespace cucore::container
