// SPDX-License-Identifier: Apache-2.0
// Allocation of shadow memory, and ranges of its bits.
#include "cpu/checks/shadow.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>

#include "cpu/checks/cell_lines.hpp"
#include "cpu/checks/cell_pages.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

constexpr uint64_t LIMIT = uint64_t{4} << 30;
constexpr uint64_t SHADOW_PAGE = 4096;
std::atomic<uint64_t> g_mapped{0};

std::mutex& shadow_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

std::unique_ptr<ShadowPages> ShadowPages::map(uint64_t bytes) {
  bytes = (bytes + SHADOW_PAGE - 1) / SHADOW_PAGE * SHADOW_PAGE;
  if (g_mapped.fetch_add(bytes) + bytes > LIMIT) {
    g_mapped.fetch_sub(bytes);
    return nullptr;
  }
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    g_mapped.fetch_sub(bytes);
    return nullptr;
  }
  madvise(p, bytes, MADV_HUGEPAGE);
  return std::unique_ptr<ShadowPages>(new ShadowPages(static_cast<std::byte*>(p), bytes));
}

ShadowPages::~ShadowPages() {
  munmap(memory_, bytes_);
  g_mapped.fetch_sub(counted_);
}

void ShadowPages::clear() { madvise(memory_, bytes_, MADV_DONTNEED); }

void ShadowPages::retire() {
  g_mapped.fetch_sub(std::exchange(counted_, 0));
  clear();
}

uint64_t bytes_of_cells(uint64_t size, uint32_t shift) {
  const uint64_t cells = (size >> shift) + 64;  // slack, so that the arrays stay aligned
  return (cells + 15) / 16 * 16 * CELL_BYTES;
}

namespace {

Records lay_out_records(std::byte* memory, uint64_t size, uint32_t shift) {
  const uint64_t count = bytes_of_cells(size, shift) / CELL_BYTES;
  Records records;
  records.writer = reinterpret_cast<uint32_t*>(memory);
  records.reader = records.writer + count;
  records.writer_site = reinterpret_cast<uint16_t*>(records.reader + count);
  records.reader_site = records.writer_site + count;
  return records;
}

}  // namespace

Cells lay_out_cells(std::byte* memory, uint64_t size, uint32_t shift) {
  Cells cells;
  static_cast<Records&>(cells) = lay_out_records(memory, size, shift);
  cells.shift = shift;
  cells.count = (size + (uint64_t{1} << shift) - 1) >> shift;
  return cells;
}

const Cells* Shadow::cells(uint32_t granule) {
  constexpr uint32_t LARGEST = 1u << LARGEST_CELL_SHIFT;
  const auto shift = uint32_t(std::countr_zero(std::bit_floor(std::clamp(granule, 1u, LARGEST))));
  if (RaceShadow* race = race_.load(std::memory_order_acquire); race && race->cells.shift <= shift)
    return &race->cells;
  std::lock_guard lock(shadow_mutex());
  RaceShadow* race = race_.load(std::memory_order_acquire);
  if (race && race->cells.shift <= shift) return &race->cells;
  auto made = std::make_unique<RaceShadow>();
  const uint64_t cell_bytes = bytes_of_cells(size_, shift);
  const uint64_t line_bytes = bytes_of_cells(size_, shift + LINE_SHIFT);
  const uint64_t page_count = count_of_pages(size_ >> shift);
  made->pages = ShadowPages::map(cell_bytes + line_bytes + page_count * sizeof(PageSites));
  if (!made->pages) return nullptr;
  std::byte* const memory = made->pages->get();
  made->cells = lay_out_cells(memory, size_, shift);
  made->cells.lines = lay_out_records(memory + cell_bytes, size_, shift + LINE_SHIFT);
  made->cells.pages = reinterpret_cast<PageSites*>(memory + cell_bytes + line_bytes);
  made->cells.ends = &made->ends;
  if (race) copy_records(race->cells, made->cells);
  race_.store(made.get(), std::memory_order_release);
  made_[shift] = std::move(made);
  if (race) {
    race->pages->retire();
    AddressSpace::instance().renew_generation();
  }
  return &race_.load(std::memory_order_acquire)->cells;
}

void Shadow::track_initialisation() {
  bit_pages_ = ShadowPages::map(size_ / 8 + 64);
  if (bit_pages_) bits_ = reinterpret_cast<std::atomic<uint64_t>*>(bit_pages_->get());
}

void Shadow::set_initialised(uint64_t offset, uint64_t size) {
  if (!bits_ || size == 0 || offset >= size_ || is_complete_) return;
  set_all(bits_, offset, std::min(size, size_ - offset));
  if (offset == 0 && size >= size_) is_complete_ = true;
}

void Shadow::copy_initialised(uint64_t offset, const Shadow* from, uint64_t from_offset,
                              uint64_t size) {
  if (!bits_) return;
  if (!from || !from->bits_ || all_set(from->bits_, from_offset, size))
    return set_initialised(offset, size);
  is_complete_ = false;
  for (uint64_t i = 0; i < size; ++i) {
    const uint64_t to = offset + i;
    const bool good = all_set(from->bits_, from_offset + i, 1);
    if (good)
      bits_[to / 64].fetch_or(uint64_t{1} << to % 64, std::memory_order_relaxed);
    else
      bits_[to / 64].fetch_and(~(uint64_t{1} << to % 64), std::memory_order_relaxed);
  }
}

void Shadow::clear_cells() {
  std::lock_guard lock(shadow_mutex());
  for (const auto& made : made_)
    if (made) {
      made->pages->clear();
      made->ends.writer = made->ends.reader = 0;
      made->ends.has_writer_pages = made->ends.has_reader_pages = false;
    }
}

}  // namespace cucore::cpu
