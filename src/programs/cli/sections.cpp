// SPDX-License-Identifier: Apache-2.0
// What is inside a file: the sections of a container, the entries of a fat binary, the members of
// an archive.
#include "sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

#include "bytes.hpp"
#include "image.hpp"
#include "key.hpp"
#include "symbols.hpp"

namespace cucore::cli {
namespace {

constexpr std::size_t TABLE_AT = 64;
constexpr std::size_t TABLE_ENTRY = 96;
constexpr std::uint32_t SIGNATURE_SECTION = 15;
constexpr std::uint32_t MAY_SKIP = 0x80000000;

const char* section_name(std::uint32_t type) {
  constexpr const char* NAMES[] = {"",      "STRTAB", "SYMTAB", "PARAMS", "META", "LOG",
                                   "DEPS",  "KEY",    "SOURCE", "",       "",     "",
                                   "",      "",       "",       "SIG",    "PTX",  "CUBIN",
                                   "LTOIR", "FATBIN", "OBJECT", "LIBRARY"};
  const std::uint32_t known = type & ~MAY_SKIP;
  return known < std::size(NAMES) && *NAMES[known] ? NAMES[known] : "unknown";
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string section_arch(std::string_view entry) {
  const auto arch = number<std::uint16_t>(entry, 4);
  const auto flags = number<std::uint8_t>(entry, 6);
  if (arch == 0) return {};
  return fmt::format("{}{}{}", flags & 1 ? "compute_" : "sm_", arch,
                     flags & 2   ? "a"
                     : flags & 4 ? "f"
                                 : "");
}

template <class Action>
void each_section(std::string_view container, Action action) {
  const auto count = number<std::uint32_t>(container, 24);
  for (std::uint32_t i = 0; i < count; ++i)
    action(slice(container, TABLE_AT + i * TABLE_ENTRY, TABLE_ENTRY));
}

// Fat binaries, as nvcc and fatbinary write them.
constexpr std::uint16_t KIND_PTX = 1, KIND_ELF = 2, KIND_LTOIR = 8;
constexpr std::uint64_t FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, FLAG_ARCH_ONLY = 0x100000,
                        FLAG_FAMILY = 0x200000;

std::string entry_kind(std::uint16_t kind) {
  switch (kind) {
    case KIND_PTX:
      return "PTX";
    case KIND_ELF:
      return "CUBIN";
    case KIND_LTOIR:
      return "LTOIR";
    default:
      return fmt::format("kind {}", kind);
  }
}

// Null for an entry that the library cannot take out.
Json entry_symbols(const cucore_objectcode* fatbin, std::size_t index) {
  cucore_objectcode* code = nullptr;
  if (cucore_objectcode_image_at(fatbin, index, &code, nullptr) != CUCORE_OK) return nullptr;
  return describe_symbols(ObjectCode(code).get());
}

Json describe_entry(std::string_view header, std::string_view stored) {
  const auto kind = number<std::uint16_t>(header, 0);
  const auto flags = number<std::uint64_t>(header, 40);
  const bool compressed = (flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0;
  const char* suffix = flags & FLAG_ARCH_ONLY ? "a" : flags & FLAG_FAMILY ? "f" : "";
  const char* compression = flags & FLAG_ZSTD ? "zstd" : flags & FLAG_LZ4 ? "lz4" : "none";
  return {{"kind", entry_kind(kind)},
          {"arch", fmt::format("{}{}{}", kind == KIND_ELF ? "sm_" : "compute_",
                               number<std::uint32_t>(header, 28), suffix)},
          {"code_size", compressed ? number<std::uint64_t>(header, 56) : stored.size()},
          {"stored_size", compressed ? number<std::uint32_t>(header, 16) : stored.size()},
          {"compression", compression}};
}

// Archives, as ar writes them: a header of text before each member.
constexpr std::size_t ARCHIVE_MAGIC = 8, MEMBER_HEADER = 60;
constexpr std::size_t LONGEST_NAME = 255;  // of a file; members may share one that is longer

std::string_view without_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// "name/" of GNU, "/12" into the table of long names, "#1/5" of BSD, whose name comes before the
// member's bytes.
std::string member_name(std::string_view field, std::string_view bytes, std::string_view names) {
  std::size_t number = 0;
  if (field.starts_with("#1/")) {
    std::from_chars(field.data() + 3, field.data() + field.size(), number);
    const std::string_view name = bytes.substr(0, std::min(number, LONGEST_NAME));
    return std::string(name.substr(0, name.find('\0')));
  }
  if (field.size() > 1 && field[0] == '/' && field[1] >= '0' && field[1] <= '9') {
    std::from_chars(field.data() + 1, field.data() + field.size(), number);
    if (number >= names.size()) return std::string(field);
    const std::string_view name = names.substr(number, LONGEST_NAME);
    return std::string(name.substr(0, name.find_first_of("/\n")));
  }
  return std::string(field.ends_with('/') ? field.substr(0, field.size() - 1) : field);
}

bool is_index(std::string_view field) {
  return field == "/" || field == "//" || field == "/SYM64/" || field.starts_with("__.SYMDEF");
}

Json describe_member(const std::string& name, std::string_view bytes) {
  const auto type = detect(bytes, name);
  return {{"name", name}, {"size", bytes.size()}, {"kind", type ? type_name(*type) : "unknown"}};
}

}  // namespace

Json describe_sections(std::string_view container) {
  Json sections = Json::array();
  each_section(container, [&](std::string_view entry) {
    sections.push_back({{"type", section_name(number<std::uint32_t>(entry, 0))},
                        {"arch", section_arch(entry)},
                        {"offset", number<std::uint64_t>(entry, 16)},
                        {"stored_size", number<std::uint64_t>(entry, 24)},
                        {"raw_size", number<std::uint64_t>(entry, 32)},
                        {"compression", number<std::uint8_t>(entry, 7) ? "zstd" : "none"},
                        {"sha256", hex(slice(entry, 48, 32))}});
  });
  return sections;
}

std::string signature_algorithm(std::string_view container) {
  std::string name;
  each_section(container, [&](std::string_view entry) {
    if (number<std::uint32_t>(entry, 0) != SIGNATURE_SECTION) return;
    const auto algorithm = number<std::uint8_t>(container, number<std::uint64_t>(entry, 16));
    name = algorithm_name(static_cast<cucore_key_algorithm>(algorithm));
  });
  return name;
}

bool is_compressed(std::string_view container) {
  bool found = false;
  each_section(container,
               [&](std::string_view entry) { found |= number<std::uint8_t>(entry, 7) != 0; });
  return found;
}

Json describe_entries(const cucore_objectcode* code) {
  Json entries = Json::array();
  const std::string_view fatbin = image_bytes(code);
  const std::size_t head = number<std::uint16_t>(fatbin, 6);
  const std::string_view body = slice(fatbin, head, number<std::uint64_t>(fatbin, 8));
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t size = number<std::uint32_t>(body, at + 4);
    const std::size_t padded = number<std::uint64_t>(body, at + 8);
    Json entry = describe_entry(slice(body, at, size), slice(body, at + size, padded));
    entry["symbols"] = entry_symbols(code, entries.size());
    entries.push_back(entry);
    at += size + padded;
  }
  return entries;
}

Json describe_members(std::string_view archive) {
  Json members = Json::array();
  std::string_view names;
  for (std::size_t at = ARCHIVE_MAGIC; at + MEMBER_HEADER <= archive.size();) {
    const std::string_view field = without_blanks(slice(archive, at, 16));
    const std::string_view digits = without_blanks(slice(archive, at + 48, 10));
    std::size_t size = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), size);
    const std::string_view bytes = slice(archive, at + MEMBER_HEADER, size);
    if (field == "//") names = bytes;
    if (!is_index(field))
      members.push_back(describe_member(member_name(field, bytes, names), bytes));
    at += MEMBER_HEADER + size + size % 2;
  }
  return members;
}

}  // namespace cucore::cli
