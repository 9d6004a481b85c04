// SPDX-License-Identifier: Apache-2.0
#include "core/observe/observer.hpp"

#include "core/observe/observed_kinds.hpp"
#include "core/observe/observer_place.hpp"
#include "core/observe/observing_thread.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::core {

constinit std::array<ObserverPlace, OBSERVERS> observer_places;

namespace {

constinit std::mutex changing;  // guards the kinds and the last number
constinit uint64_t last_number = 0;
constinit std::atomic<const OperationHandles*> handles_of_operations{nullptr};

}  // namespace

const OperationHandles& operation_handles() noexcept {
  return *handles_of_operations.load(std::memory_order_acquire);
}

namespace {

void update_kinds() noexcept {
  const std::lock_guard lock(changing);  // until the handles are forgotten
  uint32_t kinds = 0, places = 0;
  size_t of_launches = 0;
  const ObserverPlace* of_launch = nullptr;
  for (size_t i = 0; i < OBSERVERS; ++i) {
    const uint32_t more = observer_places[i].kinds();
    kinds |= more;
    if (more & CUCORE_OPERATION_LAUNCH) {
      ++of_launches;
      of_launch = &observer_places[i];
    }
    if (more != 0) places |= uint32_t{1} << i;
  }
  observed_places.store(places, std::memory_order_release);
  const bool is_alone = of_launches == 1;
  if (is_alone && observed.launch_place.load() != of_launch) {
    observed.launch_observer.store(0);  // so that no thread reads this place with another number
    observed.launch_place.store(of_launch);
  }
  // Before the records are read.
  observed.launch_observer.store(is_alone ? of_launch->number() : 0);
  observed.kinds.store(kinds, std::memory_order_release);
  if (kinds == 0) operation_handles().forget();
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

bool ObserverPlace::reserve(uint64_t number) noexcept {
  const std::lock_guard lock(mutex_);
  if (number_ != 0) return false;
  number_ = number;
  callbacks_ = {};
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

void ObserverPlace::vacate() noexcept {
  active_number_.store(0);  // before the records are read
  update_kinds();
  ObservingThread& thread = observing_thread;
  if (thread.calling == this) {
    thread.vacated = this;
    return;
  }
  wait_for_calls(*this);
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
