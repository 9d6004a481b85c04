// SPDX-License-Identifier: Apache-2.0
// The queue of a cluster's asynchronous operations.
#include "cpu/exec/async.hpp"

#include <algorithm>
#include <utility>

#include "cpu/checks/checks.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"

namespace cucore::cpu {
namespace {

constexpr uint32_t MAX_PENDING = 4096;                              // more would make waits slow
constexpr uint64_t OPERATION_BYTES = sizeof(AsyncOperation) + 320;  // with its table entry and map

uint64_t thread_key(const Warp& w, int lane) {
  return (uint64_t{w.block->rank} * MAX_WARPS + w.index) * LANES + uint64_t(lane);
}

bool is_in_memory_of(const Block& block, const AsyncOperation& a, const AsyncRange& range) {
  uint64_t address = range.address;
  if (range.region == Region::GENERIC) address -= AddressSpace::instance().shared_window();
  const bool shared = range.region == Region::SHARED || range.region == Region::CLUSTER ||
                      (range.region == Region::GENERIC && address < AddressSpace::WINDOW);
  const uint64_t rank = address >> RANK_SHIFT;
  return shared && (rank == 0 ? a.warp->block == &block : rank - 1 == block.rank);
}

}  // namespace

Issuer::Issuer(Warp& warp, const DecodedFunction& function)
    : warp_(warp), frame_(warp.frame), sites_(warp.sites) {
  issuing_.function = &function;
  warp.frame = &issuing_;
  warp.sites = warp.worker->sites_of(*function.module).data();
}
Issuer::Issuer(const AsyncOperation& operation) : Issuer(*operation.warp, *operation.function) {}

const std::byte* AsyncOperation::source() {
  if (!data.empty()) return data.data();
  return resolve_bytes(*warp, *op, lane, from.address, size, Access::READ, from.region);
}
std::byte* AsyncOperation::destination() {
  return resolve_bytes(*warp, *op, lane, to.address, size, Access::WRITE, to.region);
}

namespace {

// Whether the operation replaces all of its bytes, until its mbarrier completes.
bool replaces(const AsyncOperation& a) {
  return a.barrier.block && a.run && a.size != 0 && !a.reduction.combine && a.byte_mask == 0xffff;
}

}  // namespace

bool AsyncQueue::admit() {
  if (count_ >= MAX_PENDING || !launch_.memory.take(OPERATION_BYTES)) return false;
  taken_ += OPERATION_BYTES;
  ++count_;
  return true;
}

void AsyncQueue::add(AsyncOperation&& operation) {
  Warp& w = *operation.warp;
  if (w.block->checks && replaces(operation))
    operation.is_checked = on_bulk_begin(w, *operation.op, operation.lane, operation.to.address,
                                         operation.size, operation.to.region);
  if (!admit()) {
    flush();
    return run(operation);
  }
  if (operation.barrier.block) {
    by_barrier_[operation.barrier.key()].push_back(std::move(operation));
    return;
  }
  Thread& thread = by_thread_[thread_key(*operation.warp, operation.lane)];
  operation.group = thread.committed;
  thread.operations.push_back(std::move(operation));
}

void AsyncQueue::run(AsyncOperation& a) {
  const Issuer issuer(a);
  if (a.run) a.run(a);
  if (a.is_checked) on_bulk_end(*a.warp, a.to.address, a.size, a.to.region);
  if (!a.barrier.block) return;
  MbarrierWord word = a.barrier.word();
  if (a.arrives && word.pending == 0)
    misused_mbarrier(*a.warp, *a.op, a.lane, "more arrivals than it waits for");
  word.pending -= a.arrives;
  change_bytes(*a.warp, *a.op, a.lane, word, -int64_t{a.bytes});
  word.complete_if_done();
  a.barrier.store(word);
}

// Without memory for the bytes, the data moves now: PTX permits it.
void AsyncQueue::read(AsyncOperation& a) {
  if (!a.read || !a.data.empty() || !a.run) return;
  const Issuer issuer(a);
  if (launch_.memory.take(a.size)) {
    taken_ += a.size;
    a.read(a);
  } else {
    a.run(a);
    a.run = nullptr;
  }
}

void AsyncQueue::run_all(Operations operations) {
  for (AsyncOperation& a : operations) run(a);
  count_ -= uint32_t(operations.size());
  if (count_ == 0) clear();
}

void AsyncQueue::complete(const Mbarrier& barrier) {
  if (by_barrier_.empty()) return;
  const auto found = by_barrier_.find(barrier.key());
  if (found == by_barrier_.end()) return;
  Operations operations = std::move(found->second);
  by_barrier_.erase(found);
  run_all(std::move(operations));
}

void AsyncQueue::commit(const Warp& w, int lane) {
  const auto found = by_thread_.find(thread_key(w, lane));
  if (found != by_thread_.end()) ++found->second.committed;
}

// Groups complete in the order in which the thread has committed them.
void AsyncQueue::wait(const Warp& w, int lane, uint32_t pending, bool read_only) {
  const auto found = by_thread_.find(thread_key(w, lane));
  if (found == by_thread_.end()) return;
  Thread& thread = found->second;
  const auto ends = std::partition_point(
      thread.operations.begin(), thread.operations.end(),
      [&](const AsyncOperation& a) { return uint64_t{a.group} + pending < thread.committed; });
  if (read_only) {
    std::for_each(thread.operations.begin(), ends, [this](auto& a) { read(a); });
    return;
  }
  Operations done(std::make_move_iterator(thread.operations.begin()),
                  std::make_move_iterator(ends));
  thread.operations.erase(thread.operations.begin(), ends);
  run_all(std::move(done));
}

void AsyncQueue::flush() {
  while (!by_barrier_.empty()) {
    Operations operations = std::move(by_barrier_.begin()->second);
    by_barrier_.erase(by_barrier_.begin());
    run_all(std::move(operations));
  }
  std::vector<Operations> all;
  for (auto& [key, thread] : by_thread_) all.push_back(std::exchange(thread.operations, {}));
  for (Operations& operations : all) run_all(std::move(operations));
}

void AsyncQueue::leave(Operations& operations, const Block& block) {
  Operations rest;
  for (AsyncOperation& a : operations) {
    const bool own = a.warp->block == &block;
    const bool delivers = a.barrier.block == &block || is_in_memory_of(block, a, a.to);
    if (delivers && own) {
      --count_;  // no thread reads it
    } else if (delivers) {
      const Issuer issuer(a);
      raise(*a.warp, *a.op, a.lane, CUDA_ERROR_ILLEGAL_ADDRESS, "illegal address",
            "an asynchronous operation ends in shared memory of block rank " +
                std::to_string(block.rank) + ", which has exited");
    } else if (own && !a.barrier.block) {
      run(a);
      --count_;
    } else {
      if (is_in_memory_of(block, a, a.from)) read(a);
      rest.push_back(std::move(a));
    }
  }
  operations = std::move(rest);
}

void AsyncQueue::leave_block(const Block& block) {
  for (auto& [key, operations] : by_barrier_) leave(operations, block);
  for (auto& [key, thread] : by_thread_) leave(thread.operations, block);
  if (count_ == 0) clear();
}

void AsyncQueue::clear() {
  if (taken_ == 0) return;
  by_barrier_.clear();
  by_thread_.clear();
  launch_.memory.give_back(taken_);
  taken_ = count_ = 0;
}

}  // namespace cucore::cpu
