// SPDX-License-Identifier: Apache-2.0
// The progress of a stream of the library, for resources that must outlive the work launched on it.
// An event is recorded at their release, and at the destruction of the stream.
#pragma once

#include <mutex>

#include "core/objects/context.hpp"

namespace cucore::core {

class StreamMark final : public Object {
 public:
  StreamMark(Ref<Context> context, CUstream stream)
      : context_(std::move(context)), stream_(stream) {}

  // Call before the first launch that is to be waited for. Makes no driver call.
  void use() noexcept;

  // Records the stream's present work in `event`, and creates the event if it is null. If the
  // stream is destroyed, `event` stays null and the last event of the stream counts. CAPTURED:
  // nothing can be recorded until the capture of the stream ends. UNMARKED: the driver refuses, so
  // all work of the context must be waited for.
  enum class Marked { YES, UNMARKED, CAPTURED };
  Marked record(CUevent& event) noexcept;

  // Records the stream's present work, for make_wait(). Returns false if the stream is captured or
  // the driver refuses.
  bool prepare_wait(const driver::CudaTable& cu) noexcept;

  // Makes a release stream wait on the device for the recorded work. Returns false if the driver
  // refuses.
  bool make_wait(const driver::CudaTable& cu, const ReleaseStreams::Lease& waiter) noexcept;

  // Records the last work. The stream's destructor calls it; the stream is not used afterwards.
  void retire() noexcept;

  // Keeps other threads from recording the stream's work, and from freeing memory in its order.
  // Held while a capture of the stream begins or ends. Drivers crash if an event is recorded at
  // that instant (seen with CUDA 13.0), and a free would become a node of the capture.
  std::unique_lock<std::mutex> hold() const { return std::unique_lock(mutex_); }

  const Ref<Context>& context() const { return context_; }

  // Returns whether all work of a destroyed stream is complete.
  bool is_complete() const noexcept;
  // Returns whether the stream is destroyed and complete, so that no work can be added to it.
  bool is_finished() const noexcept;
  // Returns whether the stream is destroyed and its last work was not recorded.
  bool is_unmarked() const noexcept;

 private:
  ~StreamMark() override;
  Marked record_locked(CUevent& event) noexcept;
  void destroy_event() noexcept;

  const Ref<Context> context_;
  mutable std::mutex mutex_;
  CUstream stream_;          // null once it is destroyed
  CUevent event_ = nullptr;  // for prepare_wait(); of a destroyed stream: its last work
  bool used_ = false;        // something may wait for the stream
  Marked last_ = Marked::YES;
};

}  // namespace cucore::core
