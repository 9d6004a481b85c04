// SPDX-License-Identifier: Apache-2.0
// How far a stream of the library has come, for resources that must outlive what was launched on
// it. An event is recorded when they are released, and when the stream is destroyed.
#pragma once

#include <mutex>

#include "core/objects/context.hpp"

namespace cucore::core {

class StreamMark final : public Object {
 public:
  StreamMark(Ref<Context> context, CUstream stream)
      : context_(std::move(context)), stream_(stream) {}

  // Call before the first launch that is to be waited for. Costs no call of the driver.
  void use() noexcept;

  // Records in `event` what the stream has been given so far, and creates the event if it is null.
  // If the stream is destroyed, `event` stays null and the last event of the stream counts.
  // CAPTURED: nothing can be recorded until the capture of the stream has ended.
  // UNMARKED: the driver refuses, so all work of the context must be waited for.
  enum class Marked { YES, UNMARKED, CAPTURED };
  Marked record(CUevent& event) noexcept;

  // Records what the stream has been given so far, for make_wait(). False if the stream is captured
  // or the driver refuses.
  bool prepare_wait(const driver::CudaTable& cu) noexcept;

  // Makes a release stream wait on the device for what was recorded. False if the driver refuses.
  bool make_wait(const driver::CudaTable& cu, const ReleaseStreams::Lease& waiter) noexcept;

  // Records the last work. Called by the stream's destructor; the stream is not used afterwards.
  void retire() noexcept;

  const Ref<Context>& context() const { return context_; }

  // Whether all work of a stream that is gone is complete.
  bool is_complete() const noexcept;
  // Whether the stream is gone and complete, so that nothing can be added to it.
  bool is_finished() const noexcept;
  // Whether the stream is gone and its last work was not recorded.
  bool is_unmarked() const noexcept;

 private:
  ~StreamMark() override;
  Marked record_locked(CUevent& event) noexcept;
  void destroy_event() noexcept;

  const Ref<Context> context_;
  mutable std::mutex mutex_;
  CUstream stream_;          // null once it has gone
  CUevent event_ = nullptr;  // for prepare_wait(); of a stream that is gone: its last work
  bool used_ = false;        // something may wait for the stream
  Marked last_ = Marked::YES;
};

}  // namespace cucore::core
