// SPDX-License-Identifier: Apache-2.0
// The memory of a thread for its calls of observers. Threads share nothing while they call, so that
// they do not slow each other down.
#pragma once

#include <cucore.h>

#include <atomic>
#include <cstdint>

namespace cucore::core {

class Device;
class LaunchTallies;
class ObserverPlace;

// The place of the call that a thread is in. Records are never freed; a thread that ends leaves its
// record to another one.
struct alignas(64) CallRecord {
  std::atomic<const ObserverPlace*> place{nullptr};  // null: in no call
  std::atomic<bool> is_taken{true};
  CallRecord* next = nullptr;
  LaunchTallies* tallies = nullptr;  // made with the first one, and kept for the next thread
};

// A launch whose observer is called, and may set a tally.
struct BeginningLaunch {
  const cucore_operation& operation;
  const Device& device;
};

struct alignas(64) ObservingThread {
  static constexpr uint64_t NO_OBSERVER = UINT64_MAX;

  CallRecord* record = nullptr;
  LaunchTallies* tallies = nullptr;          // null without a tally
  uint64_t tallies_of = NO_OBSERVER;         // the number of the observer that has set them
  const ObserverPlace* calling = nullptr;    // null: in no call
  ObserverPlace* vacated = nullptr;          // by the call that the thread is in
  const BeginningLaunch* launch = nullptr;   // null: none
  uint64_t sequence = 0, last_sequence = 0;  // of its operations

  // Returns false if no memory is left for a record.
  bool has_record() noexcept { return record || take_record(); }
  bool take_record() noexcept;
  // Returns false if no memory is left for tallies. Those of another observer are removed.
  bool has_tallies_of(uint64_t observer) noexcept {
    return tallies_of == observer || take_tallies(observer);
  }
  bool take_tallies(uint64_t observer) noexcept;

  // Announces a call of the observer of a place, before it reads whether the observer is there. The
  // end of an observer makes a fence for all threads after its own store, and then reads what they
  // announce. So one of the two sides sees the other.
  void announce(const ObserverPlace* place) noexcept {
    record->place.store(place, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  void leave() noexcept { record->place.store(nullptr, std::memory_order_release); }

  // Returns the number of the next operation. Each number exists once.
  uint64_t next_sequence() noexcept {
    if (sequence == last_sequence) [[unlikely]]
      take_sequences();
    return ++sequence;
  }
  void take_sequences() noexcept;
};

// The TLS model saves a call per operation.
extern constinit thread_local ObservingThread observing_thread
    __attribute__((tls_model("initial-exec")));

// Waits until no thread is in a call of the place, which lets no call begin.
void wait_for_calls(const ObserverPlace& place) noexcept;

}  // namespace cucore::core
