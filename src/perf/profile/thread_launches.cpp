// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/thread_launches.hpp"

#include "support/word_hash.hpp"

namespace cucore::perf {

void LaunchRow::add_hints(const cucore_launch_options& options) {
  hints.bytes_read += static_cast<double>(options.bytes_read);
  hints.bytes_written += static_cast<double>(options.bytes_written);
  hints.operations += static_cast<double>(options.operations);
  with_bytes += options.bytes_read != 0 || options.bytes_written != 0;
  with_operations += options.operations != 0;
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
  remember(launch, row);
  return row;
}

LaunchRow* ThreadLaunches::find_old(const cucore_operation& launch) {
  if (rows_.empty()) return nullptr;
  const auto found = rows_.find(key_of(launch));
  if (found == rows_.end()) return nullptr;
  remember(launch, found->second);
  return &found->second;
}

}  // namespace cucore::perf
