// SPDX-License-Identifier: Apache-2.0
// Slots, generations and the free list behind the handles.
#include "cpu/driver/registry.hpp"

#include <mutex>

namespace cucore::cpu {
namespace {
// Lies above every address of a process, so that a use of a handle as a pointer faults immediately.
constexpr uint64_t TAG = uint64_t{0x00cc} << 48;
constexpr uint32_t MAX_SLOTS = 1u << 20;

constexpr uint64_t compose(uint32_t generation, uint32_t index, ObjectKind kind) {
  return TAG | uint64_t{generation & 0xfffff} << 28 | uint64_t{index} << 8 |
         static_cast<uint64_t>(kind) << 3;
}
constexpr uint32_t index_of(uint64_t handle) { return handle >> 8 & 0xfffff; }
constexpr ObjectKind kind_of(uint64_t handle) { return static_cast<ObjectKind>(handle >> 3 & 31); }
static_assert(OBJECT_KINDS <= 32);
}  // namespace

Registry& Registry::instance() {
  static Registry& registry = *new Registry;  // never destroyed
  return registry;
}

uint64_t Registry::add(ObjectKind kind, std::shared_ptr<Object> object) {
  std::unique_lock lock(mutex_);
  if (free_.empty()) {
    require(slots_.size() < MAX_SLOTS, CUDA_ERROR_OUT_OF_MEMORY);
    slots_.emplace_back();
    free_.push_back(static_cast<uint32_t>(slots_.size() - 1));
  }
  uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  slot.handle = compose(++slot.generation, index, kind);
  object->handle_ = slot.handle;
  slot.object = std::move(object);
  slot.number = ++made_;
  slot.origin = origin_of_thread();
  ++live_[static_cast<size_t>(kind)];
  return slot.handle;
}

std::shared_ptr<Object> Registry::find(ObjectKind kind, uint64_t handle) const {
  std::shared_lock lock(mutex_);
  uint32_t index = index_of(handle);
  if (index >= slots_.size() || handle == 0 || kind_of(handle) != kind) return nullptr;
  return slots_[index].handle == handle ? slots_[index].object : nullptr;
}

std::shared_ptr<Object> Registry::remove(ObjectKind kind, uint64_t handle) {
  std::unique_lock lock(mutex_);
  uint32_t index = index_of(handle);
  if (index >= slots_.size() || handle == 0 || kind_of(handle) != kind) return nullptr;
  Slot& slot = slots_[index];
  if (slot.handle != handle) return nullptr;
  slot.handle = 0;
  free_.push_back(index);
  --live_[static_cast<size_t>(kind)];
  return std::move(slot.object);
}

std::array<uint64_t, OBJECT_KINDS> Registry::live() const {
  std::shared_lock lock(mutex_);
  return live_;
}

bool Registry::keep(uint64_t handle) {
  std::unique_lock lock(mutex_);
  const uint32_t index = index_of(handle);
  if (handle == 0 || index >= slots_.size() || slots_[index].handle != handle) return false;
  slots_[index].number = 0;
  return true;
}

void Registry::renew(uint64_t handle) {
  std::unique_lock lock(mutex_);
  const uint32_t index = index_of(handle);
  if (handle == 0 || index >= slots_.size() || slots_[index].handle != handle) return;
  slots_[index].number = ++made_;
  slots_[index].origin = origin_of_thread();
}

uint64_t Registry::made() const {
  std::shared_lock lock(mutex_);
  return made_;
}

std::vector<Registry::Made> Registry::made_after(uint64_t mark) const {
  std::shared_lock lock(mutex_);
  std::vector<Made> found;
  for (const Slot& slot : slots_)
    if (slot.handle && slot.number > mark)
      found.push_back({kind_of(slot.handle), slot.handle, slot.origin});
  return found;
}

std::vector<std::shared_ptr<Object>> Registry::all(ObjectKind kind) const {
  std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<Object>> found;
  for (const Slot& slot : slots_)
    if (slot.handle && kind_of(slot.handle) == kind) found.push_back(slot.object);
  return found;
}

}  // namespace cucore::cpu
