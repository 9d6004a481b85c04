// SPDX-License-Identifier: Apache-2.0
// Bytes of version 1 of the container: the table of docs/format.md as types.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "image/image.hpp"

namespace cucore::container {

inline constexpr uint16_t CONTAINER_MAJOR = 1;
inline constexpr uint16_t CONTAINER_MINOR = 0;

struct ContainerHeader {
  char magic[8];
  uint16_t major;
  uint16_t minor;
  uint32_t header_size;
  uint64_t file_size;
  uint32_t section_count;
  uint32_t entry_size;
  uint32_t incompatible;
  uint32_t compatible;
  std::array<std::byte, 16> checksum;
  std::array<std::byte, 8> reserved;
};
static_assert(sizeof(ContainerHeader) == 64 && offsetof(ContainerHeader, checksum) == 40);

struct SectionEntry {
  uint32_t type;
  uint16_t arch;
  uint8_t arch_flags;
  uint8_t compression;
  uint16_t ptx_isa;
  uint16_t toolkit;
  uint32_t flags;
  uint64_t offset;
  uint64_t stored_size;
  uint64_t raw_size;
  uint32_t name;
  uint32_t alignment;
  std::array<std::byte, 32> digest;
  std::array<std::byte, 16> reserved;
};
static_assert(sizeof(SectionEntry) == 96 && offsetof(SectionEntry, digest) == 48);

struct SymbolRecord {
  uint32_t expression;
  uint32_t lowered_name;
  uint32_t section;
  uint16_t kind;
  uint16_t flags;
  uint64_t size;
  uint32_t first_parameter;
  uint32_t parameter_count;
};
static_assert(sizeof(SymbolRecord) == 32);

struct ParameterRecord {
  uint32_t offset;
  uint32_t size;
  uint32_t alignment;
  uint32_t parameter_class;
};
static_assert(sizeof(ParameterRecord) == 16);

struct DependencyRecord {
  uint32_t path;
  uint32_t zero;
  uint64_t size;
  std::array<std::byte, 32> sha256;
};
static_assert(sizeof(DependencyRecord) == 48);

struct KeyFieldHeader {
  uint16_t tag;
  uint16_t zero;
  uint32_t length;
};
static_assert(sizeof(KeyFieldHeader) == 8);

struct SignatureRecord {
  uint8_t algorithm;
  std::array<std::byte, 7> zero;
  std::array<std::byte, 8> key_id;
  std::array<std::byte, 64> signature;
};
static_assert(sizeof(SignatureRecord) == 80);

enum SectionType : uint32_t {
  STRTAB = 1,
  SYMTAB = 2,
  PARAMS = 3,
  META = 4,
  LOG = 5,
  DEPS = 6,
  KEY = 7,
  SOURCE = 8,
  SIG = 15,
  FIRST_IMAGE = 16,  // PTX, CUBIN, LTOIR, FATBIN, OBJECT, LIBRARY
  LAST_IMAGE = 21,
};

inline constexpr uint32_t MAY_SKIP = 0x80000000u;
inline constexpr uint32_t UNKNOWN_COUNT = 0xffffffffu;
inline constexpr uint32_t MAX_SECTIONS = 4096;
inline constexpr uint32_t SECTION_ALIGNMENT = 64;
inline constexpr uint64_t MAX_RAW_SIZE = uint64_t{1} << 30;
inline constexpr uint64_t MAX_RATIO = 1000;
inline constexpr uint64_t MAX_META_SIZE = uint64_t{1} << 20;
// Incompatible feature: the digest of a section above LARGE_SECTION covers the digests of its
// parts.
inline constexpr uint32_t FEATURE_PARTS = 1;
inline constexpr uint64_t LARGE_SECTION = uint64_t{8} << 20;
inline constexpr uint64_t PART_SIZE = uint64_t{1} << 20;
inline constexpr uint8_t STORED = 0;
inline constexpr uint8_t ZSTD = 1;
inline constexpr uint8_t ARCH_VIRTUAL = 1;
inline constexpr uint8_t ARCH_A = 2;
inline constexpr uint8_t ARCH_F = 4;

constexpr bool is_image(uint32_t type) { return type >= FIRST_IMAGE && type <= LAST_IMAGE; }

// Both enumerations name the kinds in the same order.
constexpr uint32_t section_type(image::CodeType type) {
  constexpr uint32_t ORDER[] = {0, 16, 17, 18, 19, 20, 21};
  return ORDER[static_cast<uint32_t>(type)];
}
constexpr image::CodeType code_type(uint32_t section_type) {
  constexpr image::CodeType ORDER[] = {image::CodeType::PTX,    image::CodeType::CUBIN,
                                       image::CodeType::LTOIR,  image::CodeType::FATBIN,
                                       image::CodeType::OBJECT, image::CodeType::LIBRARY};
  return ORDER[section_type - FIRST_IMAGE];
}

constexpr uint64_t align_up(uint64_t value) {
  return (value + SECTION_ALIGNMENT - 1) / SECTION_ALIGNMENT * SECTION_ALIGNMENT;
}

}  // namespace cucore::container
