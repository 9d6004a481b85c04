// SPDX-License-Identifier: Apache-2.0
#include "core/objects/captured_work.hpp"

#include <utility>

#include "core/objects/user_object.hpp"
#include "driver/cuda.hpp"
#include "support/concat.hpp"
#include "support/log.hpp"

namespace cucore::core {
namespace {

driver::CaptureInfo info_of(const driver::CudaTable& cu, CUstream stream) {
  driver::CaptureInfo info;
  driver::check(driver::capture_info(cu, stream, info), "query whether a stream is captured");
  return info;
}

}  // namespace

CapturedWork::CapturedWork(const Stream& stream) : stream_(stream) {
  if (stream.own_capture_gate() && enter(stream)) return;
  const driver::CaptureInfo info = info_of(driver::cuda(), stream.native());
  if (!info.is_active()) return;
  is_captured_ = true;
  capture_ = info.id;
  graph_ = info.graph;
  found_ = find_capture(info.id);
  session_ = found_.get();
  if (session_) lock_ = session_->lock();
  // The session of a capture ends after the capture itself, so other code has begun one that goes
  // on without a session.
  const bool goes_on = session_ ? session_->is_open() : is_in(info.id);
  if (!goes_on)
    throw Error(Status::INVALID_STATE,
                concat("cannot add work to ", stream.label(),
                       ", because another thread ends its capture; add the work before the end, or "
                       "after it"));
}

bool CapturedWork::is_in(uint64_t capture) const {
  const driver::CaptureInfo info = info_of(driver::cuda(), stream_.native());
  return info.is_active() && info.id == capture;
}

// The session cannot end while its gate is locked.
bool CapturedWork::enter(const Stream& stream) {
  CaptureGate& gate = stream.capture_gate();
  lock_ = std::unique_lock(gate.mutex);
  session_ = gate.session;
  if (!session_) {
    lock_.unlock();
    return false;
  }
  is_captured_ = true;
  capture_ = session_->id();
  return true;
}

void CapturedWork::refuse_in_body(NodeKind kind) const {
  if (session_ && session_->is_into_body()) throw_not_for_body(kind);
}

void CapturedWork::hold(const Object& object) {
  if (session_) return session_->hold(object, lock_);
  Ref<const Object> held(&object);
  if (graph_) {
    const driver::ContextGuard guard(stream_.context()->native());
    UserObject(driver::cuda(), std::move(held)).move_to(graph_);
    return;
  }
  log(LogLevel::DEBUG,
      "this driver does not report the graph of a capture, so what the graph uses is never "
      "released");
  (void)held.detach();
}

void detail::hold_if_captured(const Stream& stream, const Object& object) {
  CapturedWork work(stream);
  if (work.is_captured()) work.hold(object);
}

void detail::hold_outside_bodies(const Stream& stream, const Object& object, NodeKind kind) {
  CapturedWork work(stream);
  if (!work.is_captured()) return;
  work.refuse_in_body(kind);
  work.hold(object);
}

void detail::throw_captured(const char* action) {
  throw Error(Status::INVALID_STATE,
              concat("cannot ", action,
                     " a stream that is being captured: nothing runs until the graph is launched; "
                     "end the capture first"));
}

uint64_t detail::capture_of(const Stream& stream) {
  const driver::CaptureInfo info = info_of(driver::cuda(), stream.native());
  if (info.status == CU_STREAM_CAPTURE_STATUS_NONE) return NOT_CAPTURED;
  return info.is_active() ? info.id : BROKEN_CAPTURE;
}

bool detail::is_in_capture(const Stream& stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  driver::check_query(driver::cuda().cuStreamIsCapturing(stream.native(), &status),
                      "query whether a stream is captured");
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

}  // namespace cucore::core
