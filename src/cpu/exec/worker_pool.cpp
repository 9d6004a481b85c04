// SPDX-License-Identifier: Apache-2.0
// Assigns threads to launches.
#include "cpu/exec/worker_pool.hpp"

#include "cpu/checks/check_set.hpp"

#include <algorithm>
#include <chrono>

namespace cucore::cpu {
namespace {

// Waking a thread takes as long as a small launch. A thread that has worked therefore polls for
// this time before it sleeps.
constexpr std::chrono::microseconds LOOKOUT{100};
// Kernels may wait for a kernel of another stream. A launch that has found no place for this time
// is begun by its own stream's thread, and the system shares the cores.
constexpr std::chrono::milliseconds PATIENCE{10};

template <class Done>
void look_out(Done done) {
  const auto end = std::chrono::steady_clock::now() + LOOKOUT;
  while (!done() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

}  // namespace

WorkerPool& WorkerPool::instance() {
  static WorkerPool* const pool = new WorkerPool;  // its threads end with the process
  return *pool;
}

WorkerPool::WorkerPool() {
  const unsigned wanted =
      settings().threads ? settings().threads : std::thread::hardware_concurrency();
  size_ = std::clamp(wanted, 1u, 256u);
}

// Threads start with the first launch that has work for more than the caller.
void WorkerPool::start_threads() {
  if (started_) return;
  started_ = true;
  for (unsigned i = 0; i < size_; ++i) std::thread(&WorkerPool::thread_main, this, i).detach();
}

WorkerPool::Job* WorkerPool::find_job() {
  for (Job* job : jobs_)
    if (!job->drained && job->workers < job->workers_allowed) return job;
  return nullptr;
}

void WorkerPool::work(Job& job, std::unique_lock<std::mutex>& lock) {
  ++job.workers;
  ++busy_;
  lock.unlock();
  work_on(*job.launch);
  lock.lock();
  --busy_;
  --job.workers;
  job.drained = true;
  wake_.notify_one();
  if (job.workers == 0) done_.notify_all();
}

bool WorkerPool::begins_soon(const Job& job, std::unique_lock<std::mutex>& lock) {
  return done_.wait_for(lock, PATIENCE, [&] { return job.workers != 0 || job.drained; });
}

void WorkerPool::run(LaunchState& launch) {
  Job job;
  job.launch = &launch;
  std::unique_lock lock(mutex_);
  jobs_.push_back(&job);
  ++launches_;
  const bool alone = schedule().order != WarpOrder::PARALLEL;
  job.workers_allowed = alone ? 1 : launch.cluster_count;
  const bool mine = alone || busy_ < size_;
  if (!mine || (!alone && launch.cluster_count > 1 && size_ > 1)) {
    start_threads();
    const uint64_t helpers = std::min<uint64_t>(launch.cluster_count, size_);
    for (uint64_t i = 0; i < helpers; ++i) wake_.notify_one();
  }
  if (mine || !begins_soon(job, lock)) work(job, lock);
  if (job.workers != 0) {
    lock.unlock();
    look_out([&] { return job.workers == 0; });
    lock.lock();
  }
  done_.wait(lock, [&] { return job.drained && job.workers == 0; });
  jobs_.remove(&job);
}

void WorkerPool::thread_main(unsigned) {
  std::unique_lock lock(mutex_);
  for (;;) {
    Job* job = nullptr;
    wake_.wait(lock, [&] { return busy_ < size_ && (job = find_job()); });
    work(*job, lock);
    const unsigned seen = launches_;
    lock.unlock();
    look_out([&] { return launches_ != seen; });
    lock.lock();
  }
}

}  // namespace cucore::cpu
