// SPDX-License-Identifier: Apache-2.0
// Containers of an attacker: digests and checksum are right, contents are not.
#include <algorithm>
#include <initializer_list>

#include "container_testing.hpp"
#include "image/compression.hpp"

namespace cucore::container {
namespace {

using namespace testing;

// Writes, changes, repairs digests and checksum, and reads.
std::string after(const std::function<void(Bytes&)>& change, const Code& code = rich_code()) {
  Bytes bytes = write(code);
  change(bytes);
  repair(bytes);
  return message_of([&] { read(bytes); });
}

std::string after_entry(uint32_t type, const std::function<void(SectionEntry&)>& change) {
  return after([&](Bytes& bytes) {
    const size_t index = index_of(bytes, type);
    SectionEntry entry = entry_at(bytes, index);
    change(entry);
    put_entry(bytes, index, entry);
  });
}

// One section replaced as a whole.
std::string with_section(uint32_t type, Bytes contents, const Code& code = rich_code(),
                         uint8_t compression = STORED, uint64_t raw = 0) {
  const Bytes bytes = write(code);
  std::vector<Section> sections;
  for (size_t i = 0; i < header_of(bytes).section_count; ++i) {
    Section& section = sections.emplace_back();
    section.entry = entry_at(bytes, i);
    const auto stored = std::span(bytes).subspan(section.entry.offset, section.entry.stored_size);
    section.own.assign(stored.begin(), stored.end());
    if (section.entry.type != type) continue;
    section.own = contents;
    section.entry.compression = compression;
    section.entry.raw_size = raw;
  }
  const Bytes changed = assemble(std::move(sections), std::nullopt);
  return message_of([&] { read(changed); });
}

template <class T>
void put(Bytes& bytes, uint64_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

#define EXPECT_REFUSED(part, expression)                         \
  do {                                                           \
    const std::string refused = expression;                      \
    EXPECT_NE(refused.find(part), std::string::npos) << refused; \
    EXPECT_NE(refused.find("at offset"), std::string::npos);     \
  } while (false)

TEST(Hostile, Header) {
  EXPECT_EQ(after([](Bytes&) {}), "");
  EXPECT_REFUSED("begin as a container", after([](Bytes& b) { b[0] = {}; }));
  EXPECT_REFUSED("version 2", after([](Bytes& b) { put<uint16_t>(b, 8, 2); }));
  EXPECT_REFUSED("not 64", after([](Bytes& b) { put<uint32_t>(b, 12, 72); }));
  EXPECT_REFUSED("its header records 1048576 bytes; it has",
                 after([](Bytes& b) { put<uint64_t>(b, 16, 1 << 20); }));
  EXPECT_REFUSED("not 96", after([](Bytes& b) { put<uint32_t>(b, 28, 104); }));
  EXPECT_REFUSED("features", after([](Bytes& b) { put<uint32_t>(b, 32, 2); }));
  EXPECT_REFUSED("no large section", after([](Bytes& b) { put<uint32_t>(b, 32, 1); }));
  EXPECT_REFUSED("reserved", after([](Bytes& b) { put<uint8_t>(b, 63, 1); }));
  // A compatible addition of a later minor version is not a reason to refuse.
  EXPECT_EQ(after([](Bytes& b) { put<uint16_t>(b, 10, 9); }), "");
  EXPECT_EQ(after([](Bytes& b) { put<uint32_t>(b, 36, 0xffffffff); }), "");
}

TEST(Hostile, SectionCounts) {
  for (const uint32_t count : {0u, 1u, 4096u, 4097u, 0x02aaaaabu, 0xffffffffu}) {
    Bytes bytes = write(rich_code());
    put(bytes, 24, count);
    EXPECT_EQ(status_of(bytes), Status::INVALID_CODE) << count;
  }
  // Only a header, with a right checksum.
  Bytes bytes = assemble({}, std::nullopt);
  EXPECT_EQ(bytes.size(), 64u);
  EXPECT_REFUSED("no image", message_of([&] { read(bytes); }));
}

TEST(Hostile, EntryFields) {
  EXPECT_REFUSED("unknown type", after_entry(LOG, [](SectionEntry& e) { e.type = 9; }));
  EXPECT_REFUSED("unknown type", after_entry(LOG, [](SectionEntry& e) { e.type = 0; }));
  EXPECT_REFUSED("unknown type", after_entry(LOG, [](SectionEntry& e) { e.type = 22; }));
  EXPECT_REFUSED("a second section", after_entry(LOG, [](SectionEntry& e) { e.type = META; }));
  EXPECT_REFUSED("a second section",
                 after_entry(LOG, [](SectionEntry& e) { e.type = META | MAY_SKIP; }));
  EXPECT_REFUSED("no STRTAB", after_entry(STRTAB, [](SectionEntry& e) { e.type = 30 | MAY_SKIP; }));
  EXPECT_REFUSED("no image", after_entry(16, [](SectionEntry& e) { e.type = 40 | MAY_SKIP; }));
  EXPECT_REFUSED("flags", after_entry(LOG, [](SectionEntry& e) { e.flags = 1; }));
  EXPECT_REFUSED("alignment", after_entry(LOG, [](SectionEntry& e) { e.alignment = 128; }));
  EXPECT_REFUSED("reserved",
                 after_entry(LOG, [](SectionEntry& e) { e.reserved[15] = {std::byte{1}}; }));
  EXPECT_REFUSED("compression", after_entry(LOG, [](SectionEntry& e) { e.compression = 2; }));
  EXPECT_REFUSED("architecture", after_entry(LOG, [](SectionEntry& e) { e.arch = 90; }));
  EXPECT_REFUSED("architecture", after_entry(LOG, [](SectionEntry& e) { e.toolkit = 130; }));
  EXPECT_REFUSED("architecture", after_entry(16, [](SectionEntry& e) { e.arch_flags = 6; }));
  EXPECT_REFUSED("architecture", after_entry(16, [](SectionEntry& e) { e.arch_flags = 8; }));
  EXPECT_REFUSED("another architecture", after_entry(16, [](SectionEntry& e) { e.arch = 90; }));
  EXPECT_REFUSED("another PTX ISA", after_entry(16, [](SectionEntry& e) { e.ptx_isa = 90; }));
  EXPECT_REFUSED("string", after_entry(16, [](SectionEntry& e) { e.name = 0xffffffff; }));
}

TEST(Hostile, TheArchitectureOfAnImageIsThatOfItsText) {
  const auto with = [](uint8_t flags) {
    return after_entry(16, [&](SectionEntry& e) { e.arch_flags = flags; });
  };
  EXPECT_REFUSED("another architecture", with(0));
  EXPECT_REFUSED("another architecture", with(ARCH_VIRTUAL | ARCH_A));
  EXPECT_REFUSED("another architecture", with(ARCH_VIRTUAL | ARCH_F));
  EXPECT_EQ(with(ARCH_VIRTUAL), "");
}

Bytes without_section(const Code& code, std::initializer_list<uint32_t> types) {
  const Bytes bytes = write(code);
  std::vector<Section> sections;
  for (size_t i = 0; i < header_of(bytes).section_count; ++i) {
    const SectionEntry entry = entry_at(bytes, i);
    if (std::find(types.begin(), types.end(), entry.type) != types.end()) continue;
    Section& section = sections.emplace_back();
    section.entry = entry;
    const auto stored = std::span(bytes).subspan(entry.offset, entry.stored_size);
    section.own.assign(stored.begin(), stored.end());
  }
  return assemble(std::move(sections), std::nullopt);
}

// Returns code whose kernel's name begins with another byte, without separate symbols.
Code renamed_code(std::byte first) {
  Bytes image = load_image("saxpy_sm80.cubin");
  const Bytes name = bytes_of("saxpy");
  for (auto at = image.begin();; at += 5) {
    at = std::search(at, image.end(), name.begin(), name.end());
    if (at == image.end()) break;
    *at = first;
  }
  Code code = make_code(CodeType::CUBIN, std::move(image), "saxpy.cu");
  code.symbols.clear();
  return code;
}

// A name from the image must be valid in a container.
TEST(Hostile, NamesOfAnImageCanBeWritten) {
  EXPECT_REFUSED("not UTF-8", after([](Bytes&) {}, renamed_code(std::byte{0xff})));
  EXPECT_REFUSED("has no name", after([](Bytes&) {}, renamed_code(std::byte{0})));
}

TEST(Hostile, AnImageWithoutSymbolsHasThoseOfItsCode) {
  const Code code = read(without_section(ptx_code(), {SYMTAB, PARAMS}));
  ASSERT_EQ(code.symbols.size(), 1u);
  EXPECT_EQ(code.symbols[0].lowered_name, "scale");
  EXPECT_EQ(code.symbols[0].parameters->size(), 3u);
}

// Without them a launch would accept any arguments.
TEST(Hostile, ParametersThatTheTableLeavesOutAreThoseOfTheCode) {
  Code unknown = rich_code();
  unknown.symbols[0].parameters.reset();
  const Code code = read(write(unknown));
  ASSERT_TRUE(code.symbols[0].parameters);
  EXPECT_EQ(code.symbols[0].parameters->size(), 3u);
}

TEST(Hostile, ParametersOfAKernelThatIsNotThere) {
  Code code = rich_code();
  code.symbols.push_back(code.symbols[0]);
  code.symbols.back().lowered_name = "elsewhere";
  EXPECT_REFUSED("belong to nothing", message_of([&] { read(write(code)); }));
  code.symbols.back().parameters.reset();
  EXPECT_EQ(message_of([&] { read(write(code)); }), "");
}

TEST(Hostile, MetadataWithAByteOrderMark) {
  const Bytes marked = bytes_of("\xef\xbb\xbf{\"a\":1}");
  EXPECT_REFUSED("byte-order", with_section(META, marked, rich_code(), STORED, marked.size()));
  EXPECT_EQ(with_section(META, bytes_of("{\"a\":1}"), rich_code(), STORED, 7), "");
}

TEST(Hostile, SectionsThatMayBeSkippedAre) {
  EXPECT_EQ(after_entry(LOG, [](SectionEntry& e) { e.type = 0xfff | MAY_SKIP; }), "");
  EXPECT_EQ(after_entry(LOG, [](SectionEntry& e) { e.type = LOG | MAY_SKIP; }), "");
}

TEST(Hostile, PlacesOfSections) {
  const auto moved = [](uint64_t offset) {
    return after_entry(LOG, [&](SectionEntry& e) { e.offset = offset; });
  };
  for (const uint64_t offset :
       {uint64_t{0}, uint64_t{64}, uint64_t{63}, UINT64_MAX, UINT64_MAX - 63})
    EXPECT_REFUSED("multiple of 64", moved(offset));
  EXPECT_REFUSED("multiple of 64", after_entry(LOG, [](SectionEntry& e) { e.offset += 64; }));
  EXPECT_REFUSED("multiple of 64", after_entry(LOG, [](SectionEntry& e) { e.offset -= 64; }));
  EXPECT_REFUSED("inside the file",
                 after_entry(16, [](SectionEntry& e) { e.stored_size = e.raw_size = 1 << 20; }));
  EXPECT_REFUSED("is above the limit",
                 after_entry(16, [](SectionEntry& e) { e.stored_size = e.raw_size = UINT64_MAX; }));
  EXPECT_REFUSED("follow the last", after_entry(16, [](SectionEntry& e) {
                   --e.stored_size;
                   --e.raw_size;
                 }));
  EXPECT_REFUSED("gap", after([](Bytes& bytes) {
                   const SectionEntry entry = entry_at(bytes, index_of(bytes, LOG));
                   put<uint8_t>(bytes, entry.offset + entry.stored_size, 1);
                 }));
}

TEST(Hostile, Sizes) {
  EXPECT_REFUSED("raw size", after_entry(16, [](SectionEntry& e) { ++e.raw_size; }));
  EXPECT_REFUSED("1000 times", after_entry(16, [](SectionEntry& e) {
                   e.compression = ZSTD;
                   e.raw_size = e.stored_size * 1000 + 1;
                 }));
  EXPECT_REFUSED("is above the limit", after_entry(16, [](SectionEntry& e) {
                   e.compression = ZSTD;
                   e.raw_size = (uint64_t{1} << 30) + 1;
                 }));
  const Bytes bytes = write(ptx_code(5000));
  ReadOptions options;
  options.max_image_size = 5000;
  EXPECT_EQ(status_of(bytes, options), Status::INVALID_CODE);
  options.max_image_size = 6000;
  EXPECT_EQ(status_of(bytes, options), Status::OK);
}

TEST(Hostile, DecompressionBombs) {
  const Bytes zeros(32 << 20);
  const Bytes bomb = zstd(zeros, 19);
  ASSERT_LT(bomb.size() * 1000, zeros.size());
  EXPECT_REFUSED("1000 times", with_section(16, bomb, ptx_code(), ZSTD, zeros.size()));
  // The frame declares a smaller size than its content has.
  EXPECT_REFUSED("decompressed", with_section(16, bomb, ptx_code(), ZSTD, bomb.size() * 900));
  // Two frames, a frame with bytes after it, a cut frame, other bytes.
  const Bytes raw = ptx_code().bytes;
  Bytes frame = zstd(raw, 3);
  EXPECT_EQ(with_section(16, frame, ptx_code(), ZSTD, raw.size()), "");
  Bytes two = frame;
  two.insert(two.end(), frame.begin(), frame.end());
  EXPECT_REFUSED("decompressed", with_section(16, two, ptx_code(), ZSTD, raw.size() * 2));
  EXPECT_REFUSED("decompressed", with_section(16, two, ptx_code(), ZSTD, raw.size()));
  frame.pop_back();
  EXPECT_REFUSED("decompressed", with_section(16, frame, ptx_code(), ZSTD, raw.size()));
  EXPECT_REFUSED("decompressed", with_section(16, raw, ptx_code(), ZSTD, raw.size()));
}

TEST(Hostile, ManyBombsTogetherAreTooLarge) {
  const Bytes zeros(4 << 20);
  const Bytes frame = zstd(zeros, 1);
  std::vector<Section> sections(1);
  sections[0].entry.type = STRTAB;
  sections[0].own = Bytes(1);
  for (int i = 0; i < 9; ++i) {
    Section& section = sections.emplace_back();
    section.entry.type = 18;
    section.entry.compression = ZSTD;
    section.entry.raw_size = zeros.size();
    section.own = frame;
    section.own.resize(zeros.size() / 900);
  }
  const Bytes bytes = assemble(std::move(sections), std::nullopt);
  ReadOptions options;
  options.max_image_size = 8 << 20;
  EXPECT_REFUSED("together are too large", message_of([&] { read(bytes, options); }));
}

TEST(Hostile, Strings) {
  EXPECT_REFUSED("STRTAB", with_section(STRTAB, {}));
  EXPECT_REFUSED("STRTAB", with_section(STRTAB, bytes_of("abc")));
  EXPECT_REFUSED("STRTAB", with_section(STRTAB, bytes_of(std::string_view("\0abc", 4))));
  EXPECT_REFUSED("string", with_section(STRTAB, Bytes(1)));
  Bytes bad(4096);
  bad[7] = std::byte{0xff};
  EXPECT_REFUSED("UTF-8", with_section(STRTAB, bad));
}

TEST(Hostile, ANameInsideACharacter) {
  Code code = ptx_code();
  code.name = "ü";
  const std::string message = after(
      [](Bytes& bytes) {
        const size_t index = index_of(bytes, 16);
        SectionEntry entry = entry_at(bytes, index);
        ++entry.name;
        put_entry(bytes, index, entry);
      },
      code);
  EXPECT_REFUSED("inside a character", message);
}

std::string with_symbol(const std::function<void(SymbolRecord&)>& change) {
  return after([&](Bytes& bytes) {
    const uint64_t at = entry_at(bytes, index_of(bytes, SYMTAB)).offset;
    SymbolRecord record;
    std::memcpy(&record, bytes.data() + at, sizeof record);
    change(record);
    put(bytes, at, record);
  });
}

TEST(Hostile, Symbols) {
  EXPECT_EQ(with_symbol([](SymbolRecord&) {}), "");
  EXPECT_REFUSED("string", with_symbol([](SymbolRecord& r) { r.expression = 0xfffffff0; }));
  EXPECT_REFUSED("string", with_symbol([](SymbolRecord& r) { r.lowered_name = 0xfffffff0; }));
  EXPECT_REFUSED("no name", with_symbol([](SymbolRecord& r) { r.lowered_name = 0; }));
  EXPECT_REFUSED("not an image", with_symbol([](SymbolRecord& r) { r.section = 0; }));
  EXPECT_REFUSED("not an image", with_symbol([](SymbolRecord& r) { r.section = 0xffffffff; }));
  EXPECT_REFUSED("unknown kind", with_symbol([](SymbolRecord& r) { r.kind = 0; }));
  EXPECT_REFUSED("unknown kind", with_symbol([](SymbolRecord& r) { r.kind = 6; }));
  EXPECT_REFUSED("flags", with_symbol([](SymbolRecord& r) { r.flags = 1; }));
  EXPECT_REFUSED("size", with_symbol([](SymbolRecord& r) { r.size = 1; }));
  EXPECT_REFUSED("PARAMS", with_symbol([](SymbolRecord& r) { r.first_parameter = 1; }));
  EXPECT_REFUSED("PARAMS", with_symbol([](SymbolRecord& r) { r.first_parameter = 0xffffffff; }));
  EXPECT_REFUSED("too many", with_symbol([](SymbolRecord& r) { r.parameter_count = 4; }));
  EXPECT_REFUSED("too many", with_symbol([](SymbolRecord& r) { r.parameter_count = 0xfffffffe; }));
  EXPECT_REFUSED("not those of the image",
                 with_symbol([](SymbolRecord& r) { r.parameter_count = 2; }));
  EXPECT_EQ(with_symbol([](SymbolRecord& r) { r.parameter_count = UNKNOWN_COUNT; }), "");
  EXPECT_REFUSED("whole records", with_section(SYMTAB, Bytes(33)));
  EXPECT_REFUSED("whole records", with_section(PARAMS, Bytes(49)));
}

TEST(Hostile, ParametersOfAnotherSizeThanTheImages) {
  const auto changed = [](uint64_t offset, uint32_t value) {
    return after([&](Bytes& bytes) {
      put(bytes, entry_at(bytes, index_of(bytes, PARAMS)).offset + offset, value);
    });
  };
  EXPECT_REFUSED("not those of the image", changed(4, 4));
  EXPECT_REFUSED("not those of the image", changed(16, 0));
  EXPECT_REFUSED("power of two", changed(8, 3));
}

TEST(Hostile, ClassesOfParameters) {
  const auto changed = [](uint32_t value) {
    return after([&](Bytes& bytes) {
      put(bytes, entry_at(bytes, index_of(bytes, PARAMS)).offset + 12, value);
    });
  };
  for (uint32_t value = 0; value < PARAMETER_CLASSES; ++value) EXPECT_EQ(changed(value), "");
  for (const uint32_t value : {5u, 0x100u, 0x80000000u, 0xffffffffu})
    EXPECT_REFUSED("unknown class", changed(value));
}

TEST(Hostile, ManySymbolsThatShareOneLongName) {
  Code code = ptx_code();
  code.symbols.clear();
  for (int i = 0; i < 3000; ++i)
    code.symbols.push_back({"", std::string(200000, 'x'), SymbolKind::KERNEL, 0, std::nullopt});
  const Bytes bytes = write(code);
  EXPECT_LT(bytes.size(), 400000u);
  EXPECT_REFUSED("more than its size allows", message_of([&] { read(bytes); }));
}

TEST(Hostile, Metadata) {
  const auto meta = [](std::string_view text) { return with_section(META, bytes_of(text)); };
  EXPECT_EQ(meta("{}"), "");
  EXPECT_EQ(meta(" { \"a\" : [ \"b\" ] , \"c\" : -1 } "), "");
  EXPECT_REFUSED("not JSON", meta(""));
  EXPECT_REFUSED("not JSON", meta("{"));
  EXPECT_REFUSED("not JSON", meta("{} {}"));
  for (const char* text :
       {"{}x", R"({"a":1)", R"({"a":1,})", R"({"a":1]})", R"({"a":01})", R"({"a":-})",
        R"({"a":-01})", R"({"a":+1})", R"({"a":"b})", R"({"a":"\"})", R"({"a"})", R"({"a":["b",]})",
        R"({"a":["b"})", R"({a:1})", "{\"a\":\"\t\"}"})
    EXPECT_REFUSED("not JSON", meta(text));
  EXPECT_REFUSED("sorted", meta(R"({"b":1,"a":2})"));
  EXPECT_REFUSED("sorted", meta(R"({"a":1,"a":2})"));
  EXPECT_REFUSED("null", meta(R"({"a":null})"));
  EXPECT_REFUSED("boolean", meta(R"({"a":true})"));
  EXPECT_REFUSED("fraction", meta(R"({"a":1.5})"));
  EXPECT_REFUSED("63 bits", meta(R"({"a":9223372036854775808})"));
  EXPECT_REFUSED("fraction", meta(R"({"a":99999999999999999999})"));
  EXPECT_REFUSED("object", meta(R"({"a":{}})"));
  EXPECT_REFUSED("value", meta(R"({"a":[["b"]]})"));
  EXPECT_REFUSED("value", meta(R"({"a":[1]})"));
  EXPECT_REFUSED("value", meta("[]"));
  EXPECT_REFUSED("value", meta("1"));
  EXPECT_REFUSED("NUL", meta(R"({"a":"\u0000"})"));
  EXPECT_REFUSED("NUL", meta(R"({"\u0000":"a"})"));
  EXPECT_REFUSED("UTF-8", meta("{\"a\":\"\xff\"}"));
  EXPECT_REFUSED("one for each", meta(R"({"images":[{}]})"));
  EXPECT_REFUSED("images", meta(R"({"images":1})"));
  EXPECT_REFUSED("value", meta(R"({"images":["a"]})"));
  EXPECT_REFUSED("object", meta(R"({"images":[{"a":{}}]})"));
  EXPECT_REFUSED("where none may be", meta(std::string(1 << 20, '[')));
  EXPECT_REFUSED("1 MiB", meta(std::string((1 << 20) + 1, ' ')));
}

TEST(Hostile, TextsKeysDependencies) {
  EXPECT_REFUSED("NUL", with_section(LOG, Bytes(1)));
  EXPECT_REFUSED("NUL", with_section(SOURCE, Bytes(1)));
  EXPECT_REFUSED("UTF-8", with_section(SOURCE, bytes_of("\xed\xa0\x80")));
  EXPECT_REFUSED("too early", with_section(KEY, Bytes(31)));
  EXPECT_EQ(with_section(KEY, Bytes(32)), "");
  EXPECT_REFUSED("too early", with_section(KEY, Bytes(39)));
  EXPECT_EQ(with_section(KEY, Bytes(40)), "");
  for (const auto& [offset, value] :
       {std::pair{34, 1}, std::pair{36, 9}, std::pair{39, 255}, std::pair{46, 1}}) {
    Bytes key(48);
    key[36] = std::byte{6};
    key[static_cast<size_t>(offset)] = static_cast<std::byte>(value);
    EXPECT_REFUSED("not well formed", with_section(KEY, key));
  }
  EXPECT_REFUSED("whole records", with_section(DEPS, Bytes(47)));
  Bytes dependency(48);
  EXPECT_EQ(with_section(DEPS, dependency), "");
  dependency[4] = std::byte{1};
  EXPECT_REFUSED("reserved", with_section(DEPS, dependency));
}

TEST(Hostile, SignatureSections) {
  Code code = rich_code();
  const auto with = [&](const std::function<void(Bytes&, uint64_t)>& change) {
    Bytes bytes = write(code, {.sign = hmac_key()});
    change(bytes, entry_at(bytes, index_of(bytes, SIG)).offset);
    repair(bytes);
    return message_of([&] { read(bytes); });
  };
  EXPECT_EQ(with([](Bytes&, uint64_t) {}), "");
  EXPECT_REFUSED("unknown signature", with([](Bytes& b, uint64_t at) { put<uint8_t>(b, at, 3); }));
  EXPECT_REFUSED("unknown signature", with([](Bytes& b, uint64_t at) { put<uint8_t>(b, at, 0); }));
  EXPECT_REFUSED("reserved", with([](Bytes& b, uint64_t at) { put<uint8_t>(b, at + 7, 1); }));
  EXPECT_REFUSED("reserved", with([](Bytes& b, uint64_t at) { put<uint8_t>(b, at + 79, 1); }));
  EXPECT_REFUSED("digest", with([](Bytes& b, uint64_t) {
                   SectionEntry entry = entry_at(b, index_of(b, SIG));
                   entry.digest[0] = std::byte{1};
                   put_entry(b, index_of(b, SIG), entry);
                 }));
}

TEST(Hostile, PtxInsideAContainer) {
  std::string text = ptx_text();
  EXPECT_REFUSED("one NUL", with_section(16, bytes_of(text)));
  EXPECT_REFUSED("one NUL", with_section(16, bytes_of(text + std::string(2, '\0'))));
  text[10] = '\0';
  EXPECT_REFUSED("NUL inside", with_section(16, bytes_of(text + std::string(1, '\0'))));
  EXPECT_REFUSED("empty", with_section(16, {}));
}

// Files of public keys, used as a secret by mistake.
TEST(Hostile, FilesOfKeysAreNoSecrets) {
  const std::string der =
      std::string("\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00", 12) + std::string(32, 'k');
  const std::string pem = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n";
  std::string wide = "\xff\xfe";
  for (const char c : pem) wide.append({c, '\0'});
  for (const std::string& file :
       {der, der + "\n", "\n" + der, pem, "key:\n" + pem, wide, std::string("ssh-ed25519 AAAA me"),
        " ssh-ed25519 AAAA" + std::string(), std::string("---- BEGIN SSH2 PUBLIC KEY ----\n")})
    EXPECT_NE(key_defect(hmac_key(file)), "") << file;
  for (const std::string& secret : {std::string(32, '\0'), std::string("ssh-secret of ours"),
                                    std::string("0123456789abcdef0123456789abcdef")})
    EXPECT_EQ(key_defect(hmac_key(secret)), "") << secret;
}

}  // namespace
}  // namespace cucore::container
