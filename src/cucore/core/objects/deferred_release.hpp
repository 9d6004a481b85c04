// SPDX-License-Identifier: Apache-2.0
// Releases of resources that device work may still use, on threads of the library. Those that may
// wait for a device have a thread of their own, because its work may never end.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "core/objects/stream_uses.hpp"

namespace cucore::core {

// A resource of the driver that is released once all work that uses it is complete. Created
// together with the resource, so that its release allocates nothing.
class DeferredRelease {
 public:
  static constexpr std::chrono::milliseconds DELAY{2};

  virtual ~DeferredRelease() = default;

  // Returns whether is_ready() or perform() may wait for work of a device.
  virtual bool may_wait() const noexcept { return uses_.need_blocking_wait(); }

  // Called repeatedly until it returns true. May block only after may_wait() has returned true.
  virtual bool is_ready() noexcept { return uses_.are_complete(); }

  // Releases the resource. Does nothing if that is done.
  virtual void perform(const driver::CudaTable& cu) noexcept = 0;

  // Call before defer_release(), for a release that need not wait. The thread leaves it to
  // perform_delayed_release() for DELAY or somewhat longer.
  void delay() noexcept { not_before_ = std::chrono::steady_clock::now() + DELAY; }

  StreamUses& uses() { return uses_; }
  const StreamUses& uses() const { return uses_; }

 private:
  friend class DeferredReleases;
  StreamUses uses_;
  std::chrono::steady_clock::time_point not_before_{};
  DeferredRelease* next_ = nullptr;
};

// A reference of a graph to the objects that it launches.
struct Held {
  explicit Held(Ref<const Object> object) : what(std::move(object)) {}

  Ref<const Object> what;
  Held* next = nullptr;  // in the queue
};

// Starts the threads unless they run; throws if it cannot.
void start_deferred_releases();

// Queues the release and returns at once. The uses must have been marked.
void defer_release(std::unique_ptr<DeferredRelease> release) noexcept;

// Does the same for a reference, on a thread that must not call the driver.
void defer_release(std::unique_ptr<Held> held) noexcept;

// Performs the latest delayed release on this thread. A thread of the library ends the object.
// Returns false if no release is delayed, or if a thread waits for all that are ready.
bool perform_delayed_release() noexcept;

// Waits until the releases that are ready have been performed. Delayed ones are. Each of the two
// threads is waited for a second at most, and one that another thread has taken for another.
void perform_ready_releases() noexcept;

// Does the same without the releases that may wait for a device.
void perform_prompt_releases() noexcept;

}  // namespace cucore::core
