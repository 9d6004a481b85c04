// SPDX-License-Identifier: Apache-2.0
#include "core/objects/stream_mark.hpp"

#include "core/objects/context_scope.hpp"
#include "driver/check_sessions.hpp"
#include "driver/stream_capture.hpp"

namespace cucore::core {

void StreamMark::use() noexcept {
  std::lock_guard lock(mutex_);
  used_ = true;
}

StreamMark::~StreamMark() { destroy_event(); }

void StreamMark::destroy_event() noexcept {
  const CUevent event = std::exchange(event_, nullptr);
  if (!event) return;
  const ContextScope scope(*context_, std::nothrow);
  const auto* cu = driver::cuda_if_available();
  if (cu && scope.is_alive()) driver::check_release(cu->cuEventDestroy(event), "destroy an event");
}

StreamMark::Marked StreamMark::record(CUevent& event) noexcept {
  std::lock_guard lock(mutex_);
  return stream_ ? record_locked(event) : last_;
}

StreamMark::Marked StreamMark::record_locked(CUevent& event) noexcept {
  if (!used_) return Marked::YES;
  const ContextScope scope(*context_, std::nothrow);
  if (!scope.is_alive()) return Marked::YES;
  const auto* cu = driver::cuda_if_available();
  if (!cu || !scope.is_current()) return Marked::UNMARKED;
  if (driver::is_captured(*cu, stream_)) return Marked::CAPTURED;
  if (!event && driver::create_own_event(*cu, &event) != CUDA_SUCCESS) return Marked::UNMARKED;
  if (driver::record_outside_capture(*cu, event, stream_)) return Marked::YES;
  return driver::is_captured(*cu, stream_) ? Marked::CAPTURED : Marked::UNMARKED;
}

bool StreamMark::prepare_wait(const driver::CudaTable& cu) noexcept {
  std::lock_guard lock(mutex_);
  const ContextScope scope(*context_, std::nothrow);
  if (!scope.is_alive()) return true;
  if (!stream_) return last_ == Marked::YES;
  if (driver::is_captured(cu, stream_)) return false;
  if (!event_ && driver::create_own_event(cu, &event_) != CUDA_SUCCESS) return false;
  return driver::record_outside_capture(cu, event_, stream_);
}

bool StreamMark::make_wait(const driver::CudaTable& cu,
                           const ReleaseStreams::Lease& waiter) noexcept {
  std::lock_guard lock(mutex_);
  const ContextAccess access(*context_, std::nothrow);
  return !access.is_alive() || !event_ || waiter.wait_for(cu, event_);
}

void StreamMark::retire() noexcept {
  std::lock_guard lock(mutex_);
  const driver::RelaxedCaptures relaxed;
  last_ = record_locked(event_);
  if (last_ == Marked::CAPTURED) last_ = Marked::UNMARKED;
  stream_ = nullptr;
}

bool StreamMark::is_complete() const noexcept {
  std::lock_guard lock(mutex_);
  if (!event_) return true;
  const ContextScope scope(*context_, std::nothrow);
  const auto* cu = driver::cuda_if_available();
  return !scope.is_alive() || !cu || driver::is_complete(*cu, event_);
}

bool StreamMark::is_finished() const noexcept {
  {
    std::lock_guard lock(mutex_);
    if (stream_ || last_ != Marked::YES) return false;
  }
  return is_complete();
}

bool StreamMark::is_unmarked() const noexcept {
  std::lock_guard lock(mutex_);
  return !stream_ && last_ == Marked::UNMARKED;
}

}  // namespace cucore::core
