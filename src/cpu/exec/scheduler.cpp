// SPDX-License-Identifier: Apache-2.0
// One worker's part of a launch. It begins clusters in order; without clusters, each block is one.
// If a cluster does not end in its slice, the worker begins others, so that blocks may wait for
// each other.
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "cpu/checks/check_set.hpp"
#include "cpu/checks/checks.hpp"
#include "cpu/counts/counts.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/host_rounding.hpp"
#include "cpu/exec/memory.hpp"
#include "cpu/exec/worker_pool.hpp"

namespace cucore::cpu {
namespace {

// Warp instructions of a cluster before the worker begins another.
constexpr int64_t SLICE = 1 << 20;
// The slice of a cluster among others, because it may only be waiting for one of them.
constexpr int64_t SHARED_SLICE = 1 << 15;
constexpr uint32_t RANDOM_SLICE = 1 << 14;  // limit under a random schedule
// Clusters are taken in groups, because neighbours share pages and cache lines that one worker
// should have.
constexpr uint64_t MOST_TAKEN = 16;
constexpr uint64_t TAKES_PER_LAUNCH = 64;  // minimum, so that all workers have work at the end
constexpr size_t MAX_RESIDENT = 256;  // limit of blocks per worker, unless all must be resident

class Share {
 public:
  explicit Share(LaunchState& launch) : launch_(launch) {
    worker_.launch = &launch;
    worker_.sites.resize(launch.module->site_count);
    worker_.sites[0].base = AddressSpace::instance().generation().load();
    if (launch.counts) worker_.counts = &counts_.emplace(*launch.counts);
    if (!launch.checks) return;
    checks_.sites.resize(launch.module->site_count + 1);
    worker_.checks = &checks_;
  }
  void run();
  // Adds the counts of this worker to those of the launch.
  void add_counts() {
    if (counts_) counts_->add_to_launch();
  }

 private:
  bool take();
  bool next(uint64_t& number);
  bool admit();
  bool begin();
  void slice();
  void charge(const Cluster* cluster = nullptr);

  LaunchState& launch_;
  WorkerChecks checks_;
  std::optional<WorkerCounts> counts_;
  Worker worker_;
  std::deque<std::unique_ptr<Cluster>> resident_;  // the first one is next
  std::vector<std::unique_ptr<Cluster>> idle_;
  uint64_t next_ = 0, end_ = 0;  // clusters taken and not begun
};

bool Share::take() {
  const uint64_t count =
      std::clamp<uint64_t>(launch_.cluster_count / TAKES_PER_LAUNCH, 1, MOST_TAKEN);
  next_ = launch_.next_cluster.fetch_add(count, std::memory_order_relaxed);
  end_ = std::min(next_ + count, launch_.cluster_count);
  return next_ < end_;
}

// Reserves memory for a cluster before the worker takes its number, because a worker must run the
// clusters that it takes. The first one of the launch always has memory (check_memory), so at least
// one worker can run all blocks.
bool Share::admit() {
  if (!idle_.empty()) return true;
  const uint64_t bytes = launch_.block_bytes * launch_.cluster_size;
  MemoryBudget& memory = launch_.memory;
  if (!launch_.reserved && !memory.take_if_unused(bytes) && !memory.take_from_first_half(bytes))
    return false;
  idle_.push_back(std::make_unique<Cluster>(launch_, worker_));
  return true;
}

// Returns false if all clusters are taken.
bool Share::next(uint64_t& number) {
  if (next_ >= end_ && !take()) return false;
  number = next_++;
  if (launch_.counts && !launch_.counts->sample.empty()) number = launch_.counts->sample[number];
  return true;
}

bool Share::begin() {
  if (!admit()) return false;
  uint64_t number = 0;
  if (!next(number)) {
    idle_.clear();  // blocks no longer need their memory
    return false;
  }
  resident_.push_front(std::move(idle_.back()));
  idle_.pop_back();
  resident_.front()->begin(number);
  return true;
}

// The text of a used-up budget contains the place of a thread of the cluster.
void Share::charge(const Cluster* cluster) {
  launch_.thread_instructions.fetch_add(worker_.thread_instructions, std::memory_order_relaxed);
  const uint64_t total =
      launch_.warp_instructions.fetch_add(worker_.warp_instructions, std::memory_order_relaxed) +
      worker_.warp_instructions;
  worker_.warp_instructions = worker_.thread_instructions = 0;
  if (!launch_.budget || total <= launch_.budget) return;
  std::string text = "kernel '" + shown_name(launch_.kernel->function->source->name) +
                     "' has used its budget of " + std::to_string(launch_.budget) +
                     " warp instructions, which " + launch_.budgets.instructions.setting + " sets";
  const std::string place = cluster ? cluster->live_thread_text() : "";
  if (!place.empty()) text += "; " + place;
  throw KernelFault{CUDA_ERROR_LAUNCH_TIMEOUT, text + schedule_suffix()};
}

void Share::slice() {
  Cluster& cluster = *resident_.front();
  const bool shares = launch_.launch->cooperative || cluster.resumed;
  int64_t quantum = shares ? SHARED_SLICE : SLICE;
  if (launch_.checks && launch_.checks->random)
    quantum = 1 + launch_.checks->random->below(RANDOM_SLICE);
  if (launch_.budget) quantum = int64_t(std::min(launch_.budget, uint64_t(quantum)));
  const BlockStatus status = cluster.run(quantum);
  if (launch_.budget || worker_.warp_instructions > 1 << 20) charge(&cluster);
  if (status == BlockStatus::DONE) {
    // Usually it is the only one, and another begins in its place.
    uint64_t number = 0;
    if (resident_.size() == 1 && next(number)) return cluster.begin(number);
    idle_.push_back(std::move(resident_.front()));
    resident_.pop_front();
    return;
  }
  cluster.resumed = true;
  // It goes to the end of the list, or to any place under a random schedule; a new cluster comes
  // before the older ones.
  resident_.push_back(std::move(resident_.front()));
  resident_.pop_front();
  RandomOrder* random = launch_.checks ? launch_.checks->random.get() : nullptr;
  if (random) std::swap(resident_.front(), resident_[random->below(uint32_t(resident_.size()))]);
  const bool more =
      launch_.launch->cooperative || resident_.size() * launch_.cluster_size < MAX_RESIDENT;
  if (more && (!random || random->below(2) || launch_.launch->cooperative)) begin();
}

void Share::run() {
  while (!launch_.stop.load(std::memory_order_relaxed)) {
    if (resident_.empty() && !begin()) break;
    slice();
  }
  charge();
}

}  // namespace

void work_on(LaunchState& launch) {
  const DefaultFloats floats;
  try {
    Share share(launch);
    try {
      share.run();
    } catch (const KernelFault& fault) {
      launch.fail(fault.code, fault.text);  // others stop before this worker frees its blocks
    }
    share.add_counts();
  } catch (const std::bad_alloc&) {
    launch.fail(CUDA_ERROR_OUT_OF_MEMORY, "the host has no memory for another block");
  }
}

}  // namespace cucore::cpu
