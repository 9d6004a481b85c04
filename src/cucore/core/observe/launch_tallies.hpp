// SPDX-License-Identifier: Apache-2.0
// The launches of a thread that are counted in a tally, without a call of the observer. The driver
// evicts most lines of the caches, and most predictions of branches, between two launches. So a
// counted launch reads few lines, and its code has no jumps that are taken.
#pragma once

#include <cucore.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/observe/observed_kinds.hpp"
#include "core/observe/observing_thread.hpp"

namespace cucore::core {

// The launches of one kernel, stream and shape, and their tally: one line of the cache.
struct alignas(64) TalliedLaunch {
  // The numbers of the options from the grid to the shared memory.
  using Shape = std::array<uint64_t, 5>;

  const cucore_kernel* kernel = nullptr;  // null: no launch
  const cucore_stream* stream = nullptr;
  Shape shape{};
  cucore_launch_tally* tally = nullptr;

  template <size_t I>
  static uint64_t word_of(const cucore_launch_options& options) noexcept {
    uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const std::byte*>(options.grid) + sizeof word * I,
                sizeof word);
    return word;
  }
  static Shape shape_of(const cucore_launch_options& options) noexcept {
    static_assert(offsetof(cucore_launch_options, dynamic_shared) + sizeof(uint32_t) -
                      offsetof(cucore_launch_options, grid) ==
                  sizeof(Shape));
    Shape shape;
    std::memcpy(shape.data(), options.grid, sizeof shape);
    return shape;
  }
  // Compares without a loop, whose end the processor would not predict.
  bool is(const cucore_kernel* other_kernel, const cucore_stream* other_stream,
          const cucore_launch_options& options) const noexcept {
    return (differing(kernel, other_kernel) | differing(stream, other_stream) |
            differing<0, 1, 2, 3, 4>(options)) == 0;
  }

  // Counts a launch that begins. Returns false if it must be observed.
  bool begin(const cucore_launch_options& options, bool is_captured) const noexcept {
    return change([&] {
      if (tally->left == 0) [[unlikely]]
        return false;
      --tally->left;
      add(options, is_captured, 1);
      return true;
    });
  }
  // Corrects the counts: the launch has failed.
  [[gnu::cold, gnu::noinline]] void fail(const cucore_launch_options& options,
                                         bool is_captured) const noexcept {
    (void)change([&] {
      add(options, is_captured, uint64_t{0} - 1);
      ++tally->failed;
      return true;
    });
  }

 private:
  static uint64_t differing(const void* one, const void* other) noexcept {
    return reinterpret_cast<uintptr_t>(one) ^ reinterpret_cast<uintptr_t>(other);
  }
  template <size_t... I>
  uint64_t differing(const cucore_launch_options& options) const noexcept {
    return (uint64_t{0} | ... | (shape[I] ^ word_of<I>(options)));
  }

  // Runs `act` if the observer is there, which keeps the memory of the tally valid meanwhile.
  template <class Act>
  bool change(Act&& act) const noexcept {
    ObservingThread& thread = observing_thread;
    thread.announce(observed.launch_place.load(std::memory_order_relaxed));
    bool is_done = false;
    if (observed.launch_observer.load() == thread.tallies_of) [[likely]]
      is_done = act();
    thread.leave();
    return is_done;
  }
  void add(const cucore_launch_options& options, bool is_captured, uint64_t count) const noexcept {
    if (is_captured) [[unlikely]] {
      tally->captured += count;
      return;
    }
    tally->calls += count;
    if (options.bytes_read | options.bytes_written | options.operations) [[unlikely]]
      add_hints(options, count);
  }
  void add_hints(const cucore_launch_options& options, uint64_t count) const noexcept;
};

class LaunchTallies {
 public:
  // Returns the launches that this one belongs to; null if they have no tally.
  const TalliedLaunch* find(const cucore_kernel* kernel, const cucore_stream* stream,
                            const cucore_launch_options& options) const noexcept {
    const size_t place = place_of(kernel, stream, options);
    if (launches_[place].is(kernel, stream, options)) [[likely]]
      return &launches_[place];
    const TalliedLaunch& other = launches_[place ^ 1];
    return other.is(kernel, stream, options) ? &other : nullptr;
  }
  void set(const TalliedLaunch& launch, const cucore_launch_options& options) noexcept;
  void clear() noexcept { launches_ = {}; }

 private:
  static constexpr unsigned PLACE_BITS = 6;
  static size_t place_of(const cucore_kernel* kernel, const cucore_stream* stream,
                         const cucore_launch_options& options) noexcept {
    const uint64_t word =
        reinterpret_cast<uintptr_t>(kernel) + 3 * reinterpret_cast<uintptr_t>(stream) +
        5 * TalliedLaunch::word_of<0>(options) + 7 * TalliedLaunch::word_of<1>(options);
    return (word * 0x9e3779b97f4a7c15u) >> (64 - PLACE_BITS);
  }

  // Two launches may have the same place, so one may also be in the next place.
  std::array<TalliedLaunch, size_t{1} << PLACE_BITS> launches_;
};

// Returns the tallied launches of this thread that a launch belongs to; null if it has no tally.
[[gnu::always_inline]] inline const TalliedLaunch* tallied_launch(
    const cucore_kernel* kernel, const cucore_stream* stream,
    const cucore_launch_options& options) noexcept {
  const ObservingThread& thread = observing_thread;
  if (thread.tallies_of != observed.launch_observer.load(std::memory_order_relaxed) ||
      thread.calling) [[unlikely]]
    return nullptr;
  return thread.tallies->find(kernel, stream, options);
}

// See cucore_operation_tally().
bool set_tally(const cucore_operation& operation, cucore_launch_tally& tally) noexcept;

}  // namespace cucore::core
