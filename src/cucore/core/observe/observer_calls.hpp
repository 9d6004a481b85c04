// SPDX-License-Identifier: Apache-2.0
// The calls of the observers of one operation, at its begin and at its end.
#pragma once

#include <cucore.h>

#include <array>
#include <bit>
#include <new>

#include "core/observe/observer_place.hpp"
#include "core/observe/observing_thread.hpp"
#include "support/error.hpp"

namespace cucore::core {

class ObserverCalls {
 public:
  // Finds the observers that are there now, before the operation is described.
  ObserverCalls() noexcept : thread_(observing_thread) {
    if (thread_.calling || !thread_.has_record()) return;
    const uint32_t places = observed_places.load(std::memory_order_acquire);
    if ((places & (places - 1)) != 0) [[unlikely]]
      find_several(places);
    else if (places != 0)
      find(places);
  }
  ObserverCalls(const ObserverCalls&) = delete;
  ObserverCalls& operator=(const ObserverCalls&) = delete;

  bool are_needed() const noexcept { return count_ != 0; }
  void cancel() noexcept { count_ = 0; }

  // Sets the sequence of the operation, and calls those that observe its kind.
  void begin(cucore_operation& operation) noexcept {
    operation.sequence = thread_.next_sequence();
    size_t begun = 0;
    for (size_t i = 0; i < count_; ++i) {
      Observed& one = observed_[i];
      if (one.place->begin(thread_, one.number, operation, &one.state)) observed_[begun++] = one;
    }
    count_ = begun;
  }
  // The same for a launch, for which an observer may set a tally.
  void begin_launch(cucore_operation& operation, const Device& device) noexcept {
    const BeginningLaunch launch{operation, device};
    thread_.launch = &launch;
    begin(operation);
    thread_.launch = nullptr;
  }
  // Calls them in the other order.
  void end(const cucore_operation& operation) noexcept {
    if (count_ == 0 || !thread_.has_record()) return;
    while (count_ != 0) {
      Observed& one = observed_[--count_];
      one.place->end(thread_, one.number, operation, &one.state);
    }
  }

 private:
  struct Observed {
    uint64_t number;
    ObserverPlace* place;
    void* state;
  };
  // Finds that of the first place.
  void find(uint32_t places) noexcept {
    ObserverPlace& place = observer_places[static_cast<size_t>(std::countr_zero(places))];
    if (const uint64_t number = place.number()) observed_[count_++] = {number, &place, nullptr};
  }
  void find_several(uint32_t places) noexcept;

  ObservingThread& thread_;
  size_t count_ = 0;
  std::array<Observed, OBSERVERS> observed_;
};

// Runs `act`, and passes its status to `end` before it returns or throws.
template <class Act, class End>
void run_observed(Act&& act, End&& end) {
  try {
    act();
  } catch (const Error& error) {
    end(error.status());
    throw;
  } catch (const std::bad_alloc&) {
    end(Status::OUT_OF_MEMORY);
    throw;
  } catch (...) {
    end(Status::INTERNAL);
    throw;
  }
  end(Status{});
}

}  // namespace cucore::core
