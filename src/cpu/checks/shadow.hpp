// SPDX-License-Identifier: Apache-2.0
// Shadow memory of an allocation: one bit per byte that is initialised, and the last writer and
// reader of each cell. Pages are mapped when they are used.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "cpu/checks/lane_checks.hpp"

namespace cucore::cpu {

inline constexpr uint64_t CELL_BYTES = 12;
inline constexpr uint32_t LARGEST_CELL_SHIFT = 3;  // cells of eight bytes

// Zeroed memory that counts towards a process-wide limit of 4 GiB of address space.
class ShadowPages {
 public:
  static std::unique_ptr<ShadowPages> map(uint64_t bytes);
  ~ShadowPages();
  ShadowPages(const ShadowPages&) = delete;
  ShadowPages& operator=(const ShadowPages&) = delete;
  std::byte* get() const { return memory_; }
  void clear();
  // Releases the memory. Late accesses have no effect.
  void retire();

 private:
  ShadowPages(std::byte* memory, uint64_t bytes)
      : memory_(memory), bytes_(bytes), counted_(bytes) {}
  std::byte* memory_;
  uint64_t bytes_;
  uint64_t counted_;
};

uint64_t bytes_of_cells(uint64_t size, uint32_t shift);
Cells lay_out_cells(std::byte* memory, uint64_t size, uint32_t shift);

struct RaceShadow {
  std::unique_ptr<ShadowPages> pages;
  RecordEnds ends;
  Cells cells;
};

// Owned by the address space, as long as kernels can reach the allocation.
class Shadow {
 public:
  explicit Shadow(uint64_t size) : size_(size) {}

  // Returns the cells, which have at most `granule` bytes, 1 to 8; nullptr if the limit is reached.
  // Cells that are too large are replaced by smaller ones with their records. Accesses that other
  // workers make at the same instant can lose theirs.
  const Cells* cells(uint32_t granule);
  // The allocation is uninitialised from now on.
  void track_initialisation();
  // nullptr: all bytes are.
  std::atomic<uint64_t>* initialised() const { return is_complete_ ? nullptr : bits_; }
  void set_initialised(uint64_t offset, uint64_t size);
  // Copies the state of bytes of another allocation; nullptr: they are initialised.
  void copy_initialised(uint64_t offset, const Shadow* from, uint64_t from_offset, uint64_t size);
  void clear_cells();

 private:
  const uint64_t size_;
  std::unique_ptr<ShadowPages> bit_pages_;
  std::atomic<uint64_t>* bits_ = nullptr;
  std::atomic<bool> is_complete_{false};  // one operation has initialised all bytes
  std::atomic<RaceShadow*> race_{nullptr};
  // Workers may still use larger cells until they notice the new generation of addresses.
  std::unique_ptr<RaceShadow> made_[LARGEST_CELL_SHIFT + 1];
};

// Ranges of an array of bits.

inline uint64_t bits_between(uint64_t first, uint64_t end) {
  const uint64_t low = ~uint64_t{0} << first;
  return end == 64 ? low : low & ((uint64_t{1} << end) - 1);
}
inline bool all_set(const std::atomic<uint64_t>* bits, uint64_t first, uint64_t count) {
  for (uint64_t end = first + count; first < end;) {
    const uint64_t begin = first % 64, stop = end - first < 64 - begin ? begin + (end - first) : 64;
    const uint64_t mask = bits_between(begin, stop);
    if ((bits[first / 64].load(std::memory_order_relaxed) & mask) != mask) return false;
    first += stop - begin;
  }
  return true;
}

// Blocks of other workers may set bits of the same word. Only words that change are locked.
inline void set_all(std::atomic<uint64_t>* bits, uint64_t first, uint64_t count) {
  for (uint64_t end = first + count; first < end;) {
    const uint64_t begin = first % 64, stop = end - first < 64 - begin ? begin + (end - first) : 64;
    const uint64_t mask = bits_between(begin, stop);
    auto& word = bits[first / 64];
    if (mask == ~uint64_t{0})
      word.store(mask, std::memory_order_relaxed);
    else if ((word.load(std::memory_order_relaxed) & mask) != mask)
      word.fetch_or(mask, std::memory_order_relaxed);
    first += stop - begin;
  }
}

}  // namespace cucore::cpu
