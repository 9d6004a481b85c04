// SPDX-License-Identifier: Apache-2.0
// A queue: where completions wait until somebody takes them, in any thread.
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

  // Readable while something waits, and once the queue is closed.
  int descriptor() const noexcept;

  // Waits for something and takes as much as there is room for; 0 when the time is over.
  size_t wait(int64_t timeout_ns, std::span<cucore_completion> out);
  void close() noexcept;

  struct Counts {
    uint64_t pending = 0, waiting = 0, completed = 0;
    bool closed = false;
  };
  Counts counts() const;

  // Makes room for one completion, so that putting it cannot fail. Throws if the queue is closed.
  void expect();
  // What was expected does not come.
  void forget() noexcept;
  void put(uint64_t token, cucore_status status) noexcept;

  // What was expected is under way: those who slept while nothing was begin to nap.
  void wake() noexcept;

  // Whether any thread spins for a completion or a future: nothing should come late to it.
  static bool has_spinners() noexcept { return spinners_.load(std::memory_order_relaxed) != 0; }
  struct Spinner {
    Spinner() : is_one_too_many(spinners_.fetch_add(1, std::memory_order_relaxed) >= cores()) {}
    ~Spinner() { spinners_.fetch_sub(1, std::memory_order_relaxed); }
    Spinner(const Spinner&) = delete;
    const bool is_one_too_many;  // there are no more cores to spin on: it should sleep
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
  void sleep(uint32_t seen, bool expecting, std::optional<Naps>& naps, const Deadline& deadline);

  static inline std::atomic<uint32_t> spinners_{0};
  void require_running() const;

  const QueueOptions options_;
  const int descriptor_;

  mutable std::mutex mutex_;
  std::vector<cucore_completion> ring_;  // has a place for all that waits and all that is expected
  size_t first_ = 0;
  size_t waiting_ = 0;
  uint64_t pending_ = 0, completed_ = 0;
  bool closed_ = false;
  mutable bool watched_ = false;    // somebody has asked for the descriptor
  mutable bool signalled_ = false;  // it is readable

  std::atomic<uint32_t> arrivals_{0};  // changes with every completion and with the end
  uint32_t sleepers_ = 0;
  std::atomic<bool> sleeps_idly_{false};  // one for whom nothing was under way, since the last wake
};

}  // namespace cucore::core
