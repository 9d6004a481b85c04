// SPDX-License-Identifier: Apache-2.0
// The headers and entries of a fat binary, as nvcc and fatbinary write them. Only the sizes are
// checked here; the readers check what they use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "image/byte_view.hpp"

namespace cucore::image {

inline constexpr uint32_t FATBIN_MAGIC = 0xBA55ED50;

struct FatbinHeader {
  uint32_t magic;
  uint16_t version;
  uint16_t header_size;
  uint64_t size;  // of the entries
};
static_assert(sizeof(FatbinHeader) == 16);

struct FatbinEntryHeader {
  uint16_t kind;
  uint16_t version;
  uint32_t header_size;
  uint64_t padded_size;
  uint32_t compressed_size;  // 0: not compressed
  uint32_t options_offset;   // of {u32 offset, u32 size} of the options, in the header
  uint16_t minor;            // for PTX its ISA
  uint16_t major;
  uint32_t arch;
  uint32_t name_offset;
  uint32_t name_size;
  uint64_t flags;
  uint64_t scramble;
  uint64_t raw_size;  // 0: not compressed
};
static_assert(sizeof(FatbinEntryHeader) == 64);

enum FatbinKind : uint16_t { FATBIN_PTX = 1, FATBIN_ELF = 2, FATBIN_LTOIR = 8 };

inline constexpr uint64_t FATBIN_LZ4 = 0x2000;
inline constexpr uint64_t FATBIN_ZSTD = 0x8000;
inline constexpr uint64_t FATBIN_SCRAMBLED = 0x10000;
inline constexpr uint64_t FATBIN_ARCH_ONLY = 0x100000;
inline constexpr uint64_t FATBIN_FAMILY = 0x200000;

// One entry.
struct FatbinPart {
  FatbinEntryHeader header;
  ByteView head;    // the bytes of the header
  ByteView stored;  // the bytes of the image, with padding

  bool is_compressed() const { return (header.flags & (FATBIN_LZ4 | FATBIN_ZSTD)) != 0; }
};

// The file header at the beginning of the bytes, of which only its own size is checked.
// @throws Error INVALID_CODE
FatbinHeader fatbin_header(const ByteView& bytes);

// Walks over the entries.
class FatbinParts {
 public:
  // @throws Error INVALID_CODE
  explicit FatbinParts(const ByteView& image);

  const ByteView& entries() const { return entries_; }
  // Returns the next entry; nullopt after the last. @throws Error INVALID_CODE
  std::optional<FatbinPart> next();

 private:
  ByteView entries_;
  uint64_t at_ = 0;
};

// The bytes of an entry, decompressed if they are compressed.
// @throws Error INVALID_CODE
std::vector<std::byte> unpack_fatbin_part(const FatbinPart& part);

}  // namespace cucore::image
