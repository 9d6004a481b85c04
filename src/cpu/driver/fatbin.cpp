// SPDX-License-Identifier: Apache-2.0
// Fat binaries: a header, then entries of PTX, CUBIN and others, each with a header of its own.
// All numbers are little-endian. Nothing read from the bytes is trusted before it was compared with
// the size.
#include "cpu/driver/fatbin.hpp"

#include <lz4.h>
#include <zstd.h>

#include <climits>
#include <cstring>

namespace cucore::cpu {
namespace {

constexpr size_t FILE_HEADER_BYTES = 16;
constexpr size_t ENTRY_HEADER_BYTES = 64;
constexpr uint16_t KIND_PTX = 1;
constexpr uint64_t FLAG_LZ4 = 0x2000;
constexpr uint64_t FLAG_ZSTD = 0x8000;
// Decompressed PTX beyond this is refused: a small file must not ask for all memory.
constexpr uint64_t MAX_PTX_BYTES = uint64_t{1} << 28;

template <typename T>
T read(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

struct Entry {
  uint16_t kind = 0;
  unsigned target = 0;
  uint64_t flags = 0;
  uint64_t decompressed_bytes = 0;
  std::string_view payload;  // without padding
};

// Walks over the entries of an image whose header was checked.
class EntryReader {
 public:
  explicit EntryReader(std::string_view entries) : rest_(entries) {}

  bool at_end() const { return rest_.empty(); }

  std::optional<Entry> next() {
    if (rest_.size() < ENTRY_HEADER_BYTES) return std::nullopt;
    auto* header = reinterpret_cast<const unsigned char*>(rest_.data());
    uint64_t header_bytes = read<uint32_t>(header + 4);
    uint64_t payload_bytes = read<uint64_t>(header + 8);
    bool fits = header_bytes >= ENTRY_HEADER_BYTES && header_bytes <= rest_.size() &&
                payload_bytes <= rest_.size() - header_bytes;
    if (!fits) return std::nullopt;
    Entry entry = decode(header, rest_.substr(header_bytes, payload_bytes));
    rest_.remove_prefix(header_bytes + payload_bytes);
    return entry;
  }

 private:
  static Entry decode(const unsigned char* header, std::string_view payload) {
    Entry entry;
    entry.kind = read<uint16_t>(header);
    entry.target = read<uint32_t>(header + 28);
    entry.flags = read<uint64_t>(header + 40);
    entry.decompressed_bytes = read<uint64_t>(header + 56);
    bool compressed = (entry.flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0;
    uint64_t exact = read<uint32_t>(header + 16);
    entry.payload = compressed && exact <= payload.size() ? payload.substr(0, exact) : payload;
    return entry;
  }

  std::string_view rest_;
};

std::optional<std::string_view> entries_of(const void* image, size_t size) {
  if (!is_fatbin(image, size)) return std::nullopt;
  auto* bytes = static_cast<const unsigned char*>(image);
  size_t header_bytes = read<uint16_t>(bytes + 6);
  uint64_t payload_bytes = read<uint64_t>(bytes + 8);
  if (header_bytes < FILE_HEADER_BYTES || header_bytes > size) return std::nullopt;
  if (payload_bytes > size - header_bytes) return std::nullopt;
  return std::string_view(static_cast<const char*>(image) + header_bytes, payload_bytes);
}

bool decompress_zstd(const Entry& entry, std::string& text) {
  size_t got =
      ZSTD_decompress(text.data(), text.size(), entry.payload.data(), entry.payload.size());
  return ZSTD_isError(got) == 0 && got == text.size();
}

bool decompress_lz4(const Entry& entry, std::string& text) {
  if (entry.payload.size() > INT_MAX) return false;
  int got =
      LZ4_decompress_safe(entry.payload.data(), text.data(), static_cast<int>(entry.payload.size()),
                          static_cast<int>(text.size()));
  return got >= 0 && static_cast<size_t>(got) == text.size();
}

bool decompress(const Entry& entry, std::string& text) {
  bool zstd = (entry.flags & FLAG_ZSTD) != 0, lz4 = (entry.flags & FLAG_LZ4) != 0;
  if (!zstd && !lz4) {
    text = entry.payload;
    return true;
  }
  if (entry.decompressed_bytes > MAX_PTX_BYTES) return false;
  text.resize(entry.decompressed_bytes);
  return zstd ? decompress_zstd(entry, text) : decompress_lz4(entry, text);
}

FatbinResult failure(FatbinStatus status, std::string message) {
  FatbinResult result;
  result.status = status;
  result.message = std::move(message);
  return result;
}

std::string no_ptx_message(unsigned lowest, unsigned device_target) {
  if (lowest == 0)
    return "the fat binary holds no PTX: build it with code=compute_XX, or as PTX, to run it here";
  return "the fat binary's PTX needs compute capability " + std::to_string(lowest) +
         " or higher, the device has " + std::to_string(device_target);
}

}  // namespace

bool is_fatbin(const void* image, size_t size) {
  return image != nullptr && size >= FILE_HEADER_BYTES &&
         read<uint32_t>(static_cast<const unsigned char*>(image)) == FATBIN_MAGIC;
}

std::optional<size_t> fatbin_size(const void* header) {
  if (!is_fatbin(header, FILE_HEADER_BYTES)) return std::nullopt;
  auto* bytes = static_cast<const unsigned char*>(header);
  uint64_t header_bytes = read<uint16_t>(bytes + 6);
  uint64_t payload_bytes = read<uint64_t>(bytes + 8);
  if (header_bytes < FILE_HEADER_BYTES || payload_bytes > SIZE_MAX / 2) return std::nullopt;
  return static_cast<size_t>(header_bytes + payload_bytes);
}

FatbinResult extract_ptx(const void* image, size_t size, unsigned device_target) {
  std::optional<std::string_view> entries = entries_of(image, size);
  if (!entries) return failure(FatbinStatus::MALFORMED, "malformed fat binary");
  std::optional<Entry> best;
  unsigned lowest = 0;
  for (EntryReader reader(*entries); !reader.at_end();) {
    std::optional<Entry> entry = reader.next();
    if (!entry) return failure(FatbinStatus::MALFORMED, "malformed entry in a fat binary");
    if (entry->kind != KIND_PTX) continue;
    if (lowest == 0 || entry->target < lowest) lowest = entry->target;
    if (entry->target > device_target) continue;
    if (!best || entry->target > best->target) best = entry;
  }
  if (!best) return failure(FatbinStatus::NO_PTX, no_ptx_message(lowest, device_target));
  FatbinResult result;
  if (!decompress(*best, result.ptx))
    return failure(FatbinStatus::UNSUPPORTED, "the PTX of a fat binary cannot be decompressed");
  while (!result.ptx.empty() && result.ptx.back() == '\0') result.ptx.pop_back();
  result.status = FatbinStatus::OK;
  result.target = best->target;
  return result;
}

bool looks_like_ptx(std::string_view image) {
  constexpr std::string_view BLANKS = " \t\r\n\v\f";
  for (;;) {
    size_t start = image.find_first_not_of(BLANKS);
    if (start == std::string_view::npos) return false;
    image.remove_prefix(start);
    size_t end = 0;
    if (image.starts_with("//")) {
      end = image.find('\n');
    } else if (image.starts_with("/*")) {
      end = image.find("*/", 2);
      end = end == std::string_view::npos ? end : end + 2;
    } else {
      return image.starts_with(".version");
    }
    if (end == std::string_view::npos) return false;
    image.remove_prefix(end);
  }
}

}  // namespace cucore::cpu
