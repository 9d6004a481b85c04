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

  // Marks what the stream has been given so far. CAPTURED: a graph is being made of what it is
  // given, so that nothing can be marked until that has ended. UNMARKED: the driver gave no event,
  // so that all work of the context must be waited for.
  enum class Marked { YES, UNMARKED, CAPTURED };
  Marked record() noexcept;

  // By the stream's destructor: marks the last time, and never touches the stream again.
  void retire() noexcept;

  const Ref<Context>& context() const { return context_; }

  // Whether what was marked is complete. An event that cannot be asked any more is.
  bool is_complete() const noexcept;
  // Nobody waits any more who did: the event goes, unless somebody else waits for it.
  void give_back() noexcept;
  // Complete, of a stream that has gone: nothing can be added to it.
  bool is_finished() const noexcept;

 private:
  ~StreamMark() override;
  Marked record_locked() noexcept;
  bool is_complete_locked() const noexcept;
  void destroy_event() noexcept;

  const Ref<Context> context_;
  mutable std::mutex mutex_;
  CUstream stream_;          // null once it has gone
  CUevent event_ = nullptr;  // null until something is marked
  bool used_ = false;        // somebody will want to wait
  Marked last_ = Marked::YES;
};

}  // namespace cucore::core
