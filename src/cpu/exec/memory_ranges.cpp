// SPDX-License-Identifier: Apache-2.0
// Reservations of addresses, the memory that is mapped there, and memory that other processes map.
#include "cpu/checks/shadow.hpp"
#include "cpu/exec/memory_state.hpp"
#include "cpu/exec/round_up.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>

namespace cucore::cpu {
namespace {

// Replaces host pages; a use of an old host pointer then has no effect on other memory.
std::byte* map_private(std::byte* place, uint64_t size, int protection) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (place ? MAP_FIXED : 0);
  void* p = mmap(place, size, protection, flags, -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
}

// Copies pages that are not zero, so that untouched pages of the source use no memory.
void copy_pages(std::byte* to, const std::byte* from, uint64_t size) {
  static const std::byte ZERO[MEMORY_PAGE] = {};
  for (uint64_t at = 0; at < size; at += MEMORY_PAGE) {
    const uint64_t bytes = std::min(MEMORY_PAGE, size - at);
    if (std::memcmp(from + at, ZERO, bytes) != 0) std::memcpy(to + at, from + at, bytes);
  }
}

}  // namespace

std::map<uint64_t, Reservation>::iterator AddressSpace::State::reservation_of(uint64_t address) {
  auto it = reserved.upper_bound(address);
  if (it == reserved.begin()) return reserved.end();
  --it;
  return address - it->first < it->second.size ? it : reserved.end();
}

std::byte* AddressSpace::State::bytes(uint64_t address, uint64_t size, Access access) const {
  auto it = live.upper_bound(address);
  if (it == live.begin()) return nullptr;
  --it;
  const Range& first_range = it->second.range;
  if (first_range.dormant || address - first_range.base >= first_range.size) return nullptr;
  std::byte* const start = first_range.host + (address - first_range.base);
  // Only mappings continue in the next allocation, inside one reservation.
  for (uint64_t end = address + size;; ++it) {
    const Range& r = it->second.range;
    const bool mapped = r.kind == MemoryKind::MAPPED;
    if (mapped && (access == Access::READ ? r.readers : r.writers) == 0) return nullptr;
    if (end <= r.base + r.size && end >= address) return start;
    const auto following = std::next(it);
    if (!mapped || following == live.end()) return nullptr;
    const Range& n = following->second.range;
    if (n.kind != MemoryKind::MAPPED || n.base != r.base + r.size || n.host != r.host + r.size)
      return nullptr;
  }
}

void AddressSpace::State::cover(const MemoryEntry& mapping) {
  map_private(mapping.range.host, mapping.range.size, PROT_READ | PROT_WRITE);
}

uint64_t AddressSpace::reserve(uint64_t size, uint64_t align, uint64_t wanted) {
  if (size == 0 || size > uint64_t{1} << 46) return 0;
  std::byte* host = map_private(nullptr, size, PROT_NONE);
  if (!host) return 0;
  std::unique_lock lock(state_->mutex);
  State& s = *state_;
  const bool usable = wanted >= s.first && wanted < s.end && size <= s.end - wanted &&
                      wanted % align == 0 && !s.end_of_overlap(wanted, size);
  const uint64_t base = usable ? wanted : s.place(size, align);
  if (base == 0) {
    munmap(host, size);
    return 0;
  }
  // A program that grows an array requests the addresses behind it.
  if (!usable && size <= (s.end - s.next) / 2) s.next += size;
  s.reserved[base] = {size, host};
  return base;
}

bool AddressSpace::unreserve(uint64_t base, uint64_t size) {
  std::unique_lock lock(state_->mutex);
  const auto it = state_->reserved.find(base);
  if (it == state_->reserved.end() || it->second.size != size || state_->overlaps(base, size))
    return false;
  MemoryEntry addresses;
  addresses.backing = {it->second.host, size};
  state_->reserved.erase(it);
  state_->limbo.push_back({++state_->clock, addresses});
  state_->reap();
  return true;
}

bool AddressSpace::map(uint64_t address, uint64_t size, std::shared_ptr<SharedMemory> memory,
                       int device) {
  std::unique_lock lock(state_->mutex);
  const auto it = state_->reservation_of(address);
  if (it == state_->reserved.end() || size > it->second.size - (address - it->first) ||
      state_->overlaps(address, size))
    return false;
  MemoryEntry entry;
  std::byte* host = memory->map(size, it->second.host + (address - it->first));
  if (!host) return false;
  entry.range = {address, size, MemoryKind::MAPPED, device, 0, host, false, false, 0, 0};
  entry.shared = std::move(memory);
  entry.made = origin_of_thread();
  state_->insert(entry);
  return true;
}

void AddressSpace::set_access(uint64_t address, int device, bool reads, bool writes) {
  std::unique_lock lock(state_->mutex);
  const auto it = state_->live.find(address);
  if (it == state_->live.end()) return;
  Range& range = it->second.range;
  const uint64_t bit = uint64_t{1} << (device & 63);
  range.readers = reads ? range.readers | bit : range.readers & ~bit;
  range.writers = writes ? range.writers | bit : range.writers & ~bit;
  generation_.fetch_add(1, std::memory_order_release);
}

uint64_t AddressSpace::allocate_shared(std::shared_ptr<SharedMemory> memory, int device,
                                       uint64_t tag) {
  const uint64_t size = memory->size();
  MemoryEntry entry;
  std::byte* host = memory->map(size);
  if (!host) return 0;
  entry.backing = {host, round_up(size, MEMORY_PAGE)};
  entry.shared = std::move(memory);
  entry.made = origin_of_thread();
  std::unique_lock lock(state_->mutex);
  const uint64_t base = state_->place(size, DEVICE_ALIGN);
  entry.range = {base, size, MemoryKind::DEVICE, device, tag, host, false, false, 0, 0};
  if (base == 0)
    free_backing(entry.backing);
  else
    state_->insert(entry);
  return base;
}

std::shared_ptr<SharedMemory> AddressSpace::share(uint64_t address) {
  std::unique_lock lock(state_->mutex);
  state_->unpinned.wait(lock, [this] { return state_->pins.empty(); });
  const auto it = state_->live.find(address);
  if (it == state_->live.end() || it->second.range.kind != MemoryKind::DEVICE) return nullptr;
  MemoryEntry& entry = it->second;
  if (entry.shared) return entry.shared;
  const uint64_t size = entry.range.size;
  auto memory = SharedMemory::create(SharedKind::MEMORY, size, entry.range.device);
  std::byte* host = memory ? memory->map(size) : nullptr;
  if (!host) return nullptr;
  copy_pages(host, entry.range.host, size);
  free_backing(entry.backing);
  entry.backing = {host, round_up(size, MEMORY_PAGE)};
  entry.range.host = host;
  entry.shared = memory;
  // Other processes may write it, which this one cannot see.
  if (entry.shadow) entry.shadow->set_initialised(0, size);
  generation_.fetch_add(1, std::memory_order_release);
  return memory;
}

AddressSpace::Reserved AddressSpace::reserved() const {
  std::shared_lock lock(state_->mutex);
  Reserved sum;
  for (const auto& [base, reservation] : state_->reserved) {
    ++sum.count;
    sum.bytes += reservation.size;
  }
  return sum;
}

}  // namespace cucore::cpu
