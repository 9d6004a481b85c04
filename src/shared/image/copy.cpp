// SPDX-License-Identifier: Apache-2.0
#include "image/copy.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <memory>

#include "support/parallel.hpp"

namespace cucore::image {

namespace {

constexpr size_t HUGE_PAGE = size_t{2} << 20;
// A smaller vector may share its pages with other memory of the heap.
constexpr size_t LARGE = 4 * HUGE_PAGE;
// The start of a thread takes as long as one page or two.
constexpr size_t PAGES_PER_THREAD = 4;

// Lets several threads provide the pages, which the system fills with zeros. These are hints: on a
// system that ignores them, the copy provides the pages.
void provide_pages(std::byte* begin, size_t size) {
  void* at = begin;
  size_t space = size;
  if (std::align(HUGE_PAGE, HUGE_PAGE, at, space) == nullptr) return;
  auto* const first = static_cast<std::byte*>(at);
  const size_t pages = space / HUGE_PAGE;
  madvise(first, pages * HUGE_PAGE, MADV_HUGEPAGE);
#ifdef MADV_POPULATE_WRITE
  const auto provide = [&](size_t page) noexcept {
    madvise(first + page * HUGE_PAGE, HUGE_PAGE, MADV_POPULATE_WRITE);
  };
  in_parallel(pages, PAGES_PER_THREAD, provide);
#endif
}

}  // namespace

Bytes reserved_bytes(size_t size) {
  Bytes bytes;
  bytes.reserve(size);
  if (size >= LARGE) provide_pages(bytes.data(), size);
  return bytes;
}

Bytes copy_of(std::span<const std::byte> bytes) {
  Bytes copy = reserved_bytes(bytes.size());
  copy.insert(copy.end(), bytes.begin(), bytes.end());
  return copy;
}

}  // namespace cucore::image
