// SPDX-License-Identifier: Apache-2.0
#include "core/observe/observing_thread.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <thread>

#include "core/objects/thread_fence.hpp"

namespace cucore::core {

constinit thread_local ObservingThread observing_thread __attribute__((tls_model("initial-exec")));

namespace {

// Numbers that a thread takes at a time.
constexpr uint64_t SEQUENCES = 256;

constinit std::atomic<uint64_t> taken_sequences{0};
constinit std::atomic<CallRecord*> records{nullptr};

// Leaves the record of a thread that ends.
void leave_record(void* record) noexcept {
  observing_thread.record = nullptr;
  observing_thread.tallies_of = ObservingThread::NO_OBSERVER;
  static_cast<CallRecord*>(record)->is_taken.store(false, std::memory_order_release);
}

// A key of the thread calls this function at its end. A destructor of thread_local would end the
// process if no memory is left for it.
bool leave_at_end(CallRecord* record) noexcept {
  static const std::optional<pthread_key_t> key = [] {
    pthread_key_t made{};
    const bool is_made = pthread_key_create(&made, leave_record) == 0;
    return is_made ? std::optional(made) : std::nullopt;
  }();
  return key && pthread_setspecific(*key, record) == 0;
}

CallRecord* find_free() noexcept {
  for (CallRecord* each = records.load(std::memory_order_acquire); each; each = each->next) {
    bool is_taken = false;
    if (each->is_taken.compare_exchange_strong(is_taken, true)) return each;
  }
  return nullptr;
}

}  // namespace

bool ObservingThread::take_record() noexcept {
  record = find_free();
  if (!record) {
    record = new (std::nothrow) CallRecord;
    if (!record) return false;
    record->next = records.load();
    while (!records.compare_exchange_weak(record->next, record)) {
    }
  }
  if (leave_at_end(record)) return true;
  leave_record(record);
  return false;
}

void ObservingThread::take_sequences() noexcept {
  sequence = taken_sequences.fetch_add(SEQUENCES, std::memory_order_relaxed);
  last_sequence = sequence + SEQUENCES;
}

// Calls are short, so the wait need not be woken.
void wait_for_calls(const ObserverPlace& place) noexcept {
  fence_all_threads();
  std::chrono::microseconds pause{10};
  for (const CallRecord* each = records.load(); each; each = each->next)
    while (each->place.load() == &place) {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, std::chrono::microseconds(1000));
    }
}

}  // namespace cucore::core
