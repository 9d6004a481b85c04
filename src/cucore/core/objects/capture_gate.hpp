// SPDX-License-Identifier: Apache-2.0
// The place where the work of a stream finds the capture that the library has begun on the stream.
// Both keep it, so that the work needs no other lock than that of the capture's objects.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/objects/biased_mutex.hpp"
#include "core/objects/launch_extents.hpp"
#include "support/keep_mark.hpp"
#include "support/ref.hpp"

namespace cucore::core {

class CaptureSession;

struct alignas(64) CaptureGate final : Object {
  // No mark has this number.
  static constexpr uint64_t NO_OWNER = UINT64_MAX;

  // Whether the session keeps the object for certain. Needs no lock, because most work uses the
  // objects of the work before.
  [[gnu::always_inline]] bool keeps(const Object& object) const noexcept {
    const Places& places = recent_[set_of(object)];
    return places[0].load(std::memory_order_acquire) == &object ||
           places[1].load(std::memory_order_acquire) == &object;
  }
  // The caller has the lock, as for forget().
  void note(const Object& object) noexcept {
    Places& places = recent_[set_of(object)];
    places[1].store(places[0].load(std::memory_order_relaxed), std::memory_order_release);
    places[0].store(&object, std::memory_order_release);
  }
  void forget() noexcept {
    for (Places& places : recent_)
      for (auto& place : places) place.store(nullptr, std::memory_order_release);
  }

  BiasedMutex mutex;                           // also guards the objects of the session
  CaptureSession* session = nullptr;           // null after its end
  uint64_t owner = NO_OWNER;                   // of the marks of objects that the session keeps
  RepeatedLaunch<CUlaunchConfig> next_launch;  // of the stream; guarded by the mutex

 private:
  // Each object has two places. The bits of its address that differ most decide which.
  using Places = std::array<std::atomic<const Object*>, 2>;
  static constexpr unsigned BITS = 5;
  static size_t set_of(const Object& object) noexcept {
    constexpr uint64_t GOLDEN = 0x9e3779b97f4a7c15;
    return (reinterpret_cast<uintptr_t>(&object) * GOLDEN) >> (64 - BITS);
  }

  // Some objects that the session keeps; null after its end. Written under the lock.
  std::array<Places, 1 << BITS> recent_{};
};

// The gate of a stream, which only streams that are captured have. Any thread may make it.
class OptionalGate {
 public:
  OptionalGate() = default;
  ~OptionalGate() {
    if (const CaptureGate* gate = gate_.load()) gate->drop_reference();
  }
  OptionalGate(const OptionalGate&) = delete;
  OptionalGate& operator=(const OptionalGate&) = delete;

  void require() {
    if (gate_.load()) return;
    Ref<CaptureGate> made = make<CaptureGate>();
    CaptureGate* none = nullptr;
    if (gate_.compare_exchange_strong(none, made.get())) (void)made.detach();
  }
  // Null before require().
  CaptureGate* get() const { return gate_.load(std::memory_order_acquire); }

 private:
  std::atomic<CaptureGate*> gate_{nullptr};  // has a reference
};

}  // namespace cucore::core
