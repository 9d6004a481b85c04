// SPDX-License-Identifier: Apache-2.0
// The state behind AddressSpace, which memory.cpp and memory_ranges.cpp share.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <shared_mutex>
#include <vector>

#include "cpu/exec/memory.hpp"
#include "cpu/exec/shared_memory.hpp"

namespace cucore::cpu {

inline constexpr uint64_t MEMORY_PAGE = 4096;
inline constexpr uint64_t RED_ZONE = 512;
inline constexpr uint64_t DEVICE_ALIGN = 512;

struct MemoryBacking {
  std::byte* memory = nullptr;
  uint64_t mapped = 0;  // 0: from aligned_alloc
};

void free_backing(const MemoryBacking& backing);

struct MemoryEntry {
  Range range;
  MemoryBacking backing;
  std::byte* inner = nullptr;  // of memory with two views; `backing` is the one of the program
  Origin made;
  Shadow* shadow = nullptr;  // owned; deleted when no kernel can reach the bytes
  // Of memory that other processes or addresses may map. MAPPED memory has its shadow.
  std::shared_ptr<SharedMemory> shared;
};

struct FreedMemory {
  uint64_t base = 0;
  uint64_t size = 0;
  Origin made, ended;
};

// The last freed allocations. It allocates once, so that a free needs no memory.
class FreedRecords {
 public:
  explicit FreedRecords(size_t most) : records_(most) {}
  void add(const FreedMemory& freed) { records_[count_++ % records_.size()] = freed; }
  // Returns the latest record that contains the address, or nullptr.
  const FreedMemory* find(uint64_t address) const {
    const size_t kept = std::min<size_t>(count_, records_.size());
    for (size_t back = 1; back <= kept; ++back) {
      const FreedMemory& freed = records_[(count_ - back) % records_.size()];
      if (address - freed.base < freed.size) return &freed;
    }
    return nullptr;
  }

 private:
  std::vector<FreedMemory> records_;
  size_t count_ = 0;
};

// Addresses for mappings, and as many addresses of the host, so that the bytes of adjacent mappings
// are adjacent for the host too.
struct Reservation {
  uint64_t size = 0;
  std::byte* host = nullptr;
};

struct MemoryInLimbo {
  uint64_t stamp = 0;
  MemoryEntry entry;
};

struct AddressSpace::State {
  mutable std::shared_mutex mutex;
  std::map<uint64_t, MemoryEntry> live;
  std::map<uint64_t, Reservation> reserved;
  FreedRecords freed{4096};              // for messages only
  std::deque<MemoryBacking> quarantine;  // host addresses that must not be reused soon
  std::deque<MemoryInLimbo> limbo;
  // Memory that kernels have freed, by size. A kernel that allocates and frees in a loop receives
  // the same bytes at new addresses. The host receives them back when no kernel runs.
  std::map<uint64_t, std::vector<MemoryBacking>> spare_heap;
  std::multiset<uint64_t> pins;
  std::condition_variable_any unpinned;  // signalled after the last pin
  uint64_t clock = 0;
  uint64_t first = 0, next = 0, end = 0;
  std::map<std::pair<int, MemoryKind>, MemoryUse> uses;

  uint64_t place(uint64_t size, uint64_t align);
  uint64_t place_between(uint64_t size, uint64_t align);
  bool overlaps(uint64_t base, uint64_t size) const;
  // Returns the end of an allocation or reservation that overlaps the range, or 0.
  uint64_t end_of_overlap(uint64_t base, uint64_t size) const;
  std::map<uint64_t, Reservation>::iterator reservation_of(uint64_t address);
  // Returns the host's pointer if allocations contain the whole range, which may span mappings.
  std::byte* bytes(uint64_t address, uint64_t size, Access access) const;
  void insert(const MemoryEntry& entry);
  void dispose(const MemoryEntry& entry);
  void cover(const MemoryEntry& mapping);  // kernels may still have host pointers to it
  MemoryBacking take_spare(uint64_t size);
  void keep_spare(const MemoryEntry& entry);
  void reap();
};

}  // namespace cucore::cpu
