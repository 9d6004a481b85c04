// SPDX-License-Identifier: Apache-2.0
// A queue: completions wait in it until a thread takes them.
#pragma once

#include <cucore.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "support/ref.hpp"
#include "support/wait_word.hpp"

namespace cucore::core {

struct QueueOptions {
  int64_t spin_ns = 50'000;  // 0: never
  int64_t sweep_ns = 20'000;
  int32_t host_timeout_ms = 60'000;
};

class Queue final : public Object {
 public:
  static Ref<Queue> create(const QueueOptions& options);

  const QueueOptions& options() const { return options_; }

  // Readable while a completion waits, and once the queue is closed.
  int descriptor() const noexcept;

  // Waits for a completion and takes as many as fit; returns 0 after the time limit.
  size_t wait(int64_t timeout_ns, std::span<cucore_completion> out);
  void close() noexcept;

  struct Counts {
    uint64_t pending = 0, waiting = 0, completed = 0;
    bool closed = false;
  };
  Counts counts() const;

  // Makes room for one completion, so that adding it cannot fail. Throws if the queue is closed.
  void expect();
  // Cancels one expected completion.
  void forget() noexcept;
  void put(uint64_t token, cucore_status status) noexcept;

  // Throws INVALID_STATE if the queue is closed.
  void require_open() const;
  // Adds a host function. With `waits` the call returns when another thread has resumed its ticket.
  // It also returns if the queue is closed or the process exits, and after the queue's time limit.
  void put_host(uint64_t token, bool waits) noexcept;
  // Throws NOT_FOUND unless a host function waits with this ticket.
  void resume(uint64_t ticket);

  // Expected work has begun: threads that slept without pending work begin timed waits.
  void wake() noexcept;

  // Returns whether any thread spins for a completion or a future, which should then not be late.
  static bool has_spinners() noexcept { return spinners_.load(std::memory_order_relaxed) != 0; }
  struct Spinner {
    Spinner() : is_one_too_many(spinners_.fetch_add(1, std::memory_order_relaxed) >= cores()) {}
    ~Spinner() { spinners_.fetch_sub(1, std::memory_order_relaxed); }
    Spinner(const Spinner&) = delete;
    const bool is_one_too_many;  // all cores have a spinning thread: this one should sleep
  };

 private:
  Queue(const QueueOptions& options, int descriptor) : options_(options), descriptor_(descriptor) {}
  ~Queue() override;
  template <class T, class... A>
  friend Ref<T> cucore::make(A&&...);

  bool add_host(uint64_t token, uint64_t ticket);
  bool forget_ticket(uint64_t ticket) noexcept;
  void wait_for_resume(uint64_t token, uint64_t ticket) noexcept;
  size_t take(std::span<cucore_completion> out) noexcept;
  void grow();
  void settle_ring() noexcept;
  void signal() const noexcept;
  bool spin(const Deadline& deadline) const;
  void sleep(uint32_t seen, bool expecting, std::optional<TimedWaits>& waits,
             const Deadline& deadline);

  static inline std::atomic<uint32_t> spinners_{0};
  void require_running() const;

  const QueueOptions options_;
  const int descriptor_;

  mutable std::mutex mutex_;
  std::vector<cucore_completion> ring_;  // has a place for all waiting and expected completions
  size_t first_ = 0;
  size_t waiting_ = 0;
  uint64_t pending_ = 0, completed_ = 0;
  bool closed_ = false;
  mutable bool watched_ = false;    // the descriptor was requested
  mutable bool signalled_ = false;  // the descriptor is readable

  std::mutex host_mutex_;  // guards the next two
  std::condition_variable resumed_;
  std::set<uint64_t> suspended_;  // the tickets of the host functions that wait

  std::atomic<uint32_t> arrivals_{0};  // changes with every completion and with the end
  uint32_t sleepers_ = 0;
  // a thread that sleeps without pending work, since the last wake
  std::atomic<bool> sleeps_idly_{false};
};

}  // namespace cucore::core
