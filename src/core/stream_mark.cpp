#include "core/stream_mark.hpp"

#include "driver/stream_capture.hpp"

namespace cucore::core {

using driver::ContextGuard;

void StreamMark::use() noexcept {
  std::lock_guard lock(mutex_);
  used_ = true;
}

StreamMark::~StreamMark() { destroy_event(); }

void StreamMark::destroy_event() noexcept {
  const CUevent event = std::exchange(event_, nullptr);
  if (!event || context_->is_gone()) return;
  const auto* cu = driver::cuda_if_available();
  const ContextGuard guard(context_->native(), std::nothrow);
  if (cu) driver::check_release(cu->cuEventDestroy(event), "destroy an event");
}

StreamMark::Marked StreamMark::record(CUevent& event) noexcept {
  std::lock_guard lock(mutex_);
  return stream_ ? record_locked(event) : last_;
}

StreamMark::Marked StreamMark::record_locked(CUevent& event) noexcept {
  if (!used_ || context_->is_gone()) return Marked::YES;
  const auto* cu = driver::cuda_if_available();
  const ContextGuard guard(context_->native(), std::nothrow);
  if (!cu || !guard) return Marked::UNMARKED;
  if (driver::is_captured(*cu, stream_)) return Marked::CAPTURED;
  if (!event && cu->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
    return Marked::UNMARKED;
  if (driver::record_outside_capture(*cu, event, stream_)) return Marked::YES;
  return driver::is_captured(*cu, stream_) ? Marked::CAPTURED : Marked::UNMARKED;
}

bool StreamMark::make_wait(const driver::CudaTable& cu,
                           const ReleaseStreams::Lease& waiter) noexcept {
  std::lock_guard lock(mutex_);
  if (context_->is_gone()) return true;
  if (stream_) return !driver::is_captured(cu, stream_) && waiter.wait_for(cu, stream_);
  return last_ == Marked::YES && (!event_ || waiter.wait_for(cu, event_));
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
  if (!event_ || context_->is_gone()) return true;
  const auto* cu = driver::cuda_if_available();
  const ContextGuard guard(context_->native(), std::nothrow);
  return !cu || driver::is_complete(*cu, event_);
}

bool StreamMark::is_finished() const noexcept {
  {
    std::lock_guard lock(mutex_);
    if (stream_ || last_ != Marked::YES) return false;
  }
  return is_complete();
}

}  // namespace cucore::core
