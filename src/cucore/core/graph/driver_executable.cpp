// SPDX-License-Identifier: Apache-2.0
#include "core/graph/driver_executable.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "core/objects/context_scope.hpp"
#include "driver/stream_capture.hpp"

namespace cucore::core {
namespace {

// A longer wait would not make the creation faster.
constexpr std::chrono::milliseconds LONGEST_WAIT{10};

struct Idle {
  std::mutex mutex;  // not held during calls of the driver: a release may take it anywhere
  std::condition_variable ended;
  DriverExecutable* first = nullptr;
  int destructions = 0;  // in progress

  void wait(std::unique_lock<std::mutex>& lock) {
    ended.wait_for(lock, LONGEST_WAIT, [&] { return destructions == 0; });
  }
};

Idle& idle() {
  static auto* const instance = new Idle;  // never destroyed: threads may use it at exit
  return *instance;
}

// Lets one thread at a time destroy idle executables, unless that takes long.
class IdleDestruction {
 public:
  IdleDestruction() {
    std::unique_lock lock(idle().mutex);
    idle().wait(lock);
    ++idle().destructions;
  }
  ~IdleDestruction() {
    {
      const std::lock_guard lock(idle().mutex);
      --idle().destructions;
    }
    idle().ended.notify_all();
  }
  IdleDestruction(const IdleDestruction&) = delete;
  IdleDestruction& operator=(const IdleDestruction&) = delete;
};

}  // namespace

DriverExecutable::DriverExecutable(Ref<Context> context) : context_(std::move(context)) {
  (void)idle();  // may throw here alone
}

void DriverExecutable::set_idle() noexcept {
  const std::lock_guard lock(idle().mutex);
  next_ = std::exchange(idle().first, this);
  if (next_) next_->at_ = &next_;
  at_ = &idle().first;
}

DriverExecutable::Taken DriverExecutable::take() noexcept {
  Taken taken{context_, std::exchange(native, nullptr), at_ != nullptr};
  if (!at_) return taken;
  *at_ = next_;
  if (next_) next_->at_ = at_;
  at_ = nullptr;
  return taken;
}

// The log's receiver is code of the program, so it is not called during an IdleDestruction.
void DriverExecutable::Taken::destroy() const noexcept {
  const driver::CudaTable* const cu = driver::cuda_if_available();
  if (!executable || !cu) return;
  const ContextScope scope(*context, std::nothrow);
  if (!scope.is_alive()) return;
  std::optional<IdleDestruction> destruction;
  if (is_idle) destruction.emplace();
  const CUresult result = cu->cuGraphExecDestroy(executable);
  destruction.reset();
  driver::check_release(result, "destroy an executable graph");
}

void DriverExecutable::destroy() noexcept {
  if (driver::forked()) return;  // the mutex may stay locked
  const Taken taken = [&] {
    const std::lock_guard lock(idle().mutex);
    return take();
  }();
  taken.destroy();
}

void DriverExecutable::destroy_idle() noexcept {
  std::optional<Taken> taken;
  {
    std::unique_lock lock(idle().mutex);
    if (idle().first)
      taken = idle().first->take();
    else
      idle().wait(lock);
  }
  if (!taken) return;
  const driver::RelaxedCaptures relaxed;
  taken->destroy();
}

}  // namespace cucore::core
