// SPDX-License-Identifier: Apache-2.0
// A capture that the library has begun: what its nodes use, and the streams that were forked into
// it. The graph receives the objects at the end.
#pragma once

#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

#include "core/objects/stream.hpp"
#include "driver/stream_capture.hpp"

namespace cucore::core {

class CaptureSession final : public Object {
 public:
  // `is_into_body`: `into` is the graph of a conditional node, or in one.
  CaptureSession(uint64_t id, const Stream& origin, CUstreamCaptureMode mode, Ref<Object> into,
                 bool is_into_body);

  uint64_t id() const { return id_; }
  CUstreamCaptureMode mode() const { return mode_; }
  bool is_origin(const Stream& stream) const { return stream.identity() == origin_; }
  bool is_fork(const Stream& stream) const;
  // A capture that restricts other calls ends on the thread that began it.
  bool may_end_here() const {
    return mode_ == CU_STREAM_CAPTURE_MODE_RELAXED || thread_ == std::this_thread::get_id();
  }

  // Keeps an object until the end of the capture. The caller has the lock, for several objects.
  std::unique_lock<BiasedMutex> lock() const { return std::unique_lock(gate_->mutex); }
  void hold(const Object& object, const std::unique_lock<BiasedMutex>& lock);
  // Whether the capture takes work. The caller has the lock, which keeps an open capture open.
  bool is_open() const { return gate_->session == this; }
  // Lets the work of the origin find the session, or no longer find it.
  void open_gate() noexcept;
  void close_gate() const noexcept;
  // Whether close_gate() was called last.
  bool is_ending() const noexcept;
  // Keeps a stream that has been forked into the capture: its destruction would break the capture.
  void add_fork(Ref<const Stream> stream);
  // Whether the origin or a fork is a stream of the context, and captured.
  bool captures(const driver::CudaTable& cu, const Context& context) const noexcept;

  // For the end of the capture.
  std::vector<Ref<const Object>> take_held() noexcept;
  std::vector<Ref<const Stream>> forks() const;
  // Null after the last one. Allocates nothing.
  Ref<const Stream> fork_at(size_t index) const noexcept;

  // The graph of the capture, if the program has it; a Graph.
  Ref<Object> graph() const;
  void set_graph(Ref<Object> graph);
  // Whether the graph existed before the capture.
  bool is_into() const { return is_into_; }
  // Whether the work becomes nodes of the graph of a conditional node, which cannot hold all kinds.
  bool is_into_body() const { return is_into_body_; }

  // Returns the first failure in the library since the beginning of the capture, or "".
  std::string cause() const;

 private:
  ~CaptureSession() override = default;

  const uint64_t id_;
  const uint64_t origin_;
  const Ref<Context> context_;
  const CUstream native_;
  const CUstreamCaptureMode mode_;
  const bool is_into_, is_into_body_;
  const driver::RestrictingCapture restricts_;
  const std::thread::id thread_ = std::this_thread::get_id();
  const uint64_t failures_;      // of the library, at the beginning
  const Ref<CaptureGate> gate_;  // its mutex guards the following
  std::unordered_set<const Object*> known_;
  std::vector<Ref<const Object>> held_;
  Ref<Object> graph_;
  // Guarded by a lock of its own, because callers that hold other locks read them.
  mutable std::mutex forks_mutex_;
  std::vector<Ref<const Stream>> forks_;
};

// The captures under way. A capture is found by the driver's number of it, or by a stream of it.
void add_capture(const Ref<CaptureSession>& session);
void remove_capture(const CaptureSession& session) noexcept;
Ref<CaptureSession> find_capture(uint64_t id) noexcept;
Ref<CaptureSession> find_capture(const Stream& stream) noexcept;
// Returns whether one of them captures a stream of the context.
bool has_capture(const driver::CudaTable& cu, const Context& context) noexcept;

}  // namespace cucore::core
