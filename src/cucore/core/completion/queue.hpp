// SPDX-License-Identifier: Apache-2.0
// A queue: completions wait in it until a thread takes them.
#pragma once

#include <cucore.h>

#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "support/ref.hpp"
#include "support/wait_word.hpp"

namespace cucore::core {

struct QueueOptions {
  int64_t spin_ns = 50'000;  // 0: never
  int64_t sweep_ns = 20'000;
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

  std::atomic<uint32_t> arrivals_{0};  // changes with every completion and with the end
  uint32_t sleepers_ = 0;
  // a thread that sleeps without pending work, since the last wake
  std::atomic<bool> sleeps_idly_{false};
};

}  // namespace cucore::core
