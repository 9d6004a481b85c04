// SPDX-License-Identifier: Apache-2.0
#include "core/observe/observer.hpp"

#include "core/observe/observed_kinds.hpp"
#include "core/observe/observer_place.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::core {

constinit std::array<ObserverPlace, OBSERVERS> observer_places;

namespace {

constinit std::mutex changing;  // guards the kinds and the last number
constinit uint64_t last_number = 0;
constinit std::atomic<const OperationHandles*> handles_of_operations{nullptr};

// The observer whose call this thread is in.
constinit thread_local const ObserverPlace* calling = nullptr;

void update_kinds() noexcept {
  const std::lock_guard lock(changing);
  uint32_t kinds = 0;
  for (const ObserverPlace& place : observer_places) kinds |= place.kinds();
  observed_kinds.store(kinds, std::memory_order_release);
}

ObserverPlace& reserve_place() {
  const std::lock_guard lock(changing);
  for (ObserverPlace& place : observer_places)
    if (place.reserve(last_number + 1)) {
      ++last_number;
      return place;
    }
  throw Error(Status::INVALID_STATE,
              concat("the process has ", OBSERVERS, " observers; release one before the next"));
}

}  // namespace

const OperationHandles& operation_handles() noexcept {
  return *handles_of_operations.load(std::memory_order_acquire);
}

bool ObserverPlace::reserve(uint64_t number) noexcept {
  const std::lock_guard lock(mutex_);
  if (number_ != 0) return false;
  number_ = number;
  callbacks_ = {};
  is_left_ = false;
  return true;
}

void ObserverPlace::activate(const ObserverCallbacks& callbacks) noexcept {
  const std::lock_guard lock(mutex_);
  callbacks_ = callbacks;
  active_number_.store(number_, std::memory_order_release);
}

uint32_t ObserverPlace::kinds() const noexcept {
  const std::lock_guard lock(mutex_);
  return number() != 0 ? callbacks_.kinds : 0;
}

bool ObserverPlace::is_in_call() noexcept { return calling != nullptr; }

bool ObserverPlace::enter(uint64_t wanted, uint32_t kind) noexcept {
  const std::lock_guard lock(mutex_);
  if (number() != wanted || !(callbacks_.kinds & kind)) return false;
  running_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void ObserverPlace::leave() noexcept {
  bool frees = false;
  {
    const std::lock_guard lock(mutex_);
    frees = running_.fetch_sub(1, std::memory_order_acq_rel) == 1 && is_left_;
  }
  running_.notify_all();
  if (frees) free_place();
}

// An exception of the function must not reach the operation.
void ObserverPlace::call(cucore_observe_fn fn, const cucore_operation& operation,
                         void** state) noexcept {
  if (!fn) return;
  calling = this;
  try {
    fn(&operation, state, callbacks_.user_data);
  } catch (...) {
  }
  calling = nullptr;
}

bool ObserverPlace::begin(uint64_t wanted, const cucore_operation& operation,
                          void** state) noexcept {
  if (!enter(wanted, static_cast<uint32_t>(operation.kind))) return false;
  call(callbacks_.begin, operation, state);
  leave();
  return true;
}

void ObserverPlace::end(uint64_t wanted, const cucore_operation& operation, void** state) noexcept {
  if (!enter(wanted, static_cast<uint32_t>(operation.kind))) return;
  call(callbacks_.end, operation, state);
  leave();
}

void ObserverPlace::vacate() noexcept {
  const bool is_own = calling == this;
  {
    const std::lock_guard lock(mutex_);
    active_number_.store(0, std::memory_order_release);
    is_left_ = is_own;
  }
  update_kinds();
  if (is_own) return;
  while (const uint32_t running = running_.load(std::memory_order_acquire))
    running_.wait(running, std::memory_order_acquire);
  free_place();
}

// The function may create another observer, which gets another place.
void ObserverPlace::free_place() noexcept {
  if (callbacks_.destroy) {
    try {
      callbacks_.destroy(callbacks_.user_data);
    } catch (...) {
    }
  }
  const std::lock_guard lock(mutex_);
  number_ = 0;
}

Observer::Observer() : place_(reserve_place()) {}

Ref<Observer> Observer::create() { return make<Observer>(); }

void Observer::activate(const ObserverCallbacks& callbacks,
                        const OperationHandles& handles) noexcept {
  handles_of_operations.store(&handles, std::memory_order_release);
  place_.activate(callbacks);
  update_kinds();
}

Observer::~Observer() { place_.vacate(); }

}  // namespace cucore::core
