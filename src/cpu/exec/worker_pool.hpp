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

  // Executes all blocks of the launch. The calling thread also works while the pool has a free
  // place, so that a launch of few blocks needs no other thread. It also works if the pool has been
  // full for long, so that every launch makes progress whatever the others wait for.
  void run(LaunchState& launch);
  unsigned size() const { return size_; }

 private:
  struct Job {
    LaunchState* launch = nullptr;
    uint64_t workers_allowed = 1;
    std::atomic<unsigned> workers{0};  // workers in the launch now
    bool drained = false;              // all its blocks have begun: further workers are not needed
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
  std::atomic<unsigned> launches_{0};  // number of launches so far; an idle thread polls it
  unsigned size_ = 1;                  // number of cores to keep busy
  unsigned busy_ = 0;
  bool started_ = false;
};

// Runs blocks of the launch in this thread until other workers have begun all that remain.
void work_on(LaunchState& launch);

}  // namespace cucore::cpu
