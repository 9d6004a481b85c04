// SPDX-License-Identifier: Apache-2.0
#include "core/observe/launch_tallies.hpp"

#include <new>

#include "core/observe/observer_place.hpp"

namespace cucore::core {

void TalliedLaunch::add_hints(const cucore_launch_options& options, uint64_t count) const noexcept {
  tally->bytes_read += count * options.bytes_read;
  tally->bytes_written += count * options.bytes_written;
  tally->operations += count * options.operations;
  if (options.bytes_read != 0 || options.bytes_written != 0) tally->with_bytes += count;
  if (options.operations != 0) tally->with_operations += count;
}

// The launches that have been set last stay longest.
void LaunchTallies::set(const TalliedLaunch& launch,
                        const cucore_launch_options& options) noexcept {
  const size_t first = place_of(launch.kernel, launch.stream, options), second = first ^ 1;
  TalliedLaunch& place = launches_[first];
  if (place.kernel && !place.is(launch.kernel, launch.stream, options)) launches_[second] = place;
  place = launch;
}

bool set_tally(const cucore_operation& operation, cucore_launch_tally& tally) noexcept {
  ObservingThread& thread = observing_thread;
  if (thread.launch != &operation || tally.struct_size != sizeof tally) return false;
  const uint64_t observer = thread.calling->number();
  if (observer == 0 || observed.launch_observer.load() != observer) return false;
  if (!thread.has_tallies_of(observer)) return false;
  const cucore_launch_options& options = *operation.launch;
  thread.tallies->set(
      {operation.kernel, operation.stream, TalliedLaunch::shape_of(options), &tally}, options);
  return true;
}

bool ObservingThread::take_tallies(uint64_t observer) noexcept {
  LaunchTallies*& kept = record->tallies;
  if (!kept) kept = new (std::nothrow) LaunchTallies;
  if (!kept) return false;
  kept->clear();
  tallies = kept;
  tallies_of = observer;
  return true;
}

}  // namespace cucore::core
