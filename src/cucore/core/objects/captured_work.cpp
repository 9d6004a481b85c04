// SPDX-License-Identifier: Apache-2.0
#include "core/objects/captured_work.hpp"

#include <utility>

#include "core/objects/capture_session.hpp"
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

void detail::hold_if_captured(const Stream& stream, const Object& object) {
  const auto& cu = driver::cuda();
  const driver::CaptureInfo info = info_of(cu, stream.native());
  if (!info.is_active()) return;
  Ref<const Object> held(&object);
  if (const Ref<CaptureSession> session = find_capture(info.id))
    return session->hold(std::move(held));
  if (info.graph) {
    const driver::ContextGuard guard(stream.context()->native());
    UserObject(cu, std::move(held)).move_to(info.graph);
    return;
  }
  log(LogLevel::DEBUG,
      "this driver does not report the graph of a capture, so what the graph uses is never "
      "released");
  (void)held.detach();
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
  driver::check(driver::cuda().cuStreamIsCapturing(stream.native(), &status),
                "query whether a stream is captured");
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

}  // namespace cucore::core
