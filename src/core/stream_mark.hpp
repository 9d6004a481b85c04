// How far a stream of our own has come, for those who must outlive what was launched on it: an
// event that is recorded when they go, also if the stream itself has gone before.
#pragma once

#include <mutex>

#include "core/context.hpp"

namespace cucore::core {

class StreamMark final : public Object {
 public:
  StreamMark(Ref<Context> context, CUstream stream)
      : context_(std::move(context)), stream_(stream) {}

  // Before the first launch that is to be waited for. Costs no call of the driver.
  void use() noexcept;

  // Records in `event`, which is made if it is null, what the stream has been given so far. For a
  // stream that is gone its last event stands, and `event` stays null. CAPTURED: a graph is being
  // made of what the stream is given, so that nothing can be recorded until that has ended.
  // UNMARKED: the driver gave no event, so that all work of the context must be waited for.
  enum class Marked { YES, UNMARKED, CAPTURED };
  Marked record(CUevent& event) noexcept;

  // Makes a release stream wait on the device for what the stream has been given so far. False if
  // the stream is captured or the driver refused.
  bool make_wait(const driver::CudaTable& cu, const ReleaseStreams::Lease& waiter) noexcept;

  // By the stream's destructor: marks the last time, and never touches the stream again.
  void retire() noexcept;

  const Ref<Context>& context() const { return context_; }

  // Whether all work of a stream that is gone is complete.
  bool is_complete() const noexcept;
  // Complete, of a stream that has gone: nothing can be added to it.
  bool is_finished() const noexcept;

 private:
  ~StreamMark() override;
  Marked record_locked(CUevent& event) noexcept;
  void destroy_event() noexcept;

  const Ref<Context> context_;
  mutable std::mutex mutex_;
  CUstream stream_;          // null once it has gone
  CUevent event_ = nullptr;  // of a stream that is gone: its last work
  bool used_ = false;        // somebody will want to wait
  Marked last_ = Marked::YES;
};

}  // namespace cucore::core
