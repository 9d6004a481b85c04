// SPDX-License-Identifier: Apache-2.0
// zstd and LZ4 with sizes that are known in advance.
#include "image/compression.hpp"

#include <lz4.h>
#include <zstd.h>

#include <limits>
#include <memory>

#include "support/error.hpp"

namespace cucore::image {

std::optional<std::vector<std::byte>> unzstd(std::span<const std::byte> stored, uint64_t size) {
  // The frame must declare the expected size, be the only one, and fill the stored bytes. A frame
  // that cannot produce its declared size allocates nothing.
  if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != size) return std::nullopt;
  if (ZSTD_findFrameCompressedSize(stored.data(), stored.size()) != stored.size())
    return std::nullopt;
  std::vector<std::byte> raw(size);
  const size_t got = ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size());
  if (ZSTD_isError(got) || got != size) return std::nullopt;
  return raw;
}

std::optional<std::vector<std::byte>> unlz4(std::span<const std::byte> stored, uint64_t size) {
  constexpr uint64_t MOST = std::numeric_limits<int>::max();
  // One byte of LZ4 expands to at most 255 bytes, so a larger declared size is false and is not
  // allocated.
  if (stored.empty() || stored.size() > MOST || size > MOST || size > stored.size() * 255)
    return std::nullopt;
  std::vector<std::byte> raw(size);
  const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()),
                                      reinterpret_cast<char*>(raw.data()),
                                      static_cast<int>(stored.size()), static_cast<int>(size));
  if (got < 0 || static_cast<uint64_t>(got) != size) return std::nullopt;
  return raw;
}

std::vector<std::byte> zstd(std::span<const std::byte> raw, int level) {
  // Not cleared: the system provides only the pages that the result uses.
  const size_t bound = ZSTD_compressBound(raw.size());
  const std::unique_ptr<std::byte[]> stored(new std::byte[bound]);
  const size_t size = ZSTD_compress(stored.get(), bound, raw.data(), raw.size(), level);
  if (ZSTD_isError(size))
    throw Error(Status::INTERNAL, std::string("zstd cannot compress: ") + ZSTD_getErrorName(size));
  return {stored.get(), stored.get() + size};
}

}  // namespace cucore::image
