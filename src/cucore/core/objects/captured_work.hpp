// SPDX-License-Identifier: Apache-2.0
// Work that becomes a node of a graph: the graph keeps alive what the work uses. Work that cannot
// become a node is refused before the driver breaks the capture.
#pragma once

#include <mutex>

#include "core/objects/capture_session.hpp"
#include "core/objects/node_kind.hpp"
#include "core/objects/stream.hpp"

namespace cucore::core {

// Values in place of the driver's number of a capture.
inline constexpr uint64_t NOT_CAPTURED = 0, BROKEN_CAPTURE = UINT64_MAX;

// The objects of one piece of work on a stream that may be captured. Call before the work is added;
// the stream's context must be current for a default stream. While this object exists,
// end_capture() waits. Work that a thread adds meanwhile becomes a node.
class CapturedWork {
 public:
  // Asks the driver about the capture, unless only the library can have begun and ended it. Throws
  // INVALID_STATE if another thread is ending the capture.
  explicit CapturedWork(const Stream& stream);
  CapturedWork(const CapturedWork&) = delete;
  CapturedWork& operator=(const CapturedWork&) = delete;

  bool is_captured() const { return is_captured_; }
  // The driver's number of the capture.
  uint64_t capture() const { return capture_; }
  // For work whose node the graph of a conditional node cannot hold. Throws INVALID_ARGUMENT if the
  // capture adds nodes to such a graph. Call before hold().
  void refuse_in_body(NodeKind kind) const;
  // Gives a reference to the graph, as hold_if_captured().
  void hold(const Object& object);

 private:
  bool enter(const Stream& stream);
  bool is_in(uint64_t capture) const;

  const Stream& stream_;
  bool is_captured_ = false;
  uint64_t capture_ = NOT_CAPTURED;
  CUgraph graph_ = nullptr;
  CaptureSession* session_ = nullptr;  // null if somebody else has begun the capture
  Ref<CaptureSession> found_;          // keeps the session if the gate does not
  std::unique_lock<BiasedMutex> lock_;
};

namespace detail {
void hold_if_captured(const Stream& stream, const Object& object);
void hold_outside_bodies(const Stream& stream, const Object& object, NodeKind kind);
[[noreturn]] void throw_captured(const char* action);
uint64_t capture_of(const Stream& stream);
bool is_in_capture(const Stream& stream);
}  // namespace detail

// Call before work is added to a stream; the stream's context must be current for a default stream.
// If the stream is captured, the graph receives a reference to the object. It drops it after the
// end of the graph and of its executable graphs. If the driver fails to add the reference, the call
// throws and the work must not be added. On a stream that may be captured this costs one quick call
// of the driver (11 ns of driver 580), on others one comparison.
inline void hold_if_captured(const Stream& stream, const Object& object) {
  if (stream.may_be_captured()) detail::hold_if_captured(stream, object);
}

// The same for work that the graph of a conditional node cannot hold; see refuse_in_body().
inline void hold_outside_bodies(const Stream& stream, const Object& object, NodeKind kind) {
  if (stream.may_be_captured()) detail::hold_outside_bodies(stream, object, kind);
}

// The functions below also need the stream's context for a default stream.

// Returns the driver's number of the capture that the stream is in, NOT_CAPTURED or BROKEN_CAPTURE.
inline uint64_t capture_of(const Stream& stream) {
  return stream.may_be_captured() ? detail::capture_of(stream) : NOT_CAPTURED;
}

// Throws INVALID_STATE for a captured stream. `action` is "wait for", "read a buffer in".
inline void refuse_in_capture(const Stream& stream, const char* action) {
  if (stream.may_be_captured() && detail::is_in_capture(stream)) detail::throw_captured(action);
}

}  // namespace cucore::core
