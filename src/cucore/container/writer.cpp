// SPDX-License-Identifier: Apache-2.0
// Writes object code as a container.
#include "container/writer.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "container/metadata.hpp"
#include "container/reader.hpp"
#include "container/text.hpp"
#include "image/compression.hpp"
#include "support/error.hpp"

namespace cucore::container {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Status::INVALID_ARGUMENT, "cannot write the object code as a container: " + why);
}

void check_text(std::string_view text, const char* what) {
  if (text.find('\0') != text.npos) refuse(std::string("a NUL inside ") + what);
  if (find_bad_utf8(text) != text.npos) refuse(std::string(what) + " is not UTF-8");
}

template <class T>
void append(image::Bytes& bytes, const T& record) {
  const auto raw = std::as_bytes(std::span(&record, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

// STRTAB: every string once, in the order of first use, so that equal values have equal bytes.
class Strings {
 public:
  Strings() { bytes_.push_back(std::byte{0}); }

  uint32_t add(const std::string& text, const char* what) {
    if (text.empty()) return 0;
    const auto [found, is_new] = offsets_.try_emplace(text, static_cast<uint32_t>(bytes_.size()));
    if (!is_new) return found->second;
    check_text(text, what);
    if (bytes_.size() + text.size() >= MAX_RAW_SIZE) refuse("names above 1 GiB");
    const auto raw = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    bytes_.push_back(std::byte{0});
    return found->second;
  }
  image::Bytes take() { return std::move(bytes_); }

 private:
  image::Bytes bytes_;
  std::unordered_map<std::string, uint32_t> offsets_;
};

uint8_t arch_flags(const image::Arch& arch) {
  const unsigned suffix = arch.suffix == 'a' ? ARCH_A : arch.suffix == 'f' ? ARCH_F : 0;
  return static_cast<uint8_t>((arch.is_virtual ? ARCH_VIRTUAL : 0) | suffix);
}

class Writer {
 public:
  Writer(const Code& code, const WriteOptions& options)
      : code_(code),
        options_(options),
        key_(options.key ? options.key
             : code.key  ? &*code.key
                         : nullptr) {}

  Parts write() {
    collect_images();
    const uint32_t container_name =
        code_.type == image::CodeType::BUNDLE ? strings_.add(code_.name, "the name") : 0;
    reserve_sections();
    add_symbols();
    add_metadata();
    add_text(LOG, code_.log, "the log", !code_.log.empty());
    add_dependencies();
    add_key();
    if (code_.source) add_text(SOURCE, *code_.source, "the source", true);
    for (const image::Image* image : images_) add_image(*image);
    sections_[0].own = strings_.take();
    sections_[0].entry.name = container_name;
    return {std::move(sections_), options_.sign};
  }

 private:
  void collect_images() {
    if (code_.type != image::CodeType::BUNDLE) {
      if (!code_.images.empty()) refuse("images where the kind is not BUNDLE");
      images_.push_back(&code_);
    } else {
      if (code_.images.size() < 2) refuse("a bundle needs two images or more");
      for (const image::Image& image : code_.images) images_.push_back(&image);
    }
    for (const image::Image* image : images_) check_image(*image);
  }

  static void check_image(const image::Image& image) {
    const auto type = static_cast<uint32_t>(image.type);
    if (type < 1 || type > static_cast<uint32_t>(image::CodeType::LIBRARY))
      refuse("an unknown kind");
    if (image.bytes.size() > MAX_RAW_SIZE) refuse("an image above 1 GiB");
    if (image.data().empty()) refuse("an image is empty");
    if (image.arch.empty() && image.arch != image::Arch()) refuse("flags of no architecture");
    if (image.type != image::CodeType::PTX) return;
    const auto* zero = std::memchr(image.bytes.data(), 0, image.bytes.size());
    if (zero != &image.bytes.back()) refuse("a PTX does not end with its only NUL");
  }

  // STRTAB comes first but is complete last. SYMTAB needs the number of sections before the images,
  // so the sections are counted in advance.
  void reserve_sections() {
    sections_.emplace_back().entry.type = STRTAB;
    bool symbols = false;
    bool parameters = false;
    for (const image::Image* image : images_) {
      for (const image::Symbol& symbol : image->symbols) {
        symbols = true;
        parameters = parameters || (symbol.parameters && !symbol.parameters->empty());
      }
    }
    metadata_ = format_metadata(code_.metadata, code_.image_metadata);
    if (!code_.image_metadata.empty() &&
        (code_.type != image::CodeType::BUNDLE || code_.image_metadata.size() != images_.size()))
      refuse("the metadata of the images are not one for each");
    first_image_ = 1u + symbols + parameters + !metadata_.empty() + !code_.log.empty() +
                   !code_.dependencies.empty() + (key_ != nullptr) + code_.source.has_value();
  }

  void add(uint32_t type, image::Bytes bytes) {
    if (bytes.size() > MAX_RAW_SIZE) refuse("a section above 1 GiB");
    Section& section = sections_.emplace_back();
    section.entry.type = type;
    section.own = std::move(bytes);
  }

  void add_symbols() {
    image::Bytes symbols;
    image::Bytes parameters;
    for (size_t i = 0; i < images_.size(); ++i) {
      const auto section = static_cast<uint32_t>(first_image_ + i);
      for (const image::Symbol& symbol : images_[i]->symbols)
        append(symbols, make_record(symbol, section, parameters));
    }
    if (!symbols.empty()) add(SYMTAB, std::move(symbols));
    if (!parameters.empty()) add(PARAMS, std::move(parameters));
  }

  SymbolRecord make_record(const image::Symbol& symbol, uint32_t section,
                           image::Bytes& parameters) {
    if (symbol.lowered_name.empty()) refuse("a symbol without a name");
    if (symbol.kind == image::SymbolKind::KERNEL && symbol.size != 0)
      refuse("a kernel with a size");
    SymbolRecord record{};
    record.expression = strings_.add(symbol.expression, "a name expression");
    record.lowered_name = strings_.add(symbol.lowered_name, "the name of a symbol");
    record.section = section;
    record.kind = static_cast<uint16_t>(symbol.kind);
    record.size = symbol.size;
    record.parameter_count = UNKNOWN_COUNT;
    if (!symbol.parameters) return record;
    record.parameter_count = static_cast<uint32_t>(symbol.parameters->size());
    if (record.parameter_count == 0) return record;
    record.first_parameter = static_cast<uint32_t>(parameters.size() / sizeof(ParameterRecord));
    for (const image::Parameter& one : *symbol.parameters) {
      append(parameters, ParameterRecord{one.offset, one.size, one.alignment,
                                         static_cast<uint32_t>(one.parameter_class)});
    }
    return record;
  }

  void add_metadata() {
    if (metadata_.empty()) return;
    const auto raw = std::as_bytes(std::span(metadata_));
    add(META, image::Bytes(raw.begin(), raw.end()));
  }

  void add_text(uint32_t type, const std::string& text, const char* what, bool wanted) {
    if (!wanted) return;
    check_text(text, what);
    Section& section = sections_.emplace_back();
    section.entry.type = type;
    fill(section, std::as_bytes(std::span(text)));
  }

  void add_dependencies() {
    if (code_.dependencies.empty()) return;
    image::Bytes bytes;
    for (const Dependency& one : code_.dependencies) {
      const uint32_t path = strings_.add(one.path, "the path of a dependency");
      append(bytes, DependencyRecord{path, 0, one.size, one.sha256});
    }
    add(DEPS, std::move(bytes));
  }

  void add_key() {
    if (!key_) return;
    image::Bytes bytes(key_->digest.begin(), key_->digest.end());
    for (const KeyField& field : key_->fields) {
      if (field.value.size() > MAX_RAW_SIZE) refuse("a field of the key above 1 GiB");
      append(bytes, KeyFieldHeader{field.tag, 0, static_cast<uint32_t>(field.value.size())});
      bytes.insert(bytes.end(), field.value.begin(), field.value.end());
      bytes.resize((bytes.size() + 7) / 8 * 8);
    }
    add(KEY, std::move(bytes));
  }

  void add_image(const image::Image& image) {
    const uint32_t name = strings_.add(image.name, "the name of an image");
    Section& section = sections_.emplace_back();
    section.entry.type = section_type(image.type);
    section.entry.arch = image.arch.number;
    section.entry.arch_flags = arch_flags(image.arch);
    section.entry.ptx_isa = image.ptx_isa;
    section.entry.toolkit = image.toolkit;
    section.entry.name = name;
    fill(section, image.bytes);
  }

  // Compressed only if that is smaller and a reader will accept the growth.
  void fill(Section& section, std::span<const std::byte> raw) {
    if (raw.size() > MAX_RAW_SIZE) refuse("a section above 1 GiB");
    section.entry.raw_size = raw.size();
    if (options_.compress && !raw.empty()) {
      image::Bytes stored = image::zstd(raw, options_.level);
      if (stored.size() < raw.size() && raw.size() <= stored.size() * MAX_RATIO) {
        section.entry.compression = ZSTD;
        section.own = std::move(stored);
        return;
      }
    }
    section.shared = raw;
    section.is_own = false;
  }

  const Code& code_;
  const WriteOptions& options_;
  const Key* const key_;
  std::vector<const image::Image*> images_;
  std::vector<Section> sections_;
  Strings strings_;
  std::string metadata_;
  uint32_t first_image_ = 0;
};

}  // namespace

image::Bytes write(const Code& code, const WriteOptions& options) {
  return write_parts(code, options).bytes();
}

Parts write_parts(const Code& code, const WriteOptions& options) {
  return Writer(code, options).write();
}

image::Bytes sign(std::span<const std::byte> container, const SigningKey& key) {
  read_contents(container);
  ContainerHeader header;
  std::memcpy(&header, container.data(), sizeof header);
  std::vector<Section> sections(header.section_count);
  for (size_t i = 0; i < sections.size(); ++i) {
    Section& section = sections[i];
    const uint64_t at = sizeof header + i * sizeof(SectionEntry);
    std::memcpy(&section.entry, container.data() + at, sizeof section.entry);
    section.shared = container.subspan(section.entry.offset, section.entry.stored_size);
    section.is_own = false;
  }
  return assemble(std::move(sections), key);
}

}  // namespace cucore::container
