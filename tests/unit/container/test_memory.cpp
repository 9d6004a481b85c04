// SPDX-License-Identifier: Apache-2.0
// The most memory that readers allocate: 16 bytes per byte of input, plus 1 MiB. The decompressed
// content of an image, a log or a source also counts as input, at half of that.
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "container_testing.hpp"
#include "image/compression.hpp"
#include "image/definitions.hpp"
#include "image/elf_file.hpp"
#include "image/fatbin.hpp"

namespace {

std::atomic<size_t> live, peak;

void* counted(size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  const size_t now = live += malloc_usable_size(memory);
  if (now > peak) peak = now;
  return memory;
}

void uncounted(void* memory) {
  live -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) { return counted(size); }
void* operator new[](size_t size) { return counted(size); }
// Temporary memory of the standard algorithms, which can do without.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  try {
    return counted(size);
  } catch (...) {
    return nullptr;
  }
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { uncounted(memory); }
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete[](void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, size_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, size_t) noexcept { uncounted(memory); }

namespace cucore::container {
namespace {

using namespace testing;

constexpr uint64_t PER_BYTE = 16;
constexpr uint64_t PER_PAYLOAD_BYTE = 8;
constexpr uint64_t ALLOWANCE = uint64_t{1} << 20;

uint64_t payload_of_container(const Bytes& file) {
  uint64_t sum = 0;
  if (file.size() < sizeof(ContainerHeader)) return 0;
  const uint64_t count =
      std::min<uint64_t>(header_of(file).section_count,
                         (file.size() - sizeof(ContainerHeader)) / sizeof(SectionEntry));
  for (uint64_t i = 0; i < count; ++i) {
    const SectionEntry entry = entry_at(file, i);
    const bool is_payload = is_image(entry.type) || entry.type == LOG || entry.type == SOURCE;
    if (entry.compression != STORED && is_payload) sum += entry.raw_size;
  }
  return sum;
}

uint64_t payload_of_fatbin(const Bytes& file) {
  uint64_t sum = 0;
  try {
    for (const FatbinEntry& entry : fatbin_entries(ByteView("FATBIN", file)))
      if (entry.compressed) sum += entry.size;
  } catch (const Error&) {
  }
  return sum;
}

// Returns the peak of bytes that `action` held at once; its exceptions are ignored.
template <class Action>
size_t peak_of(const Action& action) {
  const size_t before = live;
  peak = before;
  try {
    action();
  } catch (const Error&) {
  }
  return peak - before;
}

template <class Action>
void expect_bounded(const std::string& what, uint64_t size, uint64_t payload,
                    const Action& action) {
  const uint64_t used = peak_of(action);
  EXPECT_LE(used, PER_BYTE * size + PER_PAYLOAD_BYTE * payload + ALLOWANCE)
      << what << ": " << used << " bytes for " << size << " and " << payload;
}

void expect_image_bounded(const std::string& what, CodeType type, const Bytes& bytes) {
  const uint64_t payload = type == CodeType::FATBIN ? payload_of_fatbin(bytes) : 0;
  expect_bounded(what, bytes.size(), payload, [&] { inspect(type, bytes); });
  expect_bounded(what + " as code", bytes.size(), payload, [&] { make_code(type, bytes, "x"); });
}

void expect_container_bounded(const std::string& what, const Bytes& bytes) {
  expect_bounded(what, bytes.size(), payload_of_container(bytes), [&] { read(bytes); });
}

Bytes load(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return bytes_of(std::string((std::istreambuf_iterator<char>(file)), {}));
}

TEST(Memory, OfTheCorpora) {
  size_t files = 0;
  for (const char* folder : {"compat", "fuzz/corpus", "data/kernels"}) {
    for (const auto& found :
         std::filesystem::recursive_directory_iterator(std::string(TESTS) + "/" + folder)) {
      if (!found.is_regular_file()) continue;
      const Bytes bytes = load(found.path());
      const auto type = guess_type(bytes);
      if (!type) continue;
      ++files;
      if (*type == CodeType::BUNDLE)
        expect_container_bounded(found.path().string(), bytes);
      else
        expect_image_bounded(found.path().string(), *type, bytes);
    }
  }
  EXPECT_GT(files, 50u);
}

std::string repeated(size_t count, const std::function<std::string(size_t)>& part) {
  std::string text = ".version 8.0\n.target sm_80\n";
  for (size_t i = 0; i < count; ++i) text += part(i);
  return text;
}

std::vector<std::pair<const char*, std::string>> dense_texts(size_t count) {
  const auto name = [](size_t i) { return std::to_string(i); };
  return {
      {"kernels", repeated(count, [&](size_t i) { return ".entry k" + name(i) + "{}"; })},
      {"visible kernels",
       repeated(count, [&](size_t i) { return ".visible.entry k" + name(i) + "{}"; })},
      {"functions", repeated(count, [&](size_t i) { return ".func f" + name(i) + "{}"; })},
      {"declarations",
       repeated(count, [&](size_t i) { return ".visible.func f" + name(i) + ";"; })},
      {"variables", repeated(count, [&](size_t i) { return ".const.b8 v" + name(i) + ";"; })},
      {"names", ".version 8.0\n.target sm_80\n.visible.global.b8 a" +
                    repeated(count, [&](size_t i) { return ",a" + name(i); }).substr(27) + ";"},
      {"parameters", repeated(count / 1000 + 1,
                              [&](size_t k) {
                                std::string text = ".entry k" + name(k) + "(.param.b8 a";
                                for (size_t i = 0; i < 1000; ++i) text += ",.param.b64 a" + name(i);
                                return text + "){}";
                              })},
      {"loads", ".version 8.0\n.target sm_80\n.entry k(.param.u64 a){" +
                    repeated(count, [&](size_t i) { return "ld.param.u64 %r" + name(i) + ",[a];"; })
                        .substr(27) +
                    "}"},
      {"braces", repeated(count, [](size_t) { return ";"; })},
  };
}

TEST(Memory, OfDensePtx) {
  for (const size_t count : {10u, 1000u, 100000u})
    for (const auto& [what, text] : dense_texts(count))
      expect_image_bounded(what, CodeType::PTX, bytes_of(text));
}

// Returns a container whose sections have the highest compression.
Bytes compressed(const Code& code) {
  const Bytes bytes = write(code);
  std::vector<Section> sections;
  for (size_t i = 0; i < header_of(bytes).section_count; ++i) {
    Section& section = sections.emplace_back();
    section.entry = entry_at(bytes, i);
    const auto raw = std::span(bytes).subspan(section.entry.offset, section.entry.stored_size);
    section.own = zstd(raw, 19);
    section.entry.compression = ZSTD;
    section.entry.raw_size = raw.size();
    if (raw.size() > section.own.size() && raw.size() / section.own.size() < MAX_RATIO) continue;
    section.own.assign(raw.begin(), raw.end());
    section.entry.compression = STORED;
  }
  return assemble(std::move(sections), std::nullopt);
}

TEST(Memory, OfCompressedTables) {
  Code code = ptx_code();
  code.symbols.clear();
  const std::string long_name(4096, 'x');
  for (uint64_t i = 0; i < 20000; ++i)
    code.symbols.push_back({long_name, long_name + "y", SymbolKind::GLOBAL,
                            i % 64 == 0 ? i * i * 7919 : 0, std::nullopt});
  const Bytes small = compressed(code);
  EXPECT_LT(small.size(), 16384u);
  expect_container_bounded("symbols", small);

  code = ptx_code();
  for (int i = 0; i < 20000; ++i) code.dependencies.push_back({long_name, 1, {}});
  expect_container_bounded("dependencies", compressed(code));
  code = ptx_code();
  code.metadata["a"] = std::vector<std::string>(300000, "");
  expect_container_bounded("metadata", compressed(code));
  code = ptx_code();
  code.key = Key{{}, std::vector<KeyField>(100000)};
  expect_container_bounded("key", compressed(code));
  code = ptx_code();
  code.symbols[0].parameters.emplace(100000, Parameter{0, 1, 1, {}});
  expect_container_bounded("parameters", compressed(code));
}

TEST(Memory, OfCompressedImages) {
  for (const auto& [what, text] : dense_texts(20000)) {
    Code code = ptx_code();
    code.symbols.clear();
    code.bytes = bytes_of(text + '\0');
    expect_container_bounded(what, compressed(code));
  }
}

template <class T>
void append(Bytes& bytes, const T& value) {
  const auto raw = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

// Appends one entry of a fat binary, compressed with zstd or uncompressed.
void append_entry(Bytes& file, std::string_view text, bool compress) {
  const auto raw = std::as_bytes(std::span(text));
  const Bytes stored = compress ? zstd(raw, 19) : Bytes(raw.begin(), raw.end());
  append(file, uint16_t{1});
  append(file, uint16_t{0x101});
  append(file, uint32_t{64});
  append(file, static_cast<uint64_t>(stored.size()));
  append(file, static_cast<uint32_t>(compress ? stored.size() : 0));
  append(file, uint32_t{0});
  append(file, uint32_t{8});
  append(file, uint32_t{80});
  append(file, uint64_t{0});
  append(file, static_cast<uint64_t>(compress ? 0x8000 : 0));
  append(file, uint64_t{0});
  append(file, static_cast<uint64_t>(compress ? raw.size() : 0));
  file.insert(file.end(), stored.begin(), stored.end());
}

Bytes fatbin(size_t count, std::string_view text, bool compress) {
  Bytes entries;
  for (size_t i = 0; i < count; ++i) append_entry(entries, text, compress);
  Bytes file;
  append(file, uint32_t{0xba55ed50});
  append(file, uint16_t{1});
  append(file, uint16_t{16});
  append(file, static_cast<uint64_t>(entries.size()));
  file.insert(file.end(), entries.begin(), entries.end());
  return file;
}

// Object code keeps its parts for the next call, so they must not contain the image again.
TEST(Memory, OfPartsWithALargeImage) {
  constexpr size_t SIZE = size_t{4} << 20;
  Code code = ptx_code(SIZE);
  code.log.assign(SIZE, 'l');
  code.source.emplace(SIZE, 's');
  std::optional<Parts> parts;
  EXPECT_LT(peak_of([&] { parts.emplace(write_parts(code)); }), size_t{64} << 10);
  const Bytes file = parts->bytes();
  EXPECT_EQ(file.size(), parts->size());
  EXPECT_EQ(read(file), code);
}

TEST(Memory, OfFatBinaries) {
  for (const auto& [what, text] : dense_texts(20000))
    expect_image_bounded(what, CodeType::FATBIN, fatbin(1, text, true));
  for (const auto& [what, text] : dense_texts(100))
    expect_image_bounded(what, CodeType::FATBIN, fatbin(50, text, true));
  expect_image_bounded("entries", CodeType::FATBIN,
                       fatbin(5000, ".version 8.0 .target sm_80", false));
}

// saxpy_sm90.cubin with `count` more symbols, whose names all end in one long string.
Bytes cubin_with_symbols(size_t count, uint8_t info) {
  Bytes file = load_image("saxpy_sm90.cubin");
  const auto sections = read_at<uint64_t>(file, 40);
  const auto section_count = read_at<uint16_t>(file, 60);
  const auto field = [&](uint64_t section, uint64_t at) { return sections + 64 * section + at; };
  uint64_t table = 0;
  while (read_at<uint32_t>(file, field(table, 4)) != 2 && table < section_count) ++table;
  uint16_t code = 0;
  while ((read_at<uint64_t>(file, field(code, 8)) & 4) == 0) ++code;
  const uint64_t strings = read_at<uint32_t>(file, field(table, 40));
  const auto moved = [&](uint64_t section, const Bytes& more) {
    const auto offset = read_at<uint64_t>(file, field(section, 24));
    const auto size = read_at<uint64_t>(file, field(section, 32));
    while (file.size() % 8 != 0) file.push_back(std::byte{0});
    const uint64_t place = file.size();
    file.reserve(place + size + more.size());
    for (uint64_t i = 0; i < size; ++i) file.push_back(file[offset + i]);
    file.insert(file.end(), more.begin(), more.end());
    file = changed_at(file, field(section, 24), place);
    file = changed_at(file, field(section, 32), size + more.size());
    return size;
  };
  Bytes name(20000, std::byte{'x'});
  name.push_back(std::byte{0});
  const auto first = static_cast<uint32_t>(moved(strings, name));
  Bytes symbols;
  for (size_t i = 0; i < count; ++i) {
    append(symbols, static_cast<uint32_t>(first + i % 8));
    append(symbols, info);
    append(symbols, uint8_t{0});
    append(symbols, code);
    append(symbols, uint64_t{0});
    append(symbols, uint64_t{0});
  }
  moved(table, symbols);
  return file;
}

TEST(Memory, OfCubinsWithSharedNames) {
  constexpr uint8_t GLOBAL_FUNCTION = 0x12;
  constexpr uint8_t GLOBAL_NOTHING = 0x10;
  ASSERT_EQ(refusal(CodeType::CUBIN, cubin_with_symbols(3, GLOBAL_FUNCTION)), "");
  for (const size_t count : {100u, 1000u, 20000u}) {
    expect_image_bounded("functions", CodeType::CUBIN, cubin_with_symbols(count, GLOBAL_FUNCTION));
    expect_image_bounded("symbols", CodeType::CUBIN, cubin_with_symbols(count, GLOBAL_NOTHING));
  }
}

void append_member(Bytes& file, const std::string& name, const Bytes& contents) {
  std::string header = name;
  header.resize(48, ' ');
  header += std::to_string(contents.size());
  header.resize(58, ' ');
  header += "`\n";
  const Bytes head = bytes_of(header);
  file.insert(file.end(), head.begin(), head.end());
  file.insert(file.end(), contents.begin(), contents.end());
  if (file.size() % 2 != 0) file.push_back(std::byte{'\n'});
}

// Returns a relocatable object with the given number of device code sections, which share their
// bytes.
Bytes object_with(const Bytes& fatbin, uint16_t sections) {
  const std::string names("\0.shstrtab\0__nv_relfatbin\0", 27);
  ElfHeader header{};
  const uint8_t ident[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  std::memcpy(header.ident, ident, sizeof ident);
  header.type = TYPE_RELOCATABLE;
  header.machine = 62;
  header.version = 1;
  header.header_size = sizeof header;
  header.section_entry_size = sizeof(ElfSectionHeader);
  header.section_count = static_cast<uint16_t>(sections + 2);
  header.name_section = 1;
  header.section_offset = sizeof header + fatbin.size() + names.size();
  Bytes file;
  append(file, header);
  file.insert(file.end(), fatbin.begin(), fatbin.end());
  const Bytes text = bytes_of(names);
  file.insert(file.end(), text.begin(), text.end());
  append(file, ElfSectionHeader{});
  append(file,
         ElfSectionHeader{1, 3, 0, 0, sizeof header + fatbin.size(), names.size(), 0, 0, 1, 0});
  for (uint16_t i = 0; i < sections; ++i)
    append(file, ElfSectionHeader{11, 1, 0, 0, sizeof header, fatbin.size(), 0, 0, 8, 0});
  return file;
}

// Every definition in a member carries the name of the member.
TEST(Memory, OfDefinitionsInMembersWithLongNames) {
  const Arch arch = *Arch::parse("sm_90");
  const Bytes object = object_with(
      fatbin(1,
             repeated(1000, [](size_t i) { return ".visible.func f" + std::to_string(i) + "{}"; }),
             false),
      1);
  Image image;
  image.type = CodeType::OBJECT;
  image.bytes = object;
  EXPECT_EQ(read_definitions(image, arch, true).strong.size(), 1000u);
  image.type = CodeType::LIBRARY;
  image.bytes = bytes_of("!<arch>\n");
  append_member(image.bytes, "//", bytes_of(std::string(50000, 'n') + "/\n"));
  append_member(image.bytes, "/0", object);
  expect_bounded("definitions", image.bytes.size(), 0,
                 [&] { read_definitions(image, arch, true); });
}

TEST(Memory, OfSectionsThatShareTheirBytes) {
  Image image;
  image.type = CodeType::OBJECT;
  const std::string text =
      repeated(1000, [](size_t i) { return ".visible.func f" + std::to_string(i) + "{}"; });
  image.bytes = object_with(fatbin(1, text, false), 200);
  expect_bounded("sections", image.bytes.size(), 0,
                 [&] { read_definitions(image, *Arch::parse("sm_90"), true); });
}

}  // namespace
}  // namespace cucore::container
