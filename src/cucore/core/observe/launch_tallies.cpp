// SPDX-License-Identifier: Apache-2.0
#include "core/observe/launch_tallies.hpp"

#include <new>

#include "core/observe/observer_place.hpp"

namespace cucore::core {

void CountedLaunch::add_hints(uint64_t count) const noexcept {
  tally_->bytes_read += count * options_.bytes_read;
  tally_->bytes_written += count * options_.bytes_written;
  tally_->operations += count * options_.operations;
  if (options_.bytes_read != 0 || options_.bytes_written != 0) tally_->with_bytes += count;
  if (options_.operations != 0) tally_->with_operations += count;
}

// Another observer may have come. As long as the place has the number, the memory is valid.
void CountedLaunch::fail() const noexcept {
  const ObserverPlace* const place = observed.launch_place.load(std::memory_order_acquire);
  observing_thread.announce(place);
  if (place->number() == observer_) {
    add(uint64_t{0} - 1);
    ++tally_->failed;
  }
  observing_thread.leave();
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
  const BeginningLaunch* const launch = thread.launch;
  if (!thread.calling || !launch || &launch->operation != &operation) return false;
  if (tally.struct_size < sizeof tally || tally.reserved != 0) return false;
  const uint64_t observer = thread.calling->number();
  if (observer == 0 || observed.launch_observer.load() != observer) return false;
  if (!thread.has_tallies_of(observer)) return false;
  const cucore_launch_options& options = *operation.launch;
  const uint64_t stream = TalliedLaunch::stream_word(operation.stream, launch->device);
  thread.tallies->set({operation.kernel, stream, TalliedLaunch::shape_of(options), &tally},
                      options);
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
