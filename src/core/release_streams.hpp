// Streams that wait for the users of memory and then free it, so that no stream of the program
// waits for another because a buffer was released.
#pragma once

#include <array>
#include <mutex>

#include "driver/stream_capture.hpp"

namespace cucore::core {

// A stream, and an event for the waits of the one who has it.
struct ReleaseStream {
  CUstream stream = nullptr;
  CUevent event = nullptr;
};

// Of one context, which must be current for acquire(). They are destroyed with the context.
class ReleaseStreams {
 public:
  // A release stream until the lock goes. It is null if the driver makes none.
  class Lease {
   public:
    Lease(std::unique_lock<std::mutex> lock, ReleaseStream at) : lock_(std::move(lock)), at_(at) {}
    explicit operator bool() const { return at_.stream != nullptr; }
    CUstream stream() const { return at_.stream; }

    // Makes the stream wait for what `other` has been given so far.
    bool wait_for(const driver::CudaTable& cu, CUstream other) const noexcept {
      return driver::record_outside_capture(cu, at_.event, other) && wait_for(cu, at_.event);
    }
    bool wait_for(const driver::CudaTable& cu, CUevent event) const noexcept {
      return cu.cuStreamWaitEvent(at_.stream, event, CU_EVENT_WAIT_DEFAULT) == CUDA_SUCCESS;
    }

   private:
    std::unique_lock<std::mutex> lock_;
    ReleaseStream at_;
  };

  // An idle one if there is any, so that a long wait of one release does not delay another.
  Lease acquire(const driver::CudaTable& cu) noexcept;

 private:
  ReleaseStream choose(const driver::CudaTable& cu) noexcept;
  ReleaseStream create(const driver::CudaTable& cu) noexcept;

  std::mutex mutex_;
  std::array<ReleaseStream, 8> streams_{};
  size_t count_ = 0;
  size_t next_ = 0;
};

}  // namespace cucore::core
