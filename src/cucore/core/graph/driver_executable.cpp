// SPDX-License-Identifier: Apache-2.0
#include "core/graph/driver_executable.hpp"

#include <mutex>
#include <utility>

#include "core/objects/context_scope.hpp"
#include "driver/stream_capture.hpp"

namespace cucore::core {
namespace {

// Held during destructions. No launch is left then, so it is not held during a wait for a device.
std::mutex destroying;
DriverExecutable* idle = nullptr;

}  // namespace

void DriverExecutable::set_idle() noexcept {
  const std::lock_guard lock(destroying);
  next_ = std::exchange(idle, this);
  if (next_) next_->at_ = &next_;
  at_ = &idle;
}

void DriverExecutable::destroy() noexcept {
  if (driver::forked()) return;  // the mutex may stay locked
  const std::lock_guard lock(destroying);
  destroy_locked();
}

void DriverExecutable::destroy_locked() noexcept {
  if (at_) {
    *at_ = next_;
    if (next_) next_->at_ = at_;
    at_ = nullptr;
  }
  const CUgraphExec executable = std::exchange(native, nullptr);
  const driver::CudaTable* const cu = driver::cuda_if_available();
  if (!executable || !cu) return;
  const ContextScope scope(*context_, std::nothrow);
  if (scope.is_alive())
    driver::check_release(cu->cuGraphExecDestroy(executable), "destroy an executable graph");
}

void DriverExecutable::destroy_idle() noexcept {
  const std::lock_guard lock(destroying);
  if (!idle) return;
  const driver::RelaxedCaptures relaxed;
  while (idle) idle->destroy_locked();
}

}  // namespace cucore::core
