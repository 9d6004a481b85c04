// SPDX-License-Identifier: Apache-2.0
// Streams that wait for the users of memory and then free it. Without them, the release of a buffer
// would make streams of the program wait for each other.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "driver/cuda.hpp"

namespace cucore::core {

// Of one context, which must be current for acquire(). They are destroyed with the context.
class ReleaseStreams {
  struct ReleaseStream {
    CUstream stream = nullptr;
    uint32_t entries = 0;  // waits and frees since it was last seen idle
  };

 public:
  // A release stream until the lock goes, or none.
  class Lease {
   public:
    Lease(std::unique_lock<std::mutex> lock, ReleaseStream* at) : lock_(std::move(lock)), at_(at) {}
    explicit operator bool() const { return at_; }

    // Makes the stream wait for the event.
    bool wait_for(const driver::CudaTable& cu, CUevent event) const noexcept {
      ++at_->entries;
      return cu.cuStreamWaitEvent(at_->stream, event, CU_EVENT_WAIT_DEFAULT) == CUDA_SUCCESS;
    }
    CUresult free(const driver::CudaTable& cu, CUdeviceptr address) const noexcept {
      ++at_->entries;
      return cu.cuMemFreeAsync(address, at_->stream);
    }

   private:
    std::unique_lock<std::mutex> lock_;
    ReleaseStream* at_;
  };

  // Returns an idle stream if there is one, so that a long wait of one release does not delay
  // another. Returns none if the driver makes none, or if another entry could block the caller.
  Lease acquire(const driver::CudaTable& cu) noexcept;

 private:
  // The queue of a stream has about 1024 places. A call that finds none blocks until work ends.
  static constexpr uint32_t MOST_ENTRIES = 384;

  ReleaseStream* choose(const driver::CudaTable& cu) noexcept;
  ReleaseStream* find_idle(const driver::CudaTable& cu) noexcept;
  ReleaseStream* make_another(const driver::CudaTable& cu) noexcept;
  ReleaseStream* find_with_room() noexcept;

  std::mutex mutex_;
  std::array<ReleaseStream, 8> streams_{};
  size_t count_ = 0;
  size_t next_ = 0;
};

}  // namespace cucore::core
