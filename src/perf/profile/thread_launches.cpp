// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/thread_launches.hpp"

#include <utility>

#include "support/word_hash.hpp"

namespace cucore::perf {

void LaunchRow::count(const cucore_operation& launch) {
  if (launch.status != CUCORE_OK) {
    ++tally.failed;
    return;
  }
  if (launch.captured) {
    ++tally.captured;
    return;
  }
  ++tally.calls;
  const cucore_launch_options& how = *launch.launch;
  tally.bytes_read += how.bytes_read;
  tally.bytes_written += how.bytes_written;
  tally.operations += how.operations;
  tally.with_bytes += how.bytes_read != 0 || how.bytes_written != 0;
  tally.with_operations += how.operations != 0;
}

void ThreadLaunches::set_range(size_t range) {
  range_ = range;
  for (; first_set_; first_set_ = first_set_->next_set) {
    first_set_->is_set = false;
    first_set_->paused = std::exchange(first_set_->tally.left, 0);
  }
}

size_t ThreadLaunches::Hash::operator()(const LaunchKey& key) const {
  WordHash hash;
  hash.mix(reinterpret_cast<uintptr_t>(key.kernel));
  hash.mix(reinterpret_cast<uintptr_t>(key.device));
  hash.mix(reinterpret_cast<uintptr_t>(key.stream));
  hash.mix(key.range);
  for (const uint64_t word : key.shape.words) hash.mix(word);
  return static_cast<size_t>(hash.value());
}

LaunchRow& ThreadLaunches::find(const cucore_operation& launch) {
  const LaunchKey key = key_of(launch);
  const auto [found, is_new] = rows_.try_emplace(key);
  LaunchRow& row = found->second;
  if (is_new) {
    row.key = key;
    row.entry = NO_INDEX;
  }
  return row;
}

LaunchRow* ThreadLaunches::find_counted(const cucore_operation& launch) {
  const auto found = rows_.find(key_of(launch));
  if (found == rows_.end()) return nullptr;
  LaunchRow& row = found->second;
  row.tally.left += std::exchange(row.paused, 0);
  if (row.tally.left == 0) return nullptr;
  --row.tally.left;
  return &row;
}

void ThreadLaunches::set_tally(const cucore_operation& launch, LaunchRow& row) {
  if (row.tally.left == 0) return;
  (void)cucore_operation_tally(&launch, &row.tally);
  // Also if it is refused now: an earlier tally of the row may still be set.
  if (row.is_set) return;
  row.is_set = true;
  row.next_set = std::exchange(first_set_, &row);
}

}  // namespace cucore::perf
