// SPDX-License-Identifier: Apache-2.0
// The work of one stream: jobs that run in order on a separate thread, each after the jobs of other
// streams that it depends on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace cucore::cpu {

class Queue;

// A point in a queue. A job waits only for older tickets, so waits cannot form a cycle.
struct Ticket {
  std::shared_ptr<Queue> queue;
  uint64_t number = 0;

  bool done() const;
  void wait() const;
};

class Queue : public std::enable_shared_from_this<Queue> {
 public:
  using Work = std::function<void()>;  // must not throw

  // `claimed`: the queue was idle and `may_claim` set, so the caller must now call run_claimed.
  Ticket push(Work& work, std::vector<Ticket> after, bool may_claim, bool& claimed);
  void run_claimed(Work work);

  bool done(uint64_t number) const { return completed_.load(std::memory_order_acquire) >= number; }
  void wait(uint64_t number);
  Ticket last();  // the newest job
  bool idle();
  bool retired();
  void retire();  // no further jobs follow; the thread ends after the last one

 private:
  struct Job {
    Work work;
    std::vector<Ticket> after;
  };
  void start_worker();
  void run();
  bool next(std::unique_lock<std::mutex>& lock, Job& job);
  void complete(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::atomic<uint64_t> completed_{0};
  uint64_t submitted_ = 0;
  bool running_ = false;
  bool worker_ = false;
  bool retired_ = false;
};

}  // namespace cucore::cpu
