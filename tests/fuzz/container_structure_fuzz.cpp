// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the reader of containers, with sections changed, dropped, doubled, moved and
// compressed one by one. Digests and checksum are always right.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include "container/assemble.hpp"
#include "container/reader.hpp"
#include "container/writer.hpp"
#include "image/compression.hpp"
#include "support/error.hpp"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using namespace cucore;
using namespace cucore::container;
using namespace cucore::image;

// As many as lie inside the bytes.
std::vector<Section> sections_of(std::span<const std::byte> file) {
  std::vector<Section> sections;
  ContainerHeader header;
  if (file.size() < sizeof header) return sections;
  std::memcpy(&header, file.data(), sizeof header);
  const uint64_t room = (file.size() - sizeof header) / sizeof(SectionEntry);
  for (uint64_t i = 0; i < std::min<uint64_t>({header.section_count, room, 64}); ++i) {
    SectionEntry entry;
    std::memcpy(&entry, file.data() + sizeof header + i * sizeof entry, sizeof entry);
    if (entry.offset > file.size() || entry.stored_size > file.size() - entry.offset) continue;
    Section& section = sections.emplace_back();
    section.entry = entry;
    const auto stored = file.subspan(entry.offset, entry.stored_size);
    section.own.assign(stored.begin(), stored.end());
  }
  return sections;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  void change(std::vector<Section>& sections) {
    const size_t at = random_() % sections.size();
    Section& section = sections[at];
    switch (random_() % 8) {
      case 0:
        sections.erase(sections.begin() + static_cast<ptrdiff_t>(at));
        return;
      case 1:
        sections.insert(sections.begin() + static_cast<ptrdiff_t>(at), Section(section));
        return;
      case 2:
        std::swap(section, sections[random_() % sections.size()]);
        return;
      case 3:
        return compress(section);
      case 4:
        return change_entry(section.entry);
      default:
        return change_bytes(section.own);
    }
  }

 private:
  static void compress(Section& section) {
    if (section.entry.compression != STORED) return;
    section.entry.raw_size = section.own.size();
    section.own = zstd(section.own, 3);
    section.entry.compression = ZSTD;
  }

  // Changes fields that assemble() does not fill in: type, architecture, ISA, name.
  void change_entry(SectionEntry& entry) {
    constexpr size_t NAME_OFFSET = offsetof(SectionEntry, name);
    const size_t at = random_() % 16;
    auto* bytes = reinterpret_cast<uint8_t*>(&entry);
    bytes[at < 12 ? at : NAME_OFFSET + at - 12] ^= static_cast<uint8_t>(1u << random_() % 8);
  }

  void change_bytes(Bytes& bytes) {
    const size_t size = bytes.size();
    bytes.resize(size + 64);
    bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(bytes.data()), size, bytes.size()));
  }

  std::minstd_rand random_;
};

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  std::vector<Section> sections = sections_of(std::as_bytes(std::span(data, size)));
  if (sections.empty()) return LLVMFuzzerMutate(data, size, max_size);
  Mutator(seed).change(sections);
  const Bytes file = assemble(std::move(sections), std::nullopt);
  if (file.size() > max_size) return size;
  std::memcpy(data, file.data(), file.size());
  return file.size();
}

// Accepted input must be writable, and must be equal when read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ReadOptions options;
  options.max_image_size = 1 << 20;
  std::optional<Code> code;
  try {
    code = read(std::as_bytes(std::span(data, size)), options);
  } catch (const Error& error) {
    if (error.message().empty()) std::abort();
    return 0;
  }
  if (!(read(write(*code)) == *code)) std::abort();
  return 0;
}
