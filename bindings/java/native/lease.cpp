// The table of slots behind leases.
#include "lease.hpp"

#include <array>
#include <bit>

namespace cucore::java {

// The state is the generation, and below it how many use the object: its owner and calls inside.
struct alignas(64) Slot {
  std::atomic<uint64_t> state{uint64_t{1} << 32};
  void* object = nullptr;
  Release release = nullptr;
  uint32_t index = 0;
  Slot* next_free = nullptr;
};

namespace {

constexpr uint64_t GENERATION = uint64_t{1} << 32;
constexpr uint32_t FIRST_LEVEL = 64;

constexpr uint32_t generation_of(uint64_t state) { return static_cast<uint32_t>(state >> 32); }
constexpr uint32_t users_of(uint64_t state) { return static_cast<uint32_t>(state); }

// Each level is twice as large as the one before; none is ever given back.
class Slots {
 public:
  Slot* at(uint32_t index) const {
    const uint32_t place = index + FIRST_LEVEL;
    if (place < FIRST_LEVEL) return nullptr;  // no index: it wrapped
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

}  // namespace

int64_t Lease::open(void* object, Release release) {
  if (!object) return 0;
  Slot* slot = slots.take();
  slot->object = object;
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
  while (!slot->state.compare_exchange_weak(state, state + GENERATION, std::memory_order_acq_rel));
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

void* Use::object() const { return slot_ ? slot_->object : nullptr; }

Use::~Use() {
  if (slot_) leave(slot_);
}

}  // namespace cucore::java
