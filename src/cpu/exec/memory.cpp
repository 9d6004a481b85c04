// SPDX-License-Identifier: Apache-2.0
// The allocation table of the CPU devices. Device addresses come from a reservation that is never
// mapped. They are assigned in ascending order, so that a freed address stays invalid for a long
// time.
#include "cpu/exec/memory.hpp"

#include "cpu/checks/check_set.hpp"
#include "cpu/checks/shadow.hpp"
#include "cpu/exec/host_views.hpp"
#include "cpu/exec/memory_state.hpp"
#include "cpu/exec/round_up.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace cucore::cpu {
namespace {

constexpr uint64_t PAGE = MEMORY_PAGE;
constexpr uint64_t LARGEST_ALIGNMENT = 65536;  // of a variable in PTX
// an allocation this far away does not explain an address
constexpr uint64_t FAR = uint64_t{1} << 40;
constexpr uint64_t MAP_THRESHOLD = uint64_t{1} << 20;
constexpr uint64_t HEAP_MAP_THRESHOLD = uint64_t{1} << 16;
constexpr size_t QUARANTINE = 512;

bool is_host_addressed(MemoryKind kind) {
  return kind == MemoryKind::PINNED || kind == MemoryKind::MANAGED ||
         kind == MemoryKind::REGISTERED;
}

std::byte* map_pages(uint64_t size) {
  void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
}

// Shrinks the reservation until the system grants it (address space limits, memory checkers).
uint64_t reserve_addresses(uint64_t& size) {
  for (size = uint64_t{1} << 39; size >= uint64_t{1} << 34; size /= 2) {
    void* p = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) return reinterpret_cast<uint64_t>(p);
  }
  size = uint64_t{1} << 39;
  return uint64_t{1} << 62;  // without a reservation: addresses that no user process can map
}

// Rounds up to a power of two, so that spare memory has few sizes.
uint64_t heap_bytes(uint64_t size) { return std::bit_ceil(std::max<uint64_t>(size, 16)); }

MemoryBacking make_heap_backing(uint64_t size) {
  const uint64_t bytes = heap_bytes(size);
  if (bytes >= HEAP_MAP_THRESHOLD) return {map_pages(bytes), bytes};
  auto* p = static_cast<std::byte*>(std::aligned_alloc(std::min<uint64_t>(bytes, 64), bytes));
  if (p) std::memset(p, 0, bytes);
  return {p, 0};
}

MemoryBacking make_backing(uint64_t size, uint64_t align) {
  if (size >= MAP_THRESHOLD && align <= PAGE) {
    const uint64_t bytes = round_up(size, PAGE);
    std::byte* memory = map_pages(bytes);
    // Kernels stride through arrays; with small pages, address translation would dominate their
    // time.
    if (memory) madvise(memory, bytes, MADV_HUGEPAGE);
    return {memory, bytes};
  }
  const uint64_t bytes = round_up(size, align);
  if (bytes < size) return {};
  auto* p = static_cast<std::byte*>(std::aligned_alloc(align, bytes));
  if (p) std::memset(p, 0, bytes);
  return {p, 0};
}

}  // namespace

void free_backing(const MemoryBacking& b) {
  if (b.mapped)
    munmap(b.memory, b.mapped);
  else
    std::free(b.memory);
}

// The first pass through the reservation only moves forward; later passes search for gaps.
uint64_t AddressSpace::State::place(uint64_t size, uint64_t align) {
  const uint64_t base = round_up(next, align);
  if (size <= end - first && base + size + RED_ZONE <= end &&
      !end_of_overlap(base, size + RED_ZONE)) {
    next = base + size + RED_ZONE;
    return base;
  }
  return place_between(size, align);
}

uint64_t AddressSpace::State::place_between(uint64_t size, uint64_t align) {
  if (size > end - first) return 0;
  uint64_t candidate = round_up(first, align);
  while (candidate + size + RED_ZONE <= end) {
    const uint64_t taken = end_of_overlap(candidate, size + RED_ZONE);
    if (taken == 0) {
      next = candidate + size + RED_ZONE;
      return candidate;
    }
    candidate = round_up(taken + RED_ZONE, align);
  }
  return 0;
}

uint64_t AddressSpace::State::end_of_overlap(uint64_t base, uint64_t size) const {
  uint64_t found = 0;
  if (auto it = live.lower_bound(base + size); it != live.begin()) {
    const Range& r = std::prev(it)->second.range;
    if (r.base + r.size > base) found = r.base + r.size;
  }
  if (auto it = reserved.lower_bound(base + size); it != reserved.begin()) {
    const auto& [start, reservation] = *std::prev(it);
    if (start + reservation.size > base) found = std::max(found, start + reservation.size);
  }
  return found;
}

bool AddressSpace::State::overlaps(uint64_t base, uint64_t size) const {
  auto it = live.upper_bound(base);
  if (it != live.end() && it->first < base + size) return true;
  if (it == live.begin()) return false;
  --it;
  return it->second.range.base + it->second.range.size > base;
}

void AddressSpace::State::insert(const MemoryEntry& entry) {
  live.emplace(entry.range.base, entry);
  auto& use = uses[{entry.range.device, entry.range.kind}];
  use.bytes += entry.range.size;
  use.allocations += 1;
}

void AddressSpace::State::dispose(const MemoryEntry& entry) {
  delete entry.shadow;
  if (entry.range.kind == MemoryKind::REGISTERED || entry.range.kind == MemoryKind::MAPPED) return;
  if (!is_host_addressed(entry.range.kind)) return free_backing(entry.backing);
  if (entry.inner) {
    HostViews::instance().remove(entry.backing.memory);
    munmap(entry.inner, entry.backing.mapped - PAGE);
  }
  // The pages are freed and the addresses stay reserved, so that a late access by the host faults
  // and one by a kernel is detected.
  mmap(entry.backing.memory, entry.backing.mapped, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  quarantine.push_back(entry.backing);
  if (quarantine.size() > QUARANTINE) {
    free_backing(quarantine.front());
    quarantine.pop_front();
  }
}

void AddressSpace::State::reap() {
  while (!limbo.empty() && (pins.empty() || *pins.begin() >= limbo.front().stamp)) {
    dispose(limbo.front().entry);
    limbo.pop_front();
  }
  if (!pins.empty()) return;
  for (const auto& [bytes, backings] : spare_heap)
    for (const MemoryBacking& backing : backings) free_backing(backing);
  spare_heap.clear();
}

MemoryBacking AddressSpace::State::take_spare(uint64_t size) {
  const auto found = spare_heap.find(heap_bytes(size));
  if (found == spare_heap.end() || found->second.empty()) return {};
  const MemoryBacking backing = found->second.back();
  found->second.pop_back();
  // Other kernels may still read these bytes through a dangling address.
  if (!backing.mapped) std::memset(backing.memory, 0, heap_bytes(size));
  return backing;
}

void AddressSpace::State::keep_spare(const MemoryEntry& entry) {
  const MemoryBacking& backing = entry.backing;
  if (backing.mapped) madvise(backing.memory, backing.mapped, MADV_DONTNEED);  // zeroes it
  spare_heap[heap_bytes(entry.range.size)].push_back(backing);
}

AddressSpace::AddressSpace() : state_(std::make_unique<State>()) {
  uint64_t size = 0;
  const uint64_t start = reserve_addresses(size);
  // Variables keep their alignment in the windows.
  window_ = round_up(start + PAGE, LARGEST_ALIGNMENT);
  state_->first = window_ + 3 * WINDOW + PAGE;
  state_->next = state_->first;
  state_->end = start + size;
}

AddressSpace::~AddressSpace() = default;

AddressSpace& AddressSpace::instance() {
  static AddressSpace* const space = new AddressSpace;
  return *space;
}

uint64_t AddressSpace::allocate(uint64_t size, uint64_t align, MemoryKind kind, int device,
                                uint64_t tag) {
  if (size == 0 || size > uint64_t{1} << 46 || kind == MemoryKind::REGISTERED) return 0;
  MemoryEntry entry;
  entry.range = {0, size, kind, device, tag, nullptr, false};
  if (is_host_addressed(kind)) {
    const uint64_t bytes = round_up(size, PAGE);
    entry.backing = {map_pages(bytes + PAGE), bytes + PAGE};
    if (!entry.backing.memory) return 0;
    mprotect(entry.backing.memory + bytes, PAGE, PROT_NONE);
    entry.range.base = reinterpret_cast<uint64_t>(entry.backing.memory);
    if (kind == MemoryKind::MANAGED && (enabled_checks() & CHECK_HOST))
      entry.inner = HostViews::instance().add(entry.backing.memory, bytes);
  } else if (kind == MemoryKind::HEAP) {
    align = DEVICE_ALIGN;
    std::unique_lock lock(state_->mutex);
    entry.backing = state_->take_spare(size);
    lock.unlock();
    if (!entry.backing.memory) entry.backing = make_heap_backing(size);
    if (!entry.backing.memory) return 0;
  } else {
    align = align < DEVICE_ALIGN ? DEVICE_ALIGN : align;
    entry.backing = make_backing(size, align);
    if (!entry.backing.memory) return 0;
  }
  entry.range.host = entry.inner ? entry.inner : entry.backing.memory;
  entry.made = origin_of_thread();
  if (kind == MemoryKind::DEVICE && (enabled_checks() & CHECK_INIT)) {
    entry.shadow = new Shadow(size);
    entry.shadow->track_initialisation();
  }
  std::unique_lock lock(state_->mutex);
  if (entry.range.base == 0) entry.range.base = state_->place(size, align);
  if (entry.range.base == 0) {
    delete entry.shadow;
    free_backing(entry.backing);
    return 0;
  }
  state_->insert(entry);
  return entry.range.base;
}

bool AddressSpace::register_host(void* memory, uint64_t size, int device, uint64_t tag) {
  const auto base = reinterpret_cast<uint64_t>(memory);
  std::unique_lock lock(state_->mutex);
  if (size == 0 || base == 0 || base + size < base || state_->overlaps(base, size)) return false;
  MemoryEntry entry;
  entry.range = {base, size, MemoryKind::REGISTERED, device, tag, static_cast<std::byte*>(memory),
                 false};
  entry.made = origin_of_thread();
  state_->insert(entry);
  return true;
}

bool AddressSpace::release(uint64_t address) {
  std::unique_lock lock(state_->mutex);
  auto it = state_->live.find(address);
  if (it == state_->live.end()) return false;
  const MemoryEntry entry = it->second;
  if (entry.range.kind == MemoryKind::MAPPED) state_->cover(entry);
  state_->live.erase(it);
  generation_.fetch_add(1, std::memory_order_release);
  auto& use = state_->uses[{entry.range.device, entry.range.kind}];
  use.bytes -= entry.range.size;
  use.allocations -= 1;
  state_->freed.add({entry.range.base, entry.range.size, entry.made, origin_of_thread()});
  if (entry.range.kind == MemoryKind::HEAP)
    state_->keep_spare(entry);
  else
    state_->limbo.push_back({++state_->clock, entry});
  state_->reap();
  return true;
}

void AddressSpace::set_read_only(uint64_t address, bool read_only) {
  std::unique_lock lock(state_->mutex);
  auto it = state_->live.find(address);
  if (it != state_->live.end()) it->second.range.read_only = read_only;
  generation_.fetch_add(1, std::memory_order_release);
}

void AddressSpace::set_constant(uint64_t address) {
  {
    std::unique_lock lock(state_->mutex);
    auto it = state_->live.find(address);
    if (it != state_->live.end()) it->second.range.constant = true;
  }
  set_read_only(address, true);
}

void AddressSpace::set_dormant(uint64_t address, bool dormant) {
  std::unique_lock lock(state_->mutex);
  auto it = state_->live.find(address);
  if (it != state_->live.end()) it->second.range.dormant = dormant;
  generation_.fetch_add(1, std::memory_order_release);
}

std::optional<Range> AddressSpace::find(uint64_t address) const {
  std::shared_lock lock(state_->mutex);
  auto it = state_->live.upper_bound(address);
  if (it == state_->live.begin()) return std::nullopt;
  --it;
  const Range& r = it->second.range;
  if (r.dormant || address - r.base >= r.size) return std::nullopt;
  return r;
}

void* AddressSpace::host(uint64_t address, uint64_t size, Access access) const {
  std::shared_lock lock(state_->mutex);
  return state_->bytes(address, size, access);
}

namespace {

std::string text_of(const char* format, uint64_t a, uint64_t b, uint64_t c) {
  char buffer[160];
  std::snprintf(buffer, sizeof buffer, format, static_cast<unsigned long long>(a),
                static_cast<unsigned long long>(b), static_cast<unsigned long long>(c));
  return buffer;
}

}  // namespace

std::string AddressSpace::describe(uint64_t address, uint64_t size) const {
  std::shared_lock lock(state_->mutex);
  // Near a live allocation, that one is meant; its addresses may have belonged to another one
  // earlier.
  const bool near_live =
      state_->overlaps(address < RED_ZONE ? 0 : address - RED_ZONE, RED_ZONE + size);
  if (const auto it = state_->reservation_of(address);
      it != state_->reserved.end() && !state_->overlaps(address, 1))
    return text_of("%llu bytes into the %llu-byte reservation at 0x%llx, where nothing is mapped",
                   address - it->first, it->second.size, it->first);
  const FreedMemory* freed = near_live ? nullptr : state_->freed.find(address);
  if (freed) {
    return text_of("%llu bytes into the %llu-byte allocation at 0x%llx that was freed",
                   address - freed->base, freed->size, freed->base);
  }
  // A small negative offset from null wraps to the end of the address space.
  if (address < PAGE || ~address < PAGE) return "near the null pointer";
  auto above = state_->live.upper_bound(address);
  const Range* below = above == state_->live.begin() ? nullptr : &std::prev(above)->second.range;
  if (below && below->dormant && address - below->base < below->size)
    return text_of(
        "%llu bytes into the %llu-byte memory of a graph at 0x%llx outside of its lifetime",
        address - below->base, below->size, below->base);
  if (below && address - below->base < below->size && size > below->size - (address - below->base))
    return text_of("across the end of the %llu-byte allocation at 0x%llx (offset %llu)",
                   below->size, below->base, address - below->base);
  if (below && address - below->base < below->size)
    return text_of("%llu bytes into the %llu-byte allocation at 0x%llx", address - below->base,
                   below->size, below->base);
  const uint64_t past = below ? address - (below->base + below->size) : ~uint64_t{0};
  const uint64_t before = above == state_->live.end() ? ~uint64_t{0} : above->first - address;
  if (past == ~uint64_t{0} && before == ~uint64_t{0}) return "and nothing is allocated";
  if (past > FAR && before > FAR)
    return "far from every allocation (copy host memory to the device first)";
  if (past <= before)
    return text_of("%llu bytes past the end of the %llu-byte allocation at 0x%llx", past,
                   below->size, below->base);
  return text_of("%llu bytes before the %llu-byte allocation at 0x%llx", before,
                 above->second.range.size, above->first);
}

// The allocation is the one that describe() names.
std::optional<MemoryHistory> AddressSpace::history(uint64_t address) const {
  std::shared_lock lock(state_->mutex);
  const auto above = state_->live.upper_bound(address);
  const MemoryEntry* nearest = nullptr;
  uint64_t distance = FAR + 1;
  if (above != state_->live.begin()) {
    nearest = &std::prev(above)->second;
    const uint64_t offset = address - nearest->range.base;
    distance = offset < nearest->range.size ? 0 : offset - nearest->range.size;
  }
  if (distance >= RED_ZONE)
    if (const FreedMemory* freed = state_->freed.find(address))
      return MemoryHistory{freed->base, freed->size, true, freed->made, freed->ended};
  if (above != state_->live.end() && above->first - address < distance) {
    nearest = &above->second;
    distance = above->first - address;
  }
  if (!nearest || distance > FAR) return std::nullopt;
  return MemoryHistory{nearest->range.base, nearest->range.size, false, nearest->made, {}};
}

std::optional<MemoryHistory> AddressSpace::freed_at(uint64_t address) const {
  std::shared_lock lock(state_->mutex);
  const FreedMemory* freed = state_->freed.find(address);
  if (!freed || freed->base != address) return std::nullopt;
  return MemoryHistory{freed->base, freed->size, true, freed->made, freed->ended};
}

Shadow* AddressSpace::shadow(uint64_t address, Range& range) {
  std::unique_lock lock(state_->mutex);
  auto it = state_->live.upper_bound(address);
  if (it == state_->live.begin()) return nullptr;
  MemoryEntry& entry = std::prev(it)->second;
  range = entry.range;
  if (address - range.base >= range.size || range.kind == MemoryKind::HEAP) return nullptr;
  if (range.kind == MemoryKind::MAPPED) return entry.shared->shadow();
  if (!entry.shadow) entry.shadow = new Shadow(range.size);
  return entry.shadow;
}

void AddressSpace::clear_race_shadows() {
  std::unique_lock lock(state_->mutex);
  for (auto& [base, entry] : state_->live) {
    if (entry.shadow) entry.shadow->clear_cells();
    if (entry.range.kind == MemoryKind::MAPPED) entry.shared->shadow()->clear_cells();
  }
}

void AddressSpace::forget_accesses() {
  std::unique_lock lock(state_->mutex);
  for (auto& [base, entry] : state_->live) {
    if (!entry.shadow) continue;
    entry.shadow->clear_cells();
    entry.shadow->set_initialised(0, entry.range.size);
  }
}

// The loader frees other thread-locals of a library that was opened late while threads run, and the
// leak sanitizer cannot read them. With this model, they are a part of the thread.
Origin& origin_of_thread() {
  [[gnu::tls_model("initial-exec")]] thread_local Origin origin;
  return origin;
}

std::string Origin::text() const {
  return call ? "call " + std::to_string(number) + " of " + call : "";
}

MemoryUse AddressSpace::use(int device, MemoryKind kind) const {
  std::shared_lock lock(state_->mutex);
  auto it = state_->uses.find({device, kind});
  return it == state_->uses.end() ? MemoryUse{} : it->second;
}

void AddressSpace::for_each(const std::function<void(const Range&)>& visit) const {
  std::shared_lock lock(state_->mutex);
  for (const auto& [base, entry] : state_->live) visit(entry.range);
}

AddressSpace::Pin::Pin() {
  auto& state = *AddressSpace::instance().state_;
  std::unique_lock lock(state.mutex);
  ticket_ = ++state.clock;
  state.pins.insert(ticket_);
}

AddressSpace::Pin::~Pin() {
  auto& state = *AddressSpace::instance().state_;
  std::unique_lock lock(state.mutex);
  state.pins.erase(state.pins.find(ticket_));
  if (state.pins.empty()) state.unpinned.notify_all();
  state.reap();
}

}  // namespace cucore::cpu
