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

inline constexpr uint64_t GOLDEN = 0x9e3779b97f4a7c15u;

// The launches of one kernel, stream and shape, and their tally: one line of the cache. A handle of
// a released stream may come back as a stream of another device, so the device counts too.
struct alignas(64) TalliedLaunch {
  // The numbers of the options from the grid to the shared memory.
  using Shape = std::array<uint64_t, 5>;

  const cucore_kernel* kernel = nullptr;  // null: no launch
  uint64_t stream = 0;                    // of stream_word()
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
  // The product differs for each device, and no difference of two addresses is one of products.
  static uint64_t stream_word(const cucore_stream* stream, const Device& device) noexcept {
    return reinterpret_cast<uintptr_t>(stream) ^ reinterpret_cast<uintptr_t>(&device) * GOLDEN;
  }
  // Compares without a loop, whose end the processor would not predict.
  bool is(const cucore_kernel* other_kernel, uint64_t other_stream,
          const cucore_launch_options& options) const noexcept {
    return (differing(kernel, other_kernel) | (stream ^ other_stream) |
            differing<0, 1, 2, 3, 4>(options)) == 0;
  }

 private:
  static uint64_t differing(const void* one, const void* other) noexcept {
    return reinterpret_cast<uintptr_t>(one) ^ reinterpret_cast<uintptr_t>(other);
  }
  template <size_t... I>
  uint64_t differing(const cucore_launch_options& options) const noexcept {
    return (uint64_t{0} | ... | (shape[I] ^ word_of<I>(options)));
  }
};

// A launch that is counted in a tally, from its begin on. It keeps the tally, because the launch
// may run code of the program that sets other ones.
class CountedLaunch {
 public:
  // Counts a launch that begins. `tallied` may be null.
  [[gnu::always_inline]] CountedLaunch(const TalliedLaunch* tallied,
                                       const cucore_launch_options& options,
                                       bool is_captured) noexcept
      : options_(options), is_captured_(is_captured) {
    if (!tallied) [[unlikely]]
      return;
    ObservingThread& thread = observing_thread;
    // The observer keeps the memory of the tally valid while the thread is in its place.
    thread.announce(observed.launch_place.load(std::memory_order_acquire));
    if (observed.launch_observer.load() == thread.tallies_of && tallied->tally->left != 0)
        [[likely]] {
      observer_ = thread.tallies_of;
      tally_ = tallied->tally;
      --tally_->left;
      add(1);
    }
    thread.leave();
  }

  // Returns whether the launch is counted. It must be observed otherwise.
  explicit operator bool() const noexcept { return tally_ != nullptr; }
  // Corrects the counts: the launch has failed.
  [[gnu::cold, gnu::noinline]] void fail() const noexcept;

 private:
  void add(uint64_t count) const noexcept {
    if (is_captured_) [[unlikely]] {
      tally_->captured += count;
      return;
    }
    tally_->calls += count;
    if (options_.bytes_read | options_.bytes_written | options_.operations) [[unlikely]]
      add_hints(count);
  }
  void add_hints(uint64_t count) const noexcept;

  const cucore_launch_options& options_;
  cucore_launch_tally* tally_ = nullptr;
  uint64_t observer_ = 0;
  const bool is_captured_;
};

class LaunchTallies {
 public:
  // Returns the launches that this one belongs to; null if they have no tally.
  const TalliedLaunch* find(const cucore_kernel* kernel, uint64_t stream,
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
  static size_t place_of(const cucore_kernel* kernel, uint64_t stream,
                         const cucore_launch_options& options) noexcept {
    const uint64_t word = reinterpret_cast<uintptr_t>(kernel) + 3 * stream +
                          5 * TalliedLaunch::word_of<0>(options) +
                          7 * TalliedLaunch::word_of<1>(options);
    return (word * GOLDEN) >> (64 - PLACE_BITS);
  }

  // Two launches may have the same place, so one may also be in the next place.
  std::array<TalliedLaunch, size_t{1} << PLACE_BITS> launches_;
};

// Returns the tallied launches of this thread that a launch belongs to; null if it has no tally.
[[gnu::always_inline]] inline const TalliedLaunch* tallied_launch(
    const cucore_kernel* kernel, const cucore_stream* stream, const Device& device,
    const cucore_launch_options& options) noexcept {
  const ObservingThread& thread = observing_thread;
  if (thread.tallies_of != observed.launch_observer.load(std::memory_order_relaxed) ||
      thread.calling) [[unlikely]]
    return nullptr;
  return thread.tallies->find(kernel, TalliedLaunch::stream_word(stream, device), options);
}

// See cucore_operation_tally().
bool set_tally(const cucore_operation& operation, cucore_launch_tally& tally) noexcept;

}  // namespace cucore::core
