// SPDX-License-Identifier: Apache-2.0
// The tables of segments and operations.
#include "cpu/checks/segments.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

constexpr uint32_t KEPT_SEGMENTS = 1u << 20;
constexpr uint32_t KEPT_OPERATIONS = 1024;
constexpr uint32_t END_OF_IDS = (1u << 25) - 2 * Segments::CHUNK;
constexpr uint32_t RESTART = END_OF_IDS / 2;  // ids begin again if no operation runs

}  // namespace

struct SegmentEntry {
  std::atomic<uint32_t> id, operation, block, warp, released;
};

bool StreamWork::after(const StreamWork& other) const {
  if (other.number == number || !before || other.position == 0) return true;
  return other.stream < before->size() && other.position <= (*before)[other.stream];
}

void StreamWork::note_record(uint32_t id) const {
  uint32_t first = first_joined.load();
  while (id < first && !first_joined.compare_exchange_weak(first, id)) {
  }
}

struct Segments::State {
  mutable std::mutex mutex;
  std::shared_ptr<const StreamWork> operations[KEPT_OPERATIONS];
  std::set<uint32_t> running;  // numbers
  uint32_t last = 0;
  SegmentEntry* entries = nullptr;
};

Segments::Segments() : state_(std::make_unique<State>()) {
  void* p = mmap(nullptr, sizeof(SegmentEntry) * KEPT_SEGMENTS, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return;
  // The first operations fill the table. With small pages, their faults would double the cost.
  madvise(p, sizeof(SegmentEntry) * KEPT_SEGMENTS, MADV_HUGEPAGE);
  state_->entries = static_cast<SegmentEntry*>(p);
}

Segments& Segments::instance() {
  static Segments* const segments = new Segments;  // never destroyed
  return *segments;
}

void Segments::begin(const std::shared_ptr<StreamWork>& operation) {
  std::lock_guard lock(state_->mutex);
  if (state_->running.empty() && next_.load() > RESTART) {
    AddressSpace::instance().clear_race_shadows();
    for (auto& kept : state_->operations) kept = nullptr;
    if (state_->entries)
      madvise(state_->entries, sizeof(SegmentEntry) * KEPT_SEGMENTS, MADV_DONTNEED);
    next_.store(1);
  }
  operation->number = ++state_->last;
  if (operation->number == 0) operation->number = ++state_->last;
  operation->first_segment = operation->floor = next_.load();
  for (const auto& other : state_->operations)
    if (other && !operation->after(*other))
      operation->floor =
          std::min({operation->floor, other->first_segment, other->first_joined.load()});
  state_->operations[operation->number % KEPT_OPERATIONS] = operation;
  operation->is_alone = state_->running.empty();
  latest_.store(operation->number);
  state_->running.insert(operation->number);
}

// Ids that were taken before another operation has begun are not of that one.
uint32_t Segments::end_of_alone(const StreamWork& operation) const {
  const uint32_t end = next_.load();
  const bool is_alone = operation.is_alone && latest_.load() == operation.number;
  return is_alone ? end : operation.first_segment;
}

void Segments::end(const StreamWork& operation) {
  std::lock_guard lock(state_->mutex);
  state_->running.erase(operation.number);
}

std::shared_ptr<const StreamWork> Segments::operation(uint32_t number) const {
  std::lock_guard lock(state_->mutex);
  const auto& found = state_->operations[number % KEPT_OPERATIONS];
  return found && found->number == number ? found : nullptr;
}

uint32_t Segments::take_chunk() {
  if (!state_->entries) return 0;
  const uint32_t first = next_.fetch_add(CHUNK, std::memory_order_relaxed);
  if (first < END_OF_IDS) return first;
  next_.store(END_OF_IDS, std::memory_order_relaxed);
  return 0;
}

void Segments::name(uint32_t id, uint32_t operation, uint32_t block, uint32_t warp) {
  constexpr uint32_t AHEAD = 8;  // a worker names one id after the other
  __builtin_prefetch(&state_->entries[(id + AHEAD) % KEPT_SEGMENTS], 1);
  SegmentEntry& e = state_->entries[id % KEPT_SEGMENTS];
  e.id.store(0, std::memory_order_release);  // until then, readers find no entry
  e.operation.store(operation, std::memory_order_relaxed);
  e.block.store(block, std::memory_order_relaxed);
  e.warp.store(warp, std::memory_order_relaxed);
  e.released.store(0, std::memory_order_relaxed);
  e.id.store(id, std::memory_order_release);
}

bool Segments::find(uint32_t id, Segment& segment) const {
  if (!state_->entries) return false;
  const SegmentEntry& e = state_->entries[id % KEPT_SEGMENTS];
  if (id == 0 || e.id.load(std::memory_order_acquire) != id) return false;
  segment = {e.operation.load(std::memory_order_relaxed), e.block.load(std::memory_order_relaxed),
             e.warp.load(std::memory_order_relaxed), e.released.load(std::memory_order_acquire)};
  return e.id.load(std::memory_order_acquire) == id;
}

void Segments::release(uint32_t id, uint32_t tick) {
  SegmentEntry& e = state_->entries[id % KEPT_SEGMENTS];
  if (e.id.load(std::memory_order_acquire) == id) e.released.store(tick, std::memory_order_release);
}

}  // namespace cucore::cpu
