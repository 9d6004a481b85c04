// SPDX-License-Identifier: Apache-2.0
// The content of a file: the sections of a container, the entries of a fat binary, the members of
// an archive.
#include "sections.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "bytes.hpp"
#include "image.hpp"
#include "image_parts.hpp"
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

// Null for an entry that the library cannot take out.
Json entry_symbols(const ObjectCode& fatbin, std::size_t index) {
  ObjectCode code;
  try {
    code = fatbin.image_at(index);
  } catch (const Error&) {
    return nullptr;
  }
  return describe_symbols(code);
}

Json describe_entry(const FatbinEntry& entry) {
  return {{"kind", entry.kind},
          {"arch", entry.arch},
          {"code_size", entry.code_size},
          {"stored_size", entry.stored_size},
          {"compression", entry.compression}};
}

Json describe_member(std::string_view name, std::string_view bytes) {
  const auto type = detect(bytes, std::string(name));
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
    name = algorithm_name(static_cast<KeyAlgorithm>(algorithm));
  });
  return name;
}

bool is_compressed(std::string_view container) {
  bool found = false;
  each_section(container,
               [&](std::string_view entry) { found |= number<std::uint8_t>(entry, 7) != 0; });
  return found;
}

Json describe_entries(const ObjectCode& code) {
  Json entries = Json::array();
  for (const FatbinEntry& each : fatbin_entries(image_bytes(code))) {
    Json entry = describe_entry(each);
    entry["symbols"] = entry_symbols(code, entries.size());
    entries.push_back(entry);
  }
  return entries;
}

Json describe_members(std::string_view archive) {
  Json members = Json::array();
  each_member(archive, [&](std::string_view name, std::string_view bytes) {
    members.push_back(describe_member(name, bytes));
  });
  return members;
}

}  // namespace cucore::cli
