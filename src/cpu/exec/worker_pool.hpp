// SPDX-License-Identifier: Apache-2.0
// The threads that execute blocks: one pool for all devices, streams and launches of the process.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "cpu/exec/block.hpp"

namespace cucore::cpu {

class WorkerPool {
 public:
  static WorkerPool& instance();

  // Executes all blocks of the launch. The calling thread works too while the pool has a free
  // place, so that a launch of few blocks needs no other thread at all, and where the pool has none
  // for long: every launch makes progress, whatever the others wait for.
  void run(LaunchState& launch);
  unsigned size() const { return size_; }

 private:
  struct Job {
    LaunchState* launch = nullptr;
    std::atomic<unsigned> workers{0};  // that are in it now
    bool drained = false;              // its blocks are all begun: nobody else needs to come
  };

  WorkerPool();
  void thread_main(unsigned index);
  Job* find_job();
  bool begins_soon(const Job& job, std::unique_lock<std::mutex>& lock);
  void work(Job& job, std::unique_lock<std::mutex>& lock);
  void start_threads();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::list<Job*> jobs_;
  std::atomic<unsigned> launches_{0};  // so far: what an idle thread watches for a moment
  unsigned size_ = 1;                  // how many cores are to be kept busy
  unsigned busy_ = 0;
  bool started_ = false;
};

// Runs blocks of the launch in this thread until none is left that another worker has not begun.
void work_on(LaunchState& launch);

}  // namespace cucore::cpu
