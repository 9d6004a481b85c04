// SPDX-License-Identifier: Apache-2.0
#include "support/handle.hpp"

#include <pthread.h>

#include <algorithm>

#include "support/concat.hpp"

namespace cucore {
namespace {

constinit std::atomic<HandlePool*> pools_in_use{nullptr};
constinit HandlePool* locked_for_fork = nullptr;  // the first locked pool

bool has_mark(const HandleHead& head) {
  return static_cast<uint32_t>(head.type) >> 16 == HANDLE_MARK;
}

}  // namespace

std::string describe_handle(const HandleHead* head) {
  if (!has_mark(*head)) return "not a handle";
  const bool released = head->references.load(std::memory_order_acquire) == 0;
  const char* name = *head->name ? head->name : "handle";
  return concat(released ? "a released " : "a ", name);
}

void HandlePool::lock_all() {
  locked_for_fork = pools_in_use.load();
  for (HandlePool* pool = locked_for_fork; pool; pool = pool->next_pool_) pool->mutex_.lock();
}

void HandlePool::unlock_all() {
  for (HandlePool* pool = locked_for_fork; pool; pool = pool->next_pool_) pool->mutex_.unlock();
}

// Runs once, with the mutex held.
void HandlePool::watch_forks() {
  static const int watched = pthread_atfork(&lock_all, &unlock_all, &unlock_all);
  (void)watched;
  next_pool_ = pools_in_use.load();
  while (!pools_in_use.compare_exchange_weak(next_pool_, this)) {
  }
}

void HandlePool::grow() {
  // Only its heads refer to a slab, which lives until the process ends.
  auto* slab = new HandleHead[slab_size_];
  if (live_ == 0 && free_ == 0) watch_forks();  // last, because it must not be repeated
  for (size_t i = 0; i < slab_size_; ++i) {
    slab[i].type = type_;
    slab[i].name = name_;
    slab[i].next_free = first_free_;
    first_free_ = &slab[i];
    if (!last_free_) last_free_ = &slab[i];
  }
  free_ += slab_size_;
  slab_size_ = std::min<size_t>(slab_size_ * 2, 4096);
}

HandleHead* HandlePool::take_slot() {
  // New heads go to the front and released ones to the back. With more than QUARANTINE free heads,
  // the one at the front is new or has waited for that many releases.
  const bool front_is_new = first_free_ && !first_free_->object;
  if (!front_is_new && free_ <= QUARANTINE) grow();
  HandleHead* head = first_free_;
  first_free_ = head->next_free;
  if (!first_free_) last_free_ = nullptr;
  --free_;
  return head;
}

HandleHead* HandlePool::wrap(const Object* object) {
  std::lock_guard lock(mutex_);
  if (HandleHead* head = object->handle_) {
    head->references.fetch_add(1, std::memory_order_relaxed);
    return head;
  }
  HandleHead* head = take_slot();
  object->add_reference();
  object->handle_ = head;
  head->mark.clear();
  head->object.store(const_cast<Object*>(object), std::memory_order_release);
  head->next_free = nullptr;
  head->references.store(1, std::memory_order_release);
  ++live_;
  return head;
}

// The last release happens with the mutex held, because wrap() may add a reference at the same
// time.
void HandlePool::release_last(HandleHead* head) noexcept {
  Object* object = nullptr;
  {
    std::lock_guard lock(mutex_);
    uint32_t count = head->references.load(std::memory_order_relaxed);
    while (count != 0 &&
           !head->references.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel)) {
    }
    if (count != 1) return;
    object = head->object.load();  // stays in the head, which marks it as used before
    object->handle_ = nullptr;
    head->next_free = nullptr;
    (last_free_ ? last_free_->next_free : first_free_) = head;
    last_free_ = head;
    ++free_;
    --live_;
  }
  if (const Drop drop = drop_.load(std::memory_order_acquire)) [[unlikely]]
    return drop(object);
  object->drop_reference();
}

size_t HandlePool::live() const noexcept {
  std::lock_guard lock(mutex_);
  return live_;
}

}  // namespace cucore
