// SPDX-License-Identifier: Apache-2.0
// The header and the table of a container.
#include "container/table.hpp"

#include <algorithm>
#include <cstring>

#include "container/assemble.hpp"
#include "container/section_digest.hpp"

namespace cucore::container {

namespace {

// The images of one container together: a small file must not use all memory.
constexpr uint64_t MAX_TOTAL = 4;

template <size_t N>
bool is_zero(const std::array<std::byte, N>& bytes) {
  static constexpr std::byte ZEROS[N]{};
  return std::memcmp(bytes.data(), ZEROS, N) == 0;
}

}  // namespace

const char* section_type_name(uint32_t type) {
  switch (type) {
    case STRTAB:
      return "STRTAB";
    case SYMTAB:
      return "SYMTAB";
    case PARAMS:
      return "PARAMS";
    case META:
      return "META";
    case LOG:
      return "LOG";
    case DEPS:
      return "DEPS";
    case KEY:
      return "KEY";
    case SOURCE:
      return "SOURCE";
    case SIG:
      return "SIG";
    default:
      return is_image(type) ? image::code_type_name(code_type(type)) : "unknown";
  }
}

Table::Table(const image::ByteView& file, uint64_t max_image_size) : file_(file) {
  budget_ = max_image_size * MAX_TOTAL;
  check_header();
  Sha256 hash;
  check_checksum(hash);
  entries_.resize(header_.section_count);
  std::memcpy(entries_.data(), file_.bytes().data() + sizeof(ContainerHeader),
              entries_.size() * sizeof(SectionEntry));
  for (const SectionEntry& entry : entries_) check_entry(entry, max_image_size);
  check_places();
  check_counts();
  check_features();
  check_digests(hash);
}

bool Table::is_known(const SectionEntry& entry) {
  const uint32_t type = Table::type(entry);
  return (type >= STRTAB && type <= SOURCE) || type == SIG || is_image(type);
}

const SectionEntry* Table::find(SectionType wanted) const {
  for (const SectionEntry& entry : entries_)
    if (type(entry) == wanted) return &entry;
  return nullptr;
}

void Table::check_header() {
  if (file_.size() < sizeof image::CONTAINER_MAGIC ||
      std::memcmp(file_.bytes().data(), image::CONTAINER_MAGIC, sizeof image::CONTAINER_MAGIC) != 0)
    file_.fail(0, "it does not begin as a container does");
  header_ = file_.get<ContainerHeader>(0);
  if (header_.major != CONTAINER_MAJOR) {
    file_.fail(8,
               "version " + std::to_string(header_.major) + " of the format; this library reads 1");
  }
  if (header_.header_size != sizeof(ContainerHeader)) file_.fail(12, "the header's size is not 64");
  if (header_.file_size != file_.size()) {
    file_.fail(16, "its header records " + std::to_string(header_.file_size) + " bytes; it has " +
                       std::to_string(file_.size()));
  }
  if (header_.section_count == 0) file_.fail(24, "it holds no image");
  if (header_.section_count > MAX_SECTIONS) file_.fail(24, "more than 4096 sections");
  if (header_.entry_size != sizeof(SectionEntry)) file_.fail(28, "the entry's size is not 96");
  if ((header_.incompatible & ~FEATURE_PARTS) != 0)
    file_.fail(32, "it uses features that this version of the library does not know");
  if (!is_zero(header_.reserved)) file_.fail(56, "reserved bytes are not zero");
  file_.slice(sizeof(ContainerHeader), uint64_t{header_.section_count} * sizeof(SectionEntry),
              "the table");
}

void Table::check_checksum(Sha256& hash) {
  signed_part_ = signed_bytes(file_.bytes(), header_.section_count);
  digest_ = hash.digest(signed_part_);
  if (!std::equal(header_.checksum.begin(), header_.checksum.end(), digest_.begin()))
    file_.fail(40, "the checksum of header and table is wrong");
}

void Table::check_entry(const SectionEntry& entry, uint64_t max_image_size) {
  const uint64_t at = offset_of(entry);
  if (!is_known(entry) && (entry.type & MAY_SKIP) == 0)
    file_.fail(at, "a section of unknown type " + std::to_string(entry.type));
  if (entry.flags != 0) file_.fail(at + 12, "flags of a section are not zero");
  if (entry.alignment != SECTION_ALIGNMENT) file_.fail(at + 44, "the alignment is not 64");
  if (!is_zero(entry.reserved)) file_.fail(at + 80, "reserved bytes are not zero");
  if (entry.compression > ZSTD) file_.fail(at + 7, "an unknown compression");
  if (entry.compression == STORED && entry.raw_size != entry.stored_size)
    file_.fail(at + 32, "the raw size is not the stored size of what is not compressed");
  if (entry.raw_size > max_image_size) {
    file_.fail(at + 32, "a section of " + std::to_string(entry.raw_size) +
                            " bytes is above the limit of " + std::to_string(max_image_size));
  }
  if (entry.stored_size < entry.raw_size / MAX_RATIO + (entry.raw_size % MAX_RATIO != 0))
    file_.fail(at + 32, "the raw size is more than 1000 times the stored size");
  if (entry.raw_size > budget_) file_.fail(at + 32, "all sections together are too large");
  budget_ -= entry.raw_size;
  check_image_fields(entry, at);
}

void Table::check_image_fields(const SectionEntry& entry, uint64_t at) const {
  if (!is_known(entry)) return;
  if (is_image(type(entry))) {
    constexpr unsigned KNOWN = ARCH_VIRTUAL | ARCH_A | ARCH_F;
    const unsigned flags = entry.arch_flags;
    const bool both = (flags & ARCH_A) != 0 && (flags & ARCH_F) != 0;
    if ((flags & ~KNOWN) != 0 || both || (entry.arch == 0 && flags != 0))
      file_.fail(at + 6, "unknown flags of an architecture");
    if (entry.raw_size == 0) file_.fail(at + 32, "an image is empty");
  } else if (entry.arch != 0 || entry.arch_flags != 0 || entry.ptx_isa != 0 || entry.toolkit != 0) {
    file_.fail(at + 4, "an architecture of a section that is not an image");
  }
}

void Table::check_places() const {
  uint64_t end = sizeof(ContainerHeader) + entries_.size() * sizeof(SectionEntry);
  for (const SectionEntry& entry : entries_) {
    const uint64_t at = offset_of(entry);
    if (entry.offset != align_up(end))
      file_.fail(at + 16, "a section does not follow the one before at the next multiple of 64");
    if (!file_.contains(entry.offset, entry.stored_size))
      file_.fail(at + 24, "a section does not lie inside the file");
    if (!file_.all_zero(end, entry.offset - end)) file_.fail(end, "a gap is not zero");
    end = entry.offset + entry.stored_size;
  }
  if (end != file_.size()) file_.fail(end, "bytes follow the last section");
}

void Table::check_counts() const {
  uint32_t seen = 0;
  bool image = false;
  for (const SectionEntry& entry : entries_) {
    if (!is_known(entry)) continue;
    const uint32_t bit = uint32_t{1} << type(entry);
    if (is_image(type(entry))) {
      image = true;
    } else if ((seen & bit) != 0) {
      file_.fail(offset_of(entry),
                 std::string("a second section ") + section_type_name(type(entry)));
    }
    seen |= bit;
  }
  if (!image) file_.fail(24, "it holds no image");
  if ((seen & (1u << STRTAB)) == 0) file_.fail(24, "it holds no STRTAB");
}

// Equal contents have equal files, so the feature is not set without need. Files without it may be
// of a release that did not have it.
void Table::check_features() const {
  const auto is_large = [](const SectionEntry& entry) { return has_parts(entry.stored_size); };
  if (file_has_parts() && std::ranges::none_of(entries_, is_large))
    file_.fail(32, "it has the feature of large sections, and no large section");
}

void Table::check_digests(Sha256& hash) const {
  for (const SectionEntry& entry : entries_) {
    const bool signature = type(entry) == SIG;
    const Digest digest =
        signature ? Digest{} : section_digest(hash, stored(entry).bytes(), file_has_parts());
    if (std::memcmp(digest.data(), entry.digest.data(), digest.size()) != 0) {
      file_.fail(entry.offset, std::string("the digest of section ") +
                                   section_type_name(type(entry)) + " is wrong");
    }
  }
}

}  // namespace cucore::container
