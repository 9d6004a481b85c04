// SPDX-License-Identifier: Apache-2.0
// The table of slots behind leases.
#include "lease.hpp"

#include <array>
#include <bit>

namespace cucore::java {

// The state is the generation, and in its low bits the number of users: the owner and the calls
// inside.
struct alignas(64) Slot {
  std::atomic<uint64_t> state{uint64_t{1} << 32};
  std::atomic<void*> object{nullptr};  // read before the lease is known to be open
  Release release = nullptr;
  uint32_t index = 0;
  Slot* next_free = nullptr;
};

namespace {

constexpr uint64_t GENERATION = uint64_t{1} << 32;
constexpr uint32_t FIRST_LEVEL = 64;

constexpr uint32_t generation_of(uint64_t state) { return static_cast<uint32_t>(state >> 32); }
constexpr uint32_t users_of(uint64_t state) { return static_cast<uint32_t>(state); }

// Each level is twice as large as the former one; none is ever freed.
class Slots {
 public:
  Slot* at(uint32_t index) const {
    const uint32_t place = index + FIRST_LEVEL;
    if (place < FIRST_LEVEL) return nullptr;  // not an index: it wrapped
    const int level = std::bit_width(place) - std::bit_width(FIRST_LEVEL);
    Slot* slots = levels_[level].load(std::memory_order_acquire);
    return slots ? slots + (place - (FIRST_LEVEL << level)) : nullptr;
  }

  Slot* take() {
    const std::lock_guard lock(mutex_);
    if (!free_) grow();
    Slot* slot = free_;
    free_ = slot->next_free;
    return slot;
  }

  void give_back(Slot* slot) {
    const std::lock_guard lock(mutex_);
    slot->next_free = free_;
    free_ = slot;
  }

 private:
  void grow() {
    const uint32_t size = FIRST_LEVEL << grown_;
    auto* slots = new Slot[size];
    for (uint32_t i = size; i-- > 0;) {
      slots[i].index = size - FIRST_LEVEL + i;
      slots[i].next_free = free_;
      free_ = &slots[i];
    }
    levels_[grown_++].store(slots, std::memory_order_release);
  }

  std::array<std::atomic<Slot*>, 26> levels_{};
  std::mutex mutex_;
  Slot* free_ = nullptr;
  uint32_t grown_ = 0;
};

constinit Slots slots;

void leave(Slot* slot) {
  if (users_of(slot->state.fetch_sub(1, std::memory_order_acq_rel)) != 1) return;
  slot->release(slot->object);
  slots.give_back(slot);
}

bool is_open(const Slot& slot, int64_t lease) {
  const uint64_t state = slot.state.load();
  return generation_of(state) == generation_of(static_cast<uint64_t>(lease)) &&
         users_of(state) != 0;
}

}  // namespace

// A call stores its slots, then ACTIVE, then checks the generations. A close changes the
// generation, then reads the state, so one of the two sees the other. A close that finds its slot
// in an active record leaves one use of the object to that record. The call releases it at its end.
struct alignas(64) UseRecord {
  enum State : uint32_t { IDLE, ACTIVE, OWES };
  static constexpr size_t SLOTS = 16;

  bool names(const Slot* slot) const {
    for (const auto& each : slots)
      if (each.load(std::memory_order_acquire) == slot) return true;  // possibly of an earlier call
    return false;
  }

  std::atomic<uint32_t> state{IDLE};
  std::array<std::atomic<Slot*>, SLOTS> slots{};
  std::vector<Slot*> owed;  // under the mutex of the records
  UseRecord* next_free = nullptr;
};

namespace {

class UseRecords {
 public:
  UseRecord* take() {
    const std::lock_guard lock(mutex_);
    if (UseRecord* record = free_) {
      free_ = record->next_free;
      return record;
    }
    const size_t count = count_.load(std::memory_order_relaxed);
    if (count == all_.size()) return nullptr;
    all_[count] = new UseRecord;  // never freed, because a close may be reading it
    count_.store(count + 1);
    return all_[count];
  }

  void give_back(UseRecord* record) {
    const std::lock_guard lock(mutex_);
    record->next_free = free_;
    free_ = record;
  }

  // For a close, which still has its own use of the object.
  void leave_to_calls(Slot* slot) {
    const size_t count = count_.load();
    for (size_t i = 0; i < count; ++i)
      if (all_[i]->state.load() != UseRecord::IDLE && all_[i]->names(slot))
        leave_to(*all_[i], slot);
  }

  void settle(UseRecord& record) {
    std::vector<Slot*> owed;
    {
      const std::lock_guard lock(mutex_);
      owed.swap(record.owed);
    }
    for (Slot* slot : owed) leave(slot);
  }

 private:
  void leave_to(UseRecord& record, Slot* slot) {
    const std::lock_guard lock(mutex_);
    record.owed.push_back(slot);
    slot->state.fetch_add(1, std::memory_order_relaxed);
    uint32_t state = record.state.load();
    while (state != UseRecord::IDLE)
      if (record.state.compare_exchange_weak(state, UseRecord::OWES)) return;
    record.owed.pop_back();  // the call has ended
    slot->state.fetch_sub(1, std::memory_order_relaxed);
  }

  std::mutex mutex_;
  std::array<UseRecord*, 256> all_{};
  std::atomic<size_t> count_{0};
  UseRecord* free_ = nullptr;
};

constinit UseRecords records;

}  // namespace

UseRecord* open_record() { return records.take(); }

void close_record(UseRecord* record) {
  if (record) records.give_back(record);
}

void* Uses::add(int64_t lease) {
  if (count_ < FEW)
    few_[count_] = lease;
  else
    more_.push_back(lease);
  Slot* slot = slots.at(static_cast<uint32_t>(lease));
  if (record_ && count_ < UseRecord::SLOTS)
    record_->slots[count_].store(slot, std::memory_order_release);  // after the former call
  ++count_;
  return slot ? slot->object.load(std::memory_order_relaxed) : nullptr;
}

size_t Uses::begin() {
  if (!record_ || count_ > UseRecord::SLOTS) return enter_each();
  record_->state.exchange(UseRecord::ACTIVE);
  begun_ = true;
  for (size_t i = 0; i < count_; ++i) {
    const Slot* slot = slots.at(static_cast<uint32_t>(few_[i]));
    if (!slot || !is_open(*slot, few_[i])) return i;
  }
  return NONE;
}

size_t Uses::enter_each() {
  for (size_t i = 0; i < count_; ++i)
    if (!each_.emplace_front().enter(lease(i))) return i;
  return NONE;
}

Uses::~Uses() {
  if (begun_ && record_->state.exchange(UseRecord::IDLE) == UseRecord::OWES)
    records.settle(*record_);
}

int64_t Lease::open(void* object, Release release) {
  if (!object) return 0;
  Slot* slot = slots.take();
  slot->object.store(object, std::memory_order_relaxed);
  slot->release = release;
  const uint64_t state = slot->state.fetch_add(1, std::memory_order_release);
  return static_cast<int64_t>(uint64_t{generation_of(state)} << 32 | slot->index);
}

bool Lease::close(int64_t lease) {
  Slot* slot = slots.at(static_cast<uint32_t>(lease));
  if (!slot) return false;
  uint64_t state = slot->state.load(std::memory_order_relaxed);
  do
    if (generation_of(state) != generation_of(lease) || users_of(state) == 0) return false;
  while (!slot->state.compare_exchange_weak(state, state + GENERATION));
  records.leave_to_calls(slot);
  leave(slot);
  return true;
}

bool Use::enter(int64_t lease) {
  Slot* slot = slots.at(static_cast<uint32_t>(lease));
  if (!slot) return false;
  uint64_t state = slot->state.load(std::memory_order_relaxed);
  do
    if (generation_of(state) != generation_of(lease) || users_of(state) == 0) return false;
  while (!slot->state.compare_exchange_weak(state, state + 1, std::memory_order_acquire));
  slot_ = slot;
  return true;
}

void* Use::object() const {
  return slot_ ? slot_->object.load(std::memory_order_relaxed) : nullptr;
}

void Use::leave() { java::leave(slot_); }

}  // namespace cucore::java
