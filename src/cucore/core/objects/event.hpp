// SPDX-License-Identifier: Apache-2.0
// An event: created for a device, recorded later on its streams, any number of times.
#pragma once

#include "core/objects/stream.hpp"

namespace cucore::core {

struct EventOptions {
  bool timing = false;
  bool blocking_sync = false;
  bool interprocess = false;
};

class Event final : public Object {
 public:
  static Ref<Event> create(const Device& device, const EventOptions& options);

  Event(Ref<Context> context, CUevent native, unsigned flags)
      : context_(std::move(context)), native_(native), flags_(flags) {}

  const Device& device() const { return context_->device(); }
  const Ref<Context>& context() const { return context_; }
  CUevent native() const { return native_; }
  // For the program, which may record it in its own capture.
  CUevent hand_out() const {
    may_be_captured_.store(true, std::memory_order_relaxed);
    is_shared_.store(true, std::memory_order_relaxed);
    return native_;
  }
  bool may_be_captured() const { return may_be_captured_.load(std::memory_order_relaxed); }
  bool is_shared() const { return is_shared_.load(std::memory_order_relaxed); }
  // Launches of a graph may record it from now on, or wait for it.
  void note_in_graph() const { is_in_graph_.store(true, std::memory_order_relaxed); }
  // The driver's number of the capture that recorded it last, or NOT_CAPTURED.
  uint64_t capture() const { return capture_.load(std::memory_order_relaxed); }
  // Returns whether the library has recorded it.
  bool is_recorded() const { return records_.load(std::memory_order_acquire) != 0; }
  // Returns whether nothing can have recorded it: neither other code nor a graph.
  bool is_new() const {
    return !is_recorded() && !is_shared() && !is_in_graph_.load(std::memory_order_relaxed);
  }
  bool has_timing() const { return !(flags_ & CU_EVENT_DISABLE_TIMING); }
  bool is_blocking_sync() const { return flags_ & CU_EVENT_BLOCKING_SYNC; }
  bool is_interprocess() const { return flags_ & CU_EVENT_INTERPROCESS; }

  void require_usable() const { context_->require_alive("event"); }
  void record(const Stream& stream);
  // Counts a record that a call of the driver has made in the stream, which was in this capture.
  void note_record(const Stream& stream, uint64_t capture) {
    capture_.store(capture, std::memory_order_relaxed);
    if (stream.may_be_captured()) may_be_captured_.store(true, std::memory_order_relaxed);
    if (stream.is_shared()) is_shared_.store(true, std::memory_order_relaxed);
    records_.fetch_add(1, std::memory_order_release);
  }
  // In a capture: adds a node that records the event at each launch.
  void record_in_graph(const Stream& stream);
  void synchronize() const;
  bool query() const;
  static float elapsed(const Event& start, const Event& end);

 private:
  ~Event() override;
  // Returns whether the event is only the library's and no record of it can be pending.
  bool is_idle() const;
  CUresult write_output(uint64_t record) const;
  // Throws INVALID_STATE if a capture has recorded it last. `action` is "wait for".
  void refuse(const char* action) const;

  const Ref<Context> context_;
  const CUevent native_;
  const unsigned flags_;
  std::atomic<uint64_t> records_{0};
  mutable std::atomic<uint64_t> completed_{0};  // the last record that was seen complete
  std::atomic<uint64_t> capture_{0};
  mutable std::atomic<bool> may_be_captured_{false};
  mutable std::atomic<bool> is_in_graph_{false};
  mutable std::atomic<bool> is_shared_{false};  // as Stream::is_shared()
  mutable OutputMark output_;
};

}  // namespace cucore::core
