// SPDX-License-Identifier: Apache-2.0
#include "core/graph/driver_executable.hpp"

#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "core/objects/context_scope.hpp"
#include "driver/stream_capture.hpp"

namespace cucore::core {
namespace {

// A longer wait would not make the creation faster.
constexpr std::chrono::milliseconds LONGEST_WAIT{10};

std::mutex listing;  // not held during calls of the driver: a release may take it anywhere
DriverExecutable* idle = nullptr;

// Held during the destruction of idle ones.
std::timed_mutex destroying;

}  // namespace

void DriverExecutable::set_idle() noexcept {
  const std::lock_guard lock(listing);
  next_ = std::exchange(idle, this);
  if (next_) next_->at_ = &next_;
  at_ = &idle;
}

DriverExecutable::Taken DriverExecutable::take() noexcept {
  Taken taken{context_, std::exchange(native, nullptr), at_ != nullptr};
  if (!at_) return taken;
  *at_ = next_;
  if (next_) next_->at_ = at_;
  at_ = nullptr;
  return taken;
}

// The log's receiver is code of the program, so it is not called with the lock.
void DriverExecutable::Taken::destroy() const noexcept {
  const driver::CudaTable* const cu = driver::cuda_if_available();
  if (!executable || !cu) return;
  const ContextScope scope(*context, std::nothrow);
  if (!scope.is_alive()) return;
  CUresult result = CUDA_SUCCESS;
  {
    std::unique_lock lock(destroying, std::defer_lock);
    if (is_idle) (void)lock.try_lock_for(LONGEST_WAIT);
    result = cu->cuGraphExecDestroy(executable);
  }
  driver::check_release(result, "destroy an executable graph");
}

void DriverExecutable::destroy() noexcept {
  if (driver::forked()) return;  // the mutexes may stay locked
  const Taken taken = [&] {
    const std::lock_guard lock(listing);
    return take();
  }();
  taken.destroy();
}

void DriverExecutable::destroy_idle() noexcept {
  std::optional<Taken> taken;
  {
    const std::lock_guard lock(listing);
    if (idle) taken = idle->take();
  }
  if (taken) {
    const driver::RelaxedCaptures relaxed;
    taken->destroy();
  } else if (destroying.try_lock_for(LONGEST_WAIT)) {
    destroying.unlock();
  }
}

}  // namespace cucore::core
