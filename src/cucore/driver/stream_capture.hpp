// SPDX-License-Identifier: Apache-2.0
// Captures of streams into graphs, from the view of unrelated calls.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "driver/cuda.hpp"

namespace cucore::driver {

// Returns true for the result of a call that a capture forbids for now: it should be tried again.
inline bool is_capture_in_the_way(CUresult result) noexcept {
  return result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
         result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

// Throws the Error of a failed query whether a stream is captured. Unlike check(), it notes no
// cause of a broken capture, because such a query breaks none.
inline void check_query(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) [[unlikely]]
    fail(result, what, {});
}
template <class Describe>
requires requires(Describe d) { std::string(d()); }
void check_query(CUresult result, Describe&& describe) {
  if (result != CUDA_SUCCESS) [[unlikely]]
    fail(result, std::string(describe()), {});
}

enum class CaptureState {
  NONE,
  CAPTURED,  // work for the stream goes into a graph
  BLOCKED,   // it would break the capture of another stream: on the legacy default stream
};

inline CaptureState capture_state(const CudaTable& cu, CUstream stream) noexcept {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = cu.cuStreamIsCapturing(stream, &status);
  if (is_capture_in_the_way(result)) return CaptureState::BLOCKED;
  const bool captured = result == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
  return captured ? CaptureState::CAPTURED : CaptureState::NONE;
}

inline bool is_captured(const CudaTable& cu, CUstream stream) noexcept {
  return capture_state(cu, stream) != CaptureState::NONE;
}

// The capture of a stream. The members after the status are those of an active one.
struct CaptureInfo {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;  // 0: the driver does not report captures
  CUgraph graph = nullptr;

  bool is_active() const { return status == CU_STREAM_CAPTURE_STATUS_ACTIVE; }
};

// Queries the capture of a stream. Breaks no capture.
inline CUresult capture_info(const CudaTable& cu, CUstream stream, CaptureInfo& info) noexcept {
  if (cu.cuStreamGetCaptureInfo)
    return cu.cuStreamGetCaptureInfo(stream, &info.status, &info.id, &info.graph, nullptr, nullptr,
                                     nullptr);
  if (cu.cuStreamGetCaptureInfo_before_edges)
    return cu.cuStreamGetCaptureInfo_before_edges(stream, &info.status, &info.id, &info.graph,
                                                  nullptr, nullptr);
  return cu.cuStreamIsCapturing(stream, &info.status);
}

// Returns the nodes that the next work of a captured stream comes after. Throws if the driver
// fails.
std::vector<CUgraphNode> capture_point(const CudaTable& cu, CUstream stream);

// Replaces them.
CUresult set_capture_point(const CudaTable& cu, CUstream stream, std::vector<CUgraphNode>& nodes);

// Records the stream's present work. Returns false if the driver refuses, and if a capture has
// begun, because an event of a capture completes without work.
inline bool record_outside_capture(const CudaTable& cu, CUevent event, CUstream stream) noexcept {
  return cu.cuEventRecord(event, stream) == CUDA_SUCCESS && !is_captured(cu, stream);
}

// Returns whether this result of a query or a wait means the end of the work. The work is then
// complete, or its context is broken or gone. After any other result the work may still run, so its
// resources must stay, and the caller tries again.
inline bool has_ended(CUresult result) noexcept {
  switch (result) {
    case CUDA_SUCCESS:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_INVALID_HANDLE:
      return true;
    case CUDA_ERROR_NOT_READY:
      return false;
    default:
      return is_sticky(result);
  }
}

enum class EventState { RUNNING, COMPLETE, CAPTURED };

// An event that a capture has recorded, even one that has ended, never completes.
inline EventState event_state(const CudaTable& cu, CUevent event) noexcept {
  const CUresult result = cu.cuEventQuery(event);
  if (result == CUDA_ERROR_CAPTURED_EVENT) return EventState::CAPTURED;
  return has_ended(result) ? EventState::COMPLETE : EventState::RUNNING;
}

inline bool is_complete(const CudaTable& cu, CUevent event) noexcept {
  return has_ended(cu.cuEventQuery(event));
}

// Lets the calling thread make driver calls that a capture of any thread would forbid. For calls
// that are unrelated to the capture: queries of other streams, and releases. Without it such a call
// fails, and invalidates a capture in global mode.
class RelaxedCaptures {
 public:
  RelaxedCaptures() noexcept : RelaxedCaptures(true) {}
  ~RelaxedCaptures() { exchange(); }
  RelaxedCaptures(const RelaxedCaptures&) = delete;
  RelaxedCaptures& operator=(const RelaxedCaptures&) = delete;

 protected:
  explicit RelaxedCaptures(bool is_needed) noexcept
      : table_(is_needed ? cuda_if_available() : nullptr) {
    exchange();
  }

 private:
  void exchange() noexcept {
    if (table_) (void)table_->cuThreadExchangeStreamCaptureMode(&mode_);
  }

  const CudaTable* table_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

// The captures of the library whose mode restricts other calls, and those that begin. Without them,
// queries need no RelaxedCaptures.
inline std::atomic<uint32_t> restricting_captures{0};

// Announces such a capture before the driver begins it.
class RestrictingCapture {
 public:
  explicit RestrictingCapture(CUstreamCaptureMode mode) noexcept
      : restricts_(mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
    if (restricts_) restricting_captures.fetch_add(1);
  }
  ~RestrictingCapture() {
    if (restricts_) restricting_captures.fetch_sub(1);
  }
  RestrictingCapture(const RestrictingCapture&) = delete;
  RestrictingCapture& operator=(const RestrictingCapture&) = delete;

 private:
  const bool restricts_;
};

// Does the same while such a capture exists. Else it costs one comparison. For queries, which are
// frequent: one that runs at the instant of a beginning may still break that capture.
class RelaxedIfRestricted : public RelaxedCaptures {
 public:
  RelaxedIfRestricted() noexcept
      : RelaxedCaptures(restricting_captures.load(std::memory_order_relaxed) != 0) {}
};

}  // namespace cucore::driver
