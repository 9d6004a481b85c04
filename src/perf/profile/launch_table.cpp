// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/launch_table.hpp"

#include <algorithm>
#include <cmath>

#include "support/word_hash.hpp"

namespace cucore::perf {

LaunchGeometry geometry_of(const cucore_launch_options& options) {
  LaunchGeometry geometry;
  const bool has_cluster = options.cluster[0] || options.cluster[1] || options.cluster[2];
  for (int axis = 0; axis < 3; ++axis) {
    geometry.grid[axis] = std::max(options.grid[axis], 1u);
    geometry.block[axis] = std::max(options.block[axis], 1u);
    if (has_cluster) geometry.cluster[axis] = std::max(options.cluster[axis], 1u);
  }
  geometry.dynamic_shared = options.dynamic_shared;
  return geometry;
}

void LaunchEntry::add(const LaunchAmounts& call) {
  amounts.bytes_read += call.bytes_read;
  amounts.bytes_written += call.bytes_written;
  amounts.operations += call.operations;
  with_bytes += call.bytes_read > 0 || call.bytes_written > 0;
  with_operations += call.operations > 0;
}

namespace {

void mix_geometry(WordHash& hash, const LaunchGeometry& geometry) {
  for (int axis = 0; axis < 3; ++axis) {
    hash.mix(geometry.grid[axis]);
    hash.mix(geometry.block[axis]);
    hash.mix(geometry.cluster[axis]);
  }
  hash.mix(geometry.dynamic_shared);
}

}  // namespace

size_t NamedLaunch::Hash::operator()(const NamedLaunch& launch) const {
  WordHash hash;
  hash.mix(std::hash<std::string>()(launch.name));
  mix_geometry(hash, launch.geometry);
  return static_cast<size_t>(hash.value());
}

size_t LaunchTable::Hash::operator()(const Key& key) const {
  WordHash hash;
  hash.mix(reinterpret_cast<uintptr_t>(key.kernel));
  hash.mix(reinterpret_cast<uintptr_t>(key.device));
  mix_geometry(hash, key.geometry);
  return static_cast<size_t>(hash.value());
}

size_t LaunchTable::find(const cucore_operation& launch, const Declarations& declarations) {
  const Key key{launch.kernel, launch.device, geometry_of(*launch.launch)};
  if (const auto found = indices_.find(key); found != indices_.end()) return found->second;
  LaunchEntry entry;
  entry.kernel = KernelOwner::share(launch.kernel);
  entry.device = DeviceOwner::share(launch.device);
  entry.geometry = key.geometry;
  const auto declared = declarations.find(cucore_kernel_name(launch.kernel));
  if (declared != declarations.end()) entry.declaration = declared->second;
  entries_.push_back(std::move(entry));
  indices_.emplace(key, entries_.size() - 1);
  return entries_.size() - 1;
}

double FirstTime::without_load(const CallTimes& others) const {
  constexpr double LONGER = 1.5;
  constexpr double PART_OF_HOST = 1.0 / 8;
  if (others.count() == 0)
    return !is_idle && host > PART_OF_HOST * seconds ? std::max(0.0, seconds - host) : seconds;
  const bool is_longer = seconds > LONGER * others.max();
  return is_longer && 2 * host > seconds - others.max() ? UNKNOWN : seconds;
}

void LaunchTable::add_first_times() {
  for (LaunchEntry& entry : entries_) {
    const double seconds = entry.first.without_load(entry.times);
    if (!std::isnan(seconds)) entry.times.add(seconds);
  }
}

}  // namespace cucore::perf
