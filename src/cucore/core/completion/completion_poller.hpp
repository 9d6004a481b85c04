// SPDX-License-Identifier: Apache-2.0
// Finds the end of the work that futures await: one thread per device, which queries the driver
// while work is pending and sleeps otherwise. Nothing wakes a thread when a GPU has finished, and a
// host function in the stream would hold the stream up.
#pragma once

#include <condition_variable>
#include <mutex>

#include "core/completion/pending_work.hpp"

namespace cucore::core {

class CompletionPoller {
 public:
  // Returns the poller of a device. The first call starts its thread, which never ends. Throws if
  // there can be no thread.
  static CompletionPoller& of(const Device& device);
  static CompletionPoller* find(const Device& device) noexcept {
    return device.completion_poller().load(std::memory_order_acquire);
  }

  // Records an event behind the present work of the stream, and ends the future once it is
  // complete. If a fault has broken the context, the future ends at once. If the call throws, the
  // future is unchanged.
  void watch(const Stream& stream, Future& future);

  // Queries a pending future at once, on the calling thread.
  void query(const Future& future) noexcept;

  // Ends all pending work of a context that is about to be destroyed: with its known outcome, else
  // as lost. Marks the context.
  void abandon(const Context& context) noexcept;

  // The CPU time of all these threads, up to their last pause.
  static uint64_t cpu_ns() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  using Swept = PendingWork::Swept;

  explicit CompletionPoller(const Device& device) : device_(device) {}
  CompletionPoller(const CompletionPoller&) = delete;
  static void stop_all() noexcept;
  void start();
  void stop() noexcept;

  // Of watch().
  void record(const Stream& stream, Future& future);
  void end_broken(const Stream& stream, Future& future, CUresult result) noexcept;

  // The body of the thread.
  void run() noexcept;
  Swept sweep_once() noexcept;
  void make_current() noexcept;
  void rest(const Swept& swept, Clock::time_point last_news) noexcept;
  void pause() const noexcept;
  void timed_wait() noexcept;
  void wait_for_work() noexcept;
  void wake() noexcept;
  void trim_events() noexcept;
  void record_cpu_time() noexcept;
  void end_all() noexcept;
  bool must_stop() const noexcept { return work_.is_closed() || driver::is_gone(); }

  const Device& device_;
  PendingWork work_;

  std::mutex sweeping_;   // held during a sweep: guards the fields up to current_
  QueueOptions pace_;     // of the last sweep that found pending work
  Ref<Context> current_;  // on the thread

  std::mutex sleeping_;  // of the sleep of the thread
  std::condition_variable changed_;
  std::atomic<bool> is_asleep_{false};

  std::atomic<bool> has_ended_{false};
  std::atomic<uint64_t> cpu_ns_{0};
};

}  // namespace cucore::core
