#include "core/stream_mark.hpp"

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

StreamMark::Marked StreamMark::record() noexcept {
  std::lock_guard lock(mutex_);
  return record_locked();
}

StreamMark::Marked StreamMark::record_locked() noexcept {
  if (!stream_ || !used_ || context_->is_gone()) return last_;
  const auto* cu = driver::cuda_if_available();
  const ContextGuard guard(context_->native(), std::nothrow);
  if (!cu || !guard) return last_ = Marked::UNMARKED;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (cu->cuStreamIsCapturing(stream_, &status) == CUDA_SUCCESS &&
      status != CU_STREAM_CAPTURE_STATUS_NONE)
    return last_ = Marked::CAPTURED;
  if (!event_ && cu->cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
    return last_ = Marked::UNMARKED;
  return last_ =
             cu->cuEventRecord(event_, stream_) == CUDA_SUCCESS ? Marked::YES : Marked::UNMARKED;
}

void StreamMark::retire() noexcept {
  std::lock_guard lock(mutex_);
  if (record_locked() == Marked::CAPTURED) last_ = Marked::UNMARKED;
  stream_ = nullptr;
}

bool StreamMark::is_complete() const noexcept {
  std::lock_guard lock(mutex_);
  return is_complete_locked();
}

bool StreamMark::is_complete_locked() const noexcept {
  if (!event_ || context_->is_gone()) return true;
  const auto* cu = driver::cuda_if_available();
  const ContextGuard guard(context_->native(), std::nothrow);
  return !cu || !guard || cu->cuEventQuery(event_) != CUDA_ERROR_NOT_READY;
}

void StreamMark::give_back() noexcept {
  std::lock_guard lock(mutex_);
  if (is_complete_locked()) destroy_event();
}

bool StreamMark::is_finished() const noexcept {
  {
    std::lock_guard lock(mutex_);
    if (stream_ || last_ != Marked::YES) return false;
  }
  return is_complete();
}

}  // namespace cucore::core
