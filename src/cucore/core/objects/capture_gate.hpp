// SPDX-License-Identifier: Apache-2.0
// The place where the work of a stream finds the capture that the library has begun on the stream.
// Both keep it, so that the work needs no other lock than that of the capture's objects.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>

#include "core/objects/biased_mutex.hpp"
#include "support/ref.hpp"

namespace cucore::core {

class CaptureSession;

struct CaptureGate final : Object {
  // Whether the session keeps the object for certain. Needs no lock, because most work uses the
  // objects of the work before.
  bool keeps(const Object& object) const noexcept {
    return std::ranges::any_of(
        recent, [&](const auto& each) { return each.load(std::memory_order_acquire) == &object; });
  }

  BiasedMutex mutex;                  // also guards the objects of the session
  CaptureSession* session = nullptr;  // null after its end
  // Some objects that the session keeps; null after its end. Written under the lock.
  std::array<std::atomic<const Object*>, 8> recent{};
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
