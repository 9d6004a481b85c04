// SPDX-License-Identifier: Apache-2.0
#include "image/copy.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <memory>

namespace cucore::image {

namespace {

constexpr size_t HUGE_PAGE = size_t{2} << 20;
// A smaller vector may share its pages with other memory of the heap.
constexpr size_t LARGE = 4 * HUGE_PAGE;

// A hint: where the system has no huge pages, the memory is as before.
void prefer_huge_pages(std::byte* begin, size_t size) {
  void* at = begin;
  size_t space = size;
  if (std::align(HUGE_PAGE, HUGE_PAGE, at, space) == nullptr) return;
  madvise(at, space / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
}

}  // namespace

Bytes reserved_bytes(size_t size) {
  Bytes bytes;
  bytes.reserve(size);
  if (size >= LARGE) prefer_huge_pages(bytes.data(), size);
  return bytes;
}

Bytes copy_of(std::span<const std::byte> bytes) {
  Bytes copy = reserved_bytes(bytes.size());
  copy.insert(copy.end(), bytes.begin(), bytes.end());
  return copy;
}

}  // namespace cucore::image
